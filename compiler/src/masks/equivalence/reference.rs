//! The reference of a state: the state from whose mask its mask is derived.
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

/// Numbers of bytes for which a state has to be equivalent to its reference (source of its mask), tried in this order.
/// If two states are equivalent for fewer bytes than the last number, their masks differ in most tokens.
const LIKE: [usize; 3] = [16, 8, 4];

/// The least number of states, equivalent for the first length of [`LIKE`], of which one gets a mask of its own. The
/// masks of the others are derived from it.
const MANY: usize = 8;

/// Steps of the budget that are charged for each state: an estimate.
const STEPS_A_STATE: usize = 1 << 5;

/// For each state of a grammar, the state from whose mask its mask is derived.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// Id of the first state of the grammar itself. States with lower ids belong to the vocabulary.
    base: u32,
    /// For each state of the grammar itself, by index from the first such state, its reference (source of its mask), or
    /// [`NONE`].
    references: Vec<u32>,
}

impl References {
    /// Chooses the references, states from whose masks other masks are derived. A state gets a reference with an equal
    /// target of its widest edge. Otherwise it gets the first state that is equivalent for the most bytes. The first of
    /// many similar states becomes a reference if they have none yet: a walk beside it is shorter.
    ///
    /// `members` are the states with many outgoing bytes, by index, each with the target of its widest edge. A
    /// represented state, whose outcome (consumed tokens and exit nodes) is another's, gets no reference. States that
    /// are not reached before the budget is spent get none.
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
        // Maps each index into `LIKE` and class to the first state of the class.
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

    /// Whether any state has a reference (source of its mask).
    pub(crate) fn are_any(&self) -> bool {
        self.references.iter().any(|&reference| reference != NONE)
    }

    /// Returns the reference of a state: the lower state of the grammar from whose mask its mask is derived. The
    /// reference has none itself. `None` if the state has no reference.
    pub(crate) fn of(&self, state: u32) -> Option<u32> {
        let reference = *self.references.get((state - self.base) as usize)?;
        (reference != NONE).then_some(reference)
    }

    /// Returns the memory of the table of references, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.references)
    }
}

/// Returns the target of the widest edge of a state of the grammar, given by its index among the grammar's states.
///
/// `None` if the state has fewer than [`WIDE`] bytes on edges of its own, or if two of its transitions share a byte.
/// Also `None` if the target has no byte edges. A state that is wide only by its calls is like the first state of a
/// rule of the vocabulary.
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
