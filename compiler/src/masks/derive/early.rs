//! Outcomes of states that differ from their references on short strings. A reference is the state from whose mask the
//! mask is derived. Each such state is handled alone, by a character run or by a state of the vocabulary's rules with
//! fewer differences.
//!
//! Cost: O(difference) from a bit row of characters or from a state of the vocabulary. At most [`LONG`] nodes are
//! visited to find that the reference is nearer.

use super::batch::{Derivation, once};
use super::char_runs::CharRuns;
use crate::masks::outcome::Outcome;
use crate::masks::trie::char_classes::FAR;
use crate::masks::walk::walker::Walker;

/// The most trie nodes, some 10 ns each, that a comparison of a state with its reference (source of its mask) may
/// visit. Beyond this limit the outcome (consumed tokens and exit nodes) of a near state of the vocabulary's rules is
/// taken over instead.
const LONG: usize = 1 << 12;

/// Returns the outcome (consumed tokens and exit nodes) of a derived state at the root of the trie, if it is found
/// without a batch. A batch is a pass over the trie for many states. The outcome is found from the state's character
/// run. Without a run, two conditions must hold. The state differs from its reference (source of its mask) on some
/// short string, and a state of the vocabulary's rules is near it. `None` otherwise.
pub(crate) fn outcome(
    walker: &mut Walker<'_>,
    runs: &CharRuns,
    derived: &Derivation<'_>,
) -> Option<Outcome> {
    let &Derivation { state, reference, .. } = derived;
    if let Some(outcome) = runs.outcome(walker, state) {
        return Some(outcome);
    }
    let (follow, trie) = (walker.cursor.follow, walker.cursor.trie);
    let is_far = walker.equivalence.length(state, reference).is_none_or(|length| length < FAR);
    let near = is_far.then(|| walker.near(state)).flatten()?;
    let all = Some(1..trie.len() as u32);
    let apart = walker.depart(&[derived], &mut once(all), LONG);
    let apart = apart.and_then(|mut apart| apart.pop());
    Some(match apart {
        Some(apart) => apart.over(derived, follow, trie),
        None => walker.base_near(state, near),
    })
}
