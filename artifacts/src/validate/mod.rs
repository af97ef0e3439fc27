//! The invariants that readers rely on, each checked once when an artifact is opened.
//!
//! The frame of the file, its checksum and the archive of the nested section have been checked before. Here the flat
//! sections are read as tables. Later checks index by what earlier ones have made sure of, so the order matters:
//!
//! 1. [`tokens`] (vocabulary): counts, offsets, kinds, end tokens, special tokens.
//! 2. [`trie`] (vocabulary): shape, ranks, and that it spells the text tokens and nothing else.
//! 3. [`numbering`]: bases, totals, dense row width, sentinel, state ranges, the rules' states. From here on every
//!    accessor of the tables is within bounds for an own id.
//! 4. [`masks`]: dense rows, lists, masks, exit classes.
//! 5. [`network`]: the fields of states, all edges, follow entries. From here on every id leads somewhere.
//! 6. [`normal_form`]: empty rules, left recursion, first bytes, dead states.
//! 7. The two digests in the header of a vocabulary artifact.
//!
//! Everything is linear in the size of the tables. Shared lists would make the masks' part quadratic in a hostile
//! file, which is why each list entry belongs to one list.
//!
//! What is *not* checked is whether the masks are right: that would be compiling again.

mod masks;
mod network;
mod normal_form;
mod numbering;
mod tokens;
mod trie;
mod violation;

pub use violation::{Expected, Invariant, Violation};

use crate::container::kinds::SectionKind;
use crate::error::Error;
use crate::grammar::GrammarArtifact;
use crate::stored;
use crate::tables::{Bases, Joined, Tables};
use crate::vocabulary::VocabularyArtifact;
use violation::{Check, at};

/// What the checks of the tables look at.
struct Context<'a> {
    /// The tables under examination as `own`, behind the vocabulary's. For the vocabulary's own tables both are the
    /// same, and since their bases are zero, `shared` is never asked.
    joined: Joined<'a>,
    /// Totals of the joined numbering.
    totals: Bases,
    /// The vocabulary, whose tokens and trie have been checked.
    vocabulary: &'a VocabularyArtifact,
    /// Number of trie nodes.
    trie_nodes: u32,
    /// Rule in whose initial state a sequence begins; none in a vocabulary.
    start_rule: Option<u32>,
}

/// Checks a vocabulary artifact.
pub(crate) fn vocabulary(artifact: &VocabularyArtifact) -> Result<(), Error> {
    let own = artifact.tables();
    let names = artifact.meta().rule_names.len();
    tokens::check(artifact)
        .and_then(|()| trie::check(artifact))
        .and_then(|()| numbering::bases(&own, Bases::default(), artifact.row_words()))
        .and_then(|()| tables(artifact, Joined { shared: own, own }, None, names))
        .map_err(invalid)?;
    let identities = [
        ("fingerprint", artifact.fingerprint(), artifact.identity().fingerprint()),
        ("digest of the shared tables", artifact.shared_digest(), stored::digest(&own)),
    ];
    for (field, expected, found) in identities {
        if found != expected {
            return Err(Error::Identity { field, expected, found });
        }
    }
    Ok(())
}

/// Checks a grammar artifact that belongs to its vocabulary.
pub(crate) fn grammar(artifact: &GrammarArtifact) -> Result<(), Error> {
    let vocabulary = artifact.vocabulary();
    let joined = artifact.joined();
    let names = artifact.meta().rule_names.len();
    numbering::bases(&joined.own, joined.shared.totals(), vocabulary.row_words())
        .and_then(|()| tables(vocabulary, joined, Some(artifact.start_rule()), names))
        .map_err(invalid)
}

fn invalid(violation: Violation) -> Error {
    Error::Invalid(Box::new(violation))
}

/// Checks the own tables, whose bases have been checked.
fn tables(
    vocabulary: &VocabularyArtifact,
    joined: Joined<'_>,
    start_rule: Option<u32>,
    rule_names: usize,
) -> Check {
    let own = &joined.own;
    if rule_names != 0 {
        at(SectionKind::Meta, 0).equal(Invariant::RuleNames, rule_names, own.rules.len())?;
    }
    numbering::check(own)?;
    let context = Context {
        joined,
        totals: own.totals(),
        vocabulary,
        trie_nodes: vocabulary.trie().len() as u32,
        start_rule,
    };
    masks::check(&context)?;
    network::check(&context)?;
    normal_form::check(&context)
}

/// The own rules with their states: index of the rule, index of its first state, one past the last.
fn rules_of(own: &Tables<'_>) -> impl Iterator<Item = (usize, usize, usize)> {
    let base = own.bases.states;
    own.rules.iter().enumerate().map(move |(index, rule)| {
        let first = (rule.first_state - base) as usize;
        (index, first, first + rule.state_count as usize)
    })
}
