//! States that differ from their references on short strings: one by one, by whatever is nearer than the reference.
//!
//! Cost: O(difference) from a row of characters or a shared state, and at most [`LONG`] nodes to find that the
//! reference is nearer.

use super::batch::{Derivation, once};
use super::char_runs::CharRuns;
use crate::masks::outcome::Outcome;
use crate::masks::trie::char_classes::FAR;
use crate::masks::walk::walker::Walker;

/// Nodes to look at, some 10 ns each, after which the outcome of a shared state is taken over where one is near.
const LONG: usize = 1 << 12;

/// The outcome of a state that has a run of characters or differs from its reference soon where a shared state is near.
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
