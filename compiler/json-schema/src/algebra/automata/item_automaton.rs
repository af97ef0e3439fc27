//! The automaton over the items of an array, as data.

use std::collections::{HashSet, VecDeque};

use rustc_hash::FxBuildHasher;

use crate::algebra::logic::formula::FormulaId;
use crate::read::schema::Bounds;

/// Most pairs of a state and the values of all counters that a search visits. Beyond, it is unknown whether some array
/// satisfies the counters.
const MOST_SEARCHED: usize = 1 << 18;

/// A state of an automaton over the items of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ItemState {
    /// The edges: each has a formula that the next item satisfies, and the number of the state after that item.
    pub(crate) items: Vec<(FormulaId, u32)>,
    /// Whether the array may end in this state.
    pub(crate) end: bool,
    /// The bounds on the number of items that the loop at this state reads. `None` for a state without counted loop.
    /// `Some` only if every edge leads back to the state itself.
    pub(crate) repeat: Option<Bounds>,
    /// Numbers of the counters that are incremented on arrival at this state, after an item; ascending. The counter of
    /// all items is not among them.
    pub(crate) increments: Vec<u8>,
}

/// A finite automaton over the items of an array. It starts in state 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ItemAutomaton {
    /// The states; edges name them by index.
    pub(crate) states: Vec<ItemState>,
    /// Whether no two items of an array may have the same text.
    pub(crate) distinct: bool,
    /// The bounds of each counter. At the end of an array each count must be within its bounds.
    pub(crate) counters: Vec<Bounds>,
    /// Whether counter 0 counts all items of the array.
    pub(crate) counts_all: bool,
}

impl ItemAutomaton {
    /// Returns the numbers of the counters that are incremented on arrival at `state`, including the counter of all
    /// items.
    pub(crate) fn increments(&self, state: u32) -> impl Iterator<Item = u8> + '_ {
        let all = self.counts_all.then_some(0);
        all.into_iter().chain(self.states[state as usize].increments.iter().copied())
    }

    /// Returns whether some accepted array satisfies all counters. Edges whose formula no value satisfies are not used;
    /// `holds` decides this. Returns `None` if the search exceeds [`MOST_SEARCHED`].
    pub(crate) fn keeps_counters(&self, holds: &impl Fn(FormulaId) -> bool) -> Option<bool> {
        let zero = vec![0u32; self.counters.len()];
        let mut met: HashSet<(u32, Vec<u32>), FxBuildHasher> = HashSet::default();
        let mut open = VecDeque::from([(0u32, zero)]);
        while let Some((state, counts)) = open.pop_front() {
            let record = &self.states[state as usize];
            let enough =
                self.counters.iter().zip(&counts).all(|(bounds, count)| *count >= bounds.min);
            let ends = record.end && record.repeat.is_none_or(|bounds| bounds.min == 0);
            if enough && ends {
                return Some(true);
            }
            for &(_, to) in record.items.iter().filter(|&&(value, _)| holds(value)) {
                let mut next = counts.clone();
                let kept = self.increments(to).all(|counter| {
                    let Bounds { min, max } = self.counters[usize::from(counter)];
                    let count = &mut next[usize::from(counter)];
                    let goes = max.is_none_or(|max| *count < max);
                    // Without a maximum, all counts from the minimum upward are equivalent.
                    *count = if max.is_none() { (*count + 1).min(min) } else { *count + 1 };
                    goes
                });
                if kept && met.insert((to, next.clone())) {
                    open.push_back((to, next));
                }
            }
            if met.len() > MOST_SEARCHED {
                return None;
            }
        }
        Some(false)
    }
}
