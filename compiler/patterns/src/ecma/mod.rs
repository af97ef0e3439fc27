//! Regular expressions of ECMA-262 as automata, for JSON Schema's `pattern`.
//!
//! ```text
//! text ── parse ──► tree ── program ──► guarded automaton ── explore ──► deterministic automaton
//!         (oxc)     (node, class) │     (bodies, trackers)   (formula)                ▲
//!                                 └───► automaton ────────── minimal ─────────────────┘
//! ```
//!
//! A pattern is read in unicode mode and is unanchored unless it has anchors. Greediness and captures only choose
//! between matches, so they are ignored. Assertions of every kind are exact: `^`, `$`, `\b`, lookahead and
//! lookbehind, also in loops and in one another. Backreferences are not regular and are rejected. Most patterns end
//! with the string and have no other assertion. They need no guards and take the lower path of the figure. A pattern
//! with long counts also has a form with [counters](positions). A pattern whose automaton would be too large has one with
//! [copies] of its repetitions.
//!
//! Cost: linear in the pattern with its counted repetitions unrolled, then that of [`explore`] or of the subset
//! construction.
//!
//! Tests: `tests.rs` against `regress`; unit tests in `positions`; `tests/tests/schemas/patterns.rs`.

mod bounds;
mod class;
mod copies;
mod counted;
mod counters_stay_aligned;
mod error;
mod explore;
mod formula;
mod lengths;
mod node;
mod parse;
mod positions;
mod product;
mod program;
mod property;
#[cfg(test)]
mod tests;

pub use counted::{CountedPattern, Way};
pub use error::{EcmaError, EcmaErrorKind};
pub use lengths::Lengths;
pub use product::class_of;

use class::Meaning;

use grammarc_grammar::automata::{Dfa, StateBudget, StateLimit, minimal, minimize_within};

/// The most positions, with all counts unrolled, of a counted pattern whose deterministic automaton is built along with
/// the counted form. Above that, only the counted form is built, unless the pattern matches few texts.
const MANY_PLACES: usize = 1 << 7;

/// The most states of the deterministic automaton of a pattern that also has a [position automaton](positions). If the
/// deterministic one needs more, the position automaton is taken instead.
pub const WORTH_STATES: usize = 1 << 14;

/// The most texts of a pattern whose deterministic automaton is built in any case. A caller may list so few texts,
/// which takes that automaton.
const FEW_TEXTS: u64 = 1 << 16;

/// The language of a pattern: a deterministic automaton or a position automaton with counters, with bounds on the
/// length of the text. At least one of the two is `Some`. A text has to be accepted and within the bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The minimal deterministic automaton over UTF-8. `None` if only the position automaton was built.
    pub automaton: Option<Dfa>,
    /// The fewest characters of a text, besides what the automaton requires.
    pub min: u32,
    /// The most characters of a text. `None` if only the automaton limits the length.
    pub max: Option<u32>,
    /// The same language as a position automaton, whose counts do not multiply its states. `None` if the pattern has no
    /// such form.
    pub counted: Option<CountedPattern>,
}

/// Returns the language of the strings that contain a match of the pattern. A long count of a class between anchors
/// becomes a loop and bounds on the length, so `^[a-z]{1,65535}$` has one state. The deterministic automaton has at most
/// [`WORTH_STATES`] states, and at most those of `limit`.
///
/// # Errors
///
/// See [`EcmaErrorKind`].
pub fn pattern(text: &str, limit: StateBudget<'_>) -> Result<Pattern, EcmaError> {
    pattern_of(parse::parse(text, Meaning::Ecma)?, text, limit)
}

/// Returns the same with a deterministic automaton, which may have as many states as `limit` allows.
///
/// # Errors
///
/// See [`EcmaErrorKind`].
pub fn large_pattern(text: &str, limit: StateBudget<'_>) -> Result<Pattern, EcmaError> {
    large_pattern_of(parse::parse(text, Meaning::Ecma)?, text, limit)
}

/// Returns the language of a syntax tree with a deterministic automaton. `text` is the pattern, for the place of errors.
fn large_pattern_of(
    node: node::Node,
    text: &str,
    limit: StateBudget<'_>,
) -> Result<Pattern, EcmaError> {
    let bounds::Bounded { node, min, max } = bounds::bounded(node);
    Ok(Pattern { automaton: Some(automaton(&node, text, limit)?), min, max, counted: None })
}

/// Returns the language of a syntax tree. `text` is the pattern, for the place of errors. Builds the deterministic
/// automaton, the position automaton or both, whichever is small enough.
fn pattern_of(node: node::Node, text: &str, limit: StateBudget<'_>) -> Result<Pattern, EcmaError> {
    let bounds::Bounded { node, min, max } = bounds::bounded(node);
    let counted = positions::counted(&node);
    let is_made = counted.as_ref().is_none_or(|counted| {
        counted.unrolled_places <= MANY_PLACES || counted.most_texts <= FEW_TEXTS
    });
    if !is_made {
        return Ok(Pattern { automaton: None, min, max, counted });
    }
    match automaton(&node, text, limit.states(limit.states.min(WORTH_STATES))) {
        Ok(automaton) => Ok(Pattern { automaton: Some(automaton), min, max, counted }),
        Err(error) => match counted.or_else(|| copies::copied(&node)) {
            counted @ Some(_) if limit.spend(0).is_ok() => {
                Ok(Pattern { automaton: None, min, max, counted })
            }
            _ => Err(error),
        },
    }
}

/// One of several conditions on a text: the text has to match a pattern, or must not match it. See [`conjuncts`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conjunct {
    /// The language of the pattern.
    pub pattern: Pattern,
    /// Whether a text must not match the pattern. If false, a text has to match it.
    pub is_negative: bool,
}

/// Splits a pattern into its lookaheads at the start and the rest, each as a condition on the text. A text matches the
/// pattern if it satisfies all conditions. For patterns whose automaton is too large. `None` if the pattern does not
/// start with an anchor and a lookahead.
///
/// # Errors
///
/// See [`EcmaErrorKind`].
pub fn conjuncts(text: &str, limit: StateBudget<'_>) -> Result<Option<Vec<Conjunct>>, EcmaError> {
    use node::Node;
    let Node::Seq(parts) = parse::parse(text, Meaning::Ecma)? else { return Ok(None) };
    let [Node::Start, parts @ ..] = &parts[..] else { return Ok(None) };
    let is_look = |part: &&Node| matches!(part, Node::Look { behind: false, .. });
    let looks = parts.iter().take_while(is_look).count();
    if looks == 0 {
        return Ok(None);
    }
    let (looks, rest) = parts.split_at(looks);
    let started = |parts: &[Node]| {
        let flat = parts.iter().flat_map(|part| match part {
            Node::Seq(parts) => &parts[..],
            part => std::slice::from_ref(part),
        });
        Node::Seq([Node::Start].iter().chain(flat).cloned().collect())
    };
    let looks = looks.iter().filter_map(|look| match look {
        Node::Look { negative, body, .. } => Some((started(&[(**body).clone()]), *negative)),
        _ => None,
    });
    let mut found = Vec::new();
    for (node, is_negative) in looks.chain([(started(rest), false)]) {
        let pattern = pattern_of(node.clone(), text, limit)
            .or_else(|_| large_pattern_of(node, text, limit))?;
        found.push(Conjunct { pattern, is_negative });
    }
    Ok(Some(found))
}

/// Returns the deterministic automaton of a pattern over UTF-8. It leaves out the bounds on the length that [`pattern`]
/// returns, so it may accept texts that are too short or too long.
///
/// # Errors
///
/// See [`EcmaErrorKind`].
pub fn pattern_automaton(text: &str, limit: StateBudget<'_>) -> Result<Dfa, EcmaError> {
    let node = parse::parse(text, Meaning::Ecma)?;
    automaton(&bounds::bounded(node).node, text, limit)
}

/// Returns the deterministic automaton of the texts that a pattern matches as a whole. The classes `.`, `\d`, `\s` and
/// `\w` have the definitions of the `regex` crate. For `.regex` sources with lookaround, which that crate does not
/// support.
///
/// # Errors
///
/// See [`EcmaErrorKind`].
pub(crate) fn whole(text: &str, limit: StateBudget<'_>) -> Result<Dfa, EcmaError> {
    let node = parse::parse(text, Meaning::Regex)?;
    automaton(&node::Node::Seq(vec![node::Node::Start, node, node::Node::End]), text, limit)
}

/// Returns the minimal deterministic automaton of the strings that contain a match of a syntax tree. `text` is the
/// pattern, for the place of errors. Fails if a limit is exceeded.
fn automaton(node: &node::Node, text: &str, limit: StateBudget<'_>) -> Result<Dfa, EcmaError> {
    let states = limit.states.saturating_mul(program::PROGRAM_STATES).saturating_add(1 << 10);
    let states = limit.states(states);
    let kind = EcmaErrorKind::TooLarge { limit: limit.states };
    let too_large = || EcmaError { kind: kind.clone(), span: 0..text.len() };
    if let Some(nfa) = program::Program::plain(node, states) {
        let nfa = nfa.map_err(|program::TooLarge| too_large())?;
        return minimal(&nfa, limit).map_err(|StateLimit { .. }| too_large());
    }
    program::Program::new(node, states)
        .and_then(|program| explore::explore(&program, limit))
        .map_err(|program::TooLarge| too_large())
        .and_then(|dfa| minimize_within(&dfa, limit).map_err(|_| too_large()))
}
