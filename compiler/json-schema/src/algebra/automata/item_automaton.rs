//! The automaton over the items of an array.

use std::collections::{HashSet, VecDeque};

use rustc_hash::FxBuildHasher;

use crate::algebra::logic::formula::FormulaId;
use crate::read::schema::Bounds;

/// Most pairs of state and counts in a search. Beyond, it is unknown whether the counters can be kept.
const MOST_SEARCHED: usize = 1 << 18;

/// A state of the automaton.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ItemState {
    /// Edges: a formula over the next item, and the state after it.
    pub(crate) items: Vec<(FormulaId, u32)>,
    /// Whether the array may end.
    pub(crate) end: bool,
    /// The bounds on the number of items, if items lead back to this state and are counted by a repetition.
    pub(crate) repeat: Option<Bounds>,
    /// The counters that an item before this state increments, without the counter of all items; ascending.
    pub(crate) increments: Vec<u8>,
}

/// The automaton over items. It starts in state 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ItemAutomaton {
    /// The states.
    pub(crate) states: Vec<ItemState>,
    /// Whether the texts of items differ from each other.
    pub(crate) distinct: bool,
    /// The bounds of the counters. An accepting path must keep all of them.
    pub(crate) counters: Vec<Bounds>,
    /// Whether the first counter counts all items.
    pub(crate) counts_all: bool,
}

impl ItemAutomaton {
    /// The counters that an item before a state increments.
    pub(crate) fn increments(&self, state: u32) -> impl Iterator<Item = u8> + '_ {
        let all = self.counts_all.then_some(0);
        all.into_iter().chain(self.states[state as usize].increments.iter().copied())
    }

    /// Whether some accepting path over values that hold keeps all counters. `None` if the search is too long.
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
                    // Without a maximum, counts from the minimum on are equivalent.
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
