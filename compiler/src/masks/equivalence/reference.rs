//! The state from whose mask the mask of another is derived, its reference.
//!
//! Cost: O(wide states).

use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;

use super::class_history::ClassHistories;
use super::own_transitions::OwnTransitionLists;
use super::representatives::Representatives;
use crate::budget::Budget;
use crate::masks::shared::transitions::{WIDE, bytes_of};
use crate::network::follow::Follow;

/// Bytes for which a state does the same as the one that its mask is derived from, the most first. With fewer than the
/// last, the two masks differ in most of their tokens.
const LIKE: [usize; 3] = [16, 8, 4];

/// The number of states that are equivalent for most bytes, from which on one of them gets a mask of its own.
const MANY: usize = 8;

/// Steps of a budget that it takes to look at a state, about.
const STEPS_A_STATE: usize = 1 << 5;

/// The references of the own states of a network.
#[derive(Debug, Default)]
pub(crate) struct References {
    base: u32,
    /// By index of the state, its reference, or [`NONE`].
    references: Vec<u32>,
}

impl References {
    /// Chooses references. The reference of a state has the same target of its widest edge, or else is the first state
    /// that is equal for the most bytes. The first of many similar states becomes a reference if none of them is one
    /// yet: a walk beside it is shorter.
    ///
    /// `members` are the wide states by index, each with the target of its widest edge; a state whose outcome is
    /// another's has none.
    pub(crate) fn chosen(
        follow: &Follow<'_>,
        members: &[(u32, u32)],
        representatives: &Representatives,
        histories: &ClassHistories,
        budget: &Budget,
    ) -> Self {
        let own = follow.network().own;
        let base = own.bases.states;
        let mut references = vec![NONE; own.state_count() as usize];
        let members = || members.iter().filter(|one| !representatives.contains(base + one.0));
        let classes = |state| LIKE.map(|length| histories.class(state, length));
        let mut class_sizes: FxHashMap<u32, usize> = FxHashMap::default();
        for &(index, _) in members() {
            *class_sizes.entry(classes(base + index)[0]).or_default() += 1;
        }
        let mut by_target: FxHashMap<_, u32> = FxHashMap::default();
        // By the place in `LIKE`, and class.
        let mut by_class: FxHashMap<(usize, u32), u32> = FxHashMap::default();
        for &(index, target) in members() {
            if budget.spend(STEPS_A_STATE).is_err() {
                break;
            }
            let state = base + index;
            let target = (follow.bytes(follow.rule_of(state)).to_words(), target);
            let classes = classes(state);
            let found = by_target.get(&target).or_else(|| by_class.get(&(0, classes[0]))).copied();
            let is_one_of_many = class_sizes[&classes[0]] >= MANY;
            let found = match found {
                None if !is_one_of_many => {
                    classes.into_iter().enumerate().find_map(|class| by_class.get(&class)).copied()
                }
                found => found,
            };
            match found {
                Some(reference) => references[index as usize] = reference,
                None => {
                    by_target.insert(target, state);
                    for class in classes.into_iter().enumerate() {
                        by_class.entry(class).or_insert(state);
                    }
                }
            }
        }
        Self { base, references }
    }

    /// Whether any state has one.
    pub(crate) fn are_any(&self) -> bool {
        self.references.iter().any(|&reference| reference != NONE)
    }

    /// The reference of an own state: a lower one that has none itself.
    pub(crate) fn of(&self, state: u32) -> Option<u32> {
        let reference = *self.references.get((state - self.base) as usize)?;
        (reference != NONE).then_some(reference)
    }

    /// Bytes that they take, about.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.references)
    }
}

/// Target of the widest edge of an own state, if that is an own state that goes on with bytes, and the state
/// goes on with many on edges of its own. One whose calls are what is wide is like the shared state they begin in.
pub(crate) fn widest_target(
    transitions: &OwnTransitionLists,
    follow: &Follow<'_>,
    index: u32,
) -> Option<u32> {
    let network = follow.network();
    let state = network.own.bases.states + index;
    let edges = transitions.of(network, state).edges;
    if bytes_of(edges) < WIDE || follow.first(state).1 {
        return None;
    }
    let widest = edges.iter().max_by_key(|edge| edge.hi() - edge.lo())?;
    let goes_on = !transitions.of(network, widest.target).edges.is_empty();
    goes_on.then_some(widest.target)
}
