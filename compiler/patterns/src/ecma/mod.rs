//! Regular expressions of ECMA-262 as automata, for JSON Schema's `pattern`.
//!
//! ```text
//! text ── parse ──► tree ── program ──► guarded automaton ── explore ──► deterministic automaton
//!         (oxc)     (node, class) │     (bodies, trackers)   (formula)                ▲
//!                                 └───► automaton ────────── minimal ─────────────────┘
//! ```
//!
//! A pattern is read in unicode mode and matches where it is found, so it is unanchored unless it says otherwise. All
//! that makes a match one rather than another (greed, captures) is without meaning here. Assertions of every kind are
//! exact, `^`, `$`, `\b`, lookahead and lookbehind, also in loops and in one another. Backreferences are not regular and
//! are refused. A pattern that ends with the string and asserts nothing else, as most do, needs no guards: it takes the
//! lower way. Of one that counts far there is also a form with [counters](positions).
//!
//! Cost: linear in the pattern with its counted repetitions written out, then that of [`explore`] or of the subset
//! construction.

mod bounds;
mod class;
mod counted;
mod error;
mod explore;
mod formula;
mod lengths;
mod node;
mod parse;
mod positions;
mod program;
mod property;
#[cfg(test)]
mod tests;
mod together;

pub use counted::CountedPattern;
pub use error::{EcmaError, EcmaErrorKind};
pub use lengths::Lengths;

use class::Meaning;

use grammarc_grammar::automata::{Dfa, StateBudget, StateLimit, minimal, minimize_within};

/// States of the nondeterministic automaton that go with each state allowed.
const PROGRAM_STATES: usize = 8;

/// Places of a pattern with all counts written out, from which on its automaton is made where it is asked for.
const MANY_PLACES: usize = 1 << 7;

/// Texts of a pattern that somebody may want to list, for which it takes an automaton.
const FEW_TEXTS: u64 = 1 << 16;

/// The language of a pattern: the strings of an automaton or of its counted form, one of which it has, if their length is within
/// bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Minimal, over UTF-8; none where the counted form says it in fewer words.
    pub automaton: Option<Dfa>,
    /// Fewest characters.
    pub min: u32,
    /// Most characters.
    pub max: Option<u32>,
    /// The same strings as a pattern with counters, where there is one.
    pub counted: Option<CountedPattern>,
}

/// The strings that contain a match of the pattern. A class that is counted far between anchors is a loop in the
/// automaton and a bound on the length, so that `^[a-z]{1,65535}$` has one state.
///
/// # Errors
///
/// See [`EcmaErrorKind`].
pub fn pattern(text: &str, limit: StateBudget<'_>) -> Result<Pattern, EcmaError> {
    let node = parse::parse(text, Meaning::Ecma)?;
    let bounds::Bounded { node, min, max } = bounds::bounded(node);
    let counted = positions::counted(&node);
    let is_made = counted.as_ref().is_none_or(|counted| {
        counted.written_out <= MANY_PLACES || counted.most_texts <= FEW_TEXTS
    });
    let automaton = is_made.then(|| automaton(&node, text, limit)).transpose()?;
    Ok(Pattern { automaton, min, max, counted })
}

/// The automaton of a pattern, within the bounds that [`pattern`] finds.
///
/// # Errors
///
/// See [`EcmaErrorKind`].
pub fn pattern_automaton(text: &str, limit: StateBudget<'_>) -> Result<Dfa, EcmaError> {
    let node = parse::parse(text, Meaning::Ecma)?;
    automaton(&bounds::bounded(node).node, text, limit)
}

/// The texts that a pattern matches from end to end, with the classes of the `regex` crate: for `.regex` sources with
/// lookaround, which that crate has not.
///
/// # Errors
///
/// See [`EcmaErrorKind`].
pub(crate) fn whole(text: &str, limit: StateBudget<'_>) -> Result<Dfa, EcmaError> {
    let node = parse::parse(text, Meaning::Regex)?;
    automaton(&node::Node::Seq(vec![node::Node::Start, node, node::Node::End]), text, limit)
}

fn automaton(node: &node::Node, text: &str, limit: StateBudget<'_>) -> Result<Dfa, EcmaError> {
    let states = limit.states.saturating_mul(PROGRAM_STATES).saturating_add(1 << 10);
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
