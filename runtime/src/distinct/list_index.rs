//! An index from a list of items to its id: a hash table with chains.
//!
//! A chain has its lists from the last to the first. Lists are removed in the reverse order of their addition. So the list
//! that is removed is the first of its chain.
//!
//! Cost: O(1) expected for a call, and 8 to 12 bytes for a list.

use super::items::{EMPTY, List};
use crate::position::mix;

/// Least number of chains.
const FIRST: usize = 16;

/// The chains of all lists but the empty one, whose id ends a chain.
#[derive(Clone, Debug, Default)]
pub(super) struct ListIndex {
    /// For each chain, the id of its first list. The number of chains is zero or a power of two.
    heads: Vec<u32>,
    /// For each list, the id of the next list in its chain.
    next: Vec<u32>,
}

impl ListIndex {
    /// Returns the id of a list among `lists`. `None` if it has not been added.
    pub(super) fn find(&self, lists: &[List], list: &List) -> Option<u32> {
        let mut id = self.heads.get(self.chain(list)).copied().unwrap_or(EMPTY);
        while id != EMPTY {
            if lists[id as usize] == *list {
                return Some(id);
            }
            id = self.next[id as usize];
        }
        None
    }

    /// Adds the last of `lists`. The lists before it have been added.
    pub(super) fn add_last(&mut self, lists: &[List]) {
        if lists.len() > self.heads.len() {
            self.heads.clear();
            self.heads.resize((lists.len() * 2).next_power_of_two().max(FIRST), EMPTY);
            self.next.clear();
        }
        for id in self.next.len()..lists.len() {
            let head = if id == EMPTY as usize { None } else { Some(self.chain(&lists[id])) };
            let next = head.map(|head| std::mem::replace(&mut self.heads[head], id as u32));
            self.next.push(next.unwrap_or(EMPTY));
        }
    }

    /// Removes the list that was added last.
    pub(super) fn remove_last(&mut self, list: &List) {
        let next = self.next.pop().unwrap_or(EMPTY);
        let chain = self.chain(list);
        self.heads[chain] = next;
    }

    fn chain(&self, list: &List) -> usize {
        mix([list.before, list.start, list.end]) as usize & self.heads.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::items::Items;

    proptest! {
        /// Equal lists have one id, also after others were forgotten.
        #[test]
        fn ids_are_those_of_equal_lists(steps in prop::collection::vec((0u32..40, 0u32..6, 0u32..8), 0..300)) {
            let mut items = Items::new();
            let mut known: Vec<(u32, u32)> = vec![(0, 0)];
            for (before, end, forget) in steps {
                if forget == 0 {
                    let kept = known.len().div_ceil(2);
                    items.forget(kept);
                    known.truncate(kept);
                }
                let pair = (before % known.len() as u32, end);
                let expected = known.iter().skip(1).position(|old| *old == pair).map(|at| at + 1);
                let id = items.intern(pair.0, 0, pair.1) as usize;
                prop_assert_eq!(id, expected.unwrap_or(known.len()));
                if expected.is_none() {
                    known.push(pair);
                }
            }
        }
    }
}
