//! Checks of the invariants on which readers rely. Each is checked once when an artifact is opened.
//!
//! The frame of the file, its checksum and the archive of the nested section are checked before. The flat sections are
//! read as tables here. A check relies on the ones before it, so the order matters:
//!
//! 1. `tokens` (vocabulary): counts, offsets, kinds, end tokens, special tokens.
//! 2. `trie` (vocabulary): shape and ranks; the trie spells exactly the text tokens.
//! 3. `numbering`: bases, totals, dense row width, sentinel, state ranges, the rules' states. From here on every
//!    accessor of the tables is within bounds for an id of these tables.
//! 4. `masks`: dense rows, lists, masks, exit classes.
//! 5. `network`: the fields of states, their `arrivals`, all edges, follow entries. From here on every id leads
//!    somewhere.
//! 6. `normal_form`: empty rules, left recursion, first bytes, dead states.
//! 7. `packed_strings`: packed nodes, the rules that are packed string sets, their calls.
//! 8. `near_bound`: masks of count-dependent states by the count in a register.
//! 9. the expressions of shared rules (vocabulary): ascending, each naming a rule.
//!
//! Cost: O(size of the tables). Each list entry belongs to one list, since shared lists would make the check of masks
//! quadratic in a hostile file.
//!
//! The contents of masks are *not* checked against the network. That would take a compilation.
//!
//! Tests: `tests/suite/invariants.rs` and `tests/suite/corruption.rs`.

mod arrivals;
mod context;
mod masks;
mod near_bound;
mod network;
mod normal_form;
mod numbering;
mod packed_strings;
mod tokens;
mod trie;
mod violation;

pub use violation::{Expected, Invariant, Violation};

use crate::sections::kinds::SectionKind;
use crate::sections::numbers::VocabularyRecord;
use crate::sections::vocabulary::{ExpressionRecord, Trie};
use crate::tables::{Bases, Joined, Tables, row_words};
use crate::tokens::Tokens;
use context::Context;
use violation::{Check, at};

/// Checks the sections of a vocabulary artifact. Returns the first violated invariant. `rule_names` is the number of
/// stored rule names.
pub(crate) fn vocabulary(
    numbers: &VocabularyRecord,
    tokens: &Tokens<'_>,
    trie: &Trie<'_>,
    own: Tables<'_>,
    expressions: &[ExpressionRecord],
    rule_names: usize,
) -> Check {
    tokens::check(numbers, tokens)?;
    trie::check(tokens, trie)?;
    numbering::bases(&own, Bases::default(), row_words(numbers.logit_width))?;
    let (usable, trie_nodes) = (&tokens.usable(), trie.len() as u32);
    let joined = Joined { shared: own, own };
    let context = Context { joined, totals: own.totals(), usable, trie_nodes, start_rule: None };
    tables(context, rule_names, 0)?;
    check_expressions(expressions, own.rules.len() as u32)
}

/// Checks that the expressions of the shared rules ascend by digest and name one of `rules` rules.
fn check_expressions(expressions: &[ExpressionRecord], rules: u32) -> Check {
    let mut before = None;
    for (record, expression) in expressions.iter().enumerate() {
        let place = at(SectionKind::Expressions, record);
        place.below(Invariant::Expressions, expression.rule, rules)?;
        let ascends = before.is_none_or(|before| before < expression.digest);
        place.require(Invariant::Expressions, ascends, expression.rule)?;
        before = Some(expression.digest);
    }
    Ok(())
}

/// Checks the sections of a grammar artifact, joined with those of its vocabulary. Returns the first violated
/// invariant. `rule_names` and the last argument are the numbers of stored rule names and regions.
pub(crate) fn grammar(
    joined: Joined<'_>,
    start_rule: u32,
    usable: &[u32],
    trie_nodes: u32,
    rule_names: usize,
    regions: usize,
) -> Check {
    numbering::bases(&joined.own, joined.shared.totals(), joined.shared.row_words)?;
    let (totals, start_rule) = (joined.own.totals(), Some(start_rule));
    tables(Context { joined, totals, usable, trie_nodes, start_rule }, rule_names, regions)
}

/// Checks the tables under `own`, whose bases were checked before.
fn tables(context: Context<'_>, rule_names: usize, regions: usize) -> Check {
    let own = &context.joined.own;
    if rule_names != 0 {
        at(SectionKind::Meta, 0).equal(Invariant::RuleNames, rule_names, own.rules.len())?;
    }
    numbering::check(own, regions)?;
    masks::check(&context)?;
    network::check(&context)?;
    normal_form::check(&context)?;
    packed_strings::check(&context)?;
    near_bound::check(&context)
}
