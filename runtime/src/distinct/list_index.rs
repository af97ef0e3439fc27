//! An index from a list of items to its id: a hash table with chains.
//!
//! A chain has its lists from the last to the first. Lists are removed in the reverse order of their addition. So the list
//! that is removed is the first of its chain.
//!
//! Cost: O(1) expected for a call, and 8 to 12 bytes for a list.

/// Least number of chains.
const FIRST: usize = 16;

/// End of a chain: the id of the empty list, which has no chain.
const END: u32 = 0;

/// The chains of all lists but the empty one. The caller has the lists, and gives their hashes.
#[derive(Clone, Debug, Default)]
pub(super) struct ListIndex {
    /// For each chain, the id of its first list. The number of chains is zero or a power of two.
    heads: Vec<u32>,
    /// For each list, the id of the next list in its chain.
    next: Vec<u32>,
}

impl ListIndex {
    /// Returns the id of the list with this hash that `is_same` recognizes. `None` if it has not been added.
    pub(super) fn find(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        let mut id = self.heads.get(self.chain(hash)).copied().unwrap_or(END);
        while id != END && !is_same(id) {
            id = self.next[id as usize];
        }
        (id != END).then_some(id)
    }

    /// Adds the last of `count` lists. The lists before it have been added. `hash` returns the hash of a list.
    pub(super) fn add_last(&mut self, count: usize, hash: impl Fn(u32) -> u64) {
        if count > self.heads.len() {
            self.heads.clear();
            self.heads.resize((count * 2).next_power_of_two().max(FIRST), END);
            self.next.clear();
        }
        for id in self.next.len() as u32..count as u32 {
            let chain = self.chain(hash(id));
            let next = if id == END { END } else { std::mem::replace(&mut self.heads[chain], id) };
            self.next.push(next);
        }
    }

    /// Removes the list that was added last.
    pub(super) fn remove_last(&mut self, hash: u64) {
        let chain = self.chain(hash);
        self.heads[chain] = self.next.pop().unwrap_or(END);
    }

    fn chain(&self, hash: u64) -> usize {
        hash as usize & self.heads.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::ListIndex;

    proptest! {
        /// Equal lists have one id, also after others were removed.
        #[test]
        fn ids_are_those_of_equal_lists(steps in prop::collection::vec((0u64..60, 0u32..8), 0..300)) {
            let (mut lists, mut index) = (vec![u64::MAX], ListIndex::default());
            for (list, removes) in steps {
                // Few hashes, so that chains have several lists.
                let hash = |list: u64| list / 3;
                if removes == 0 {
                    for list in lists.drain(lists.len().div_ceil(2)..).rev() {
                        index.remove_last(hash(list));
                    }
                }
                let expected = lists.iter().position(|&old| old == list).map(|at| at as u32);
                prop_assert_eq!(index.find(hash(list), |id| lists[id as usize] == list), expected);
                if expected.is_none() {
                    lists.push(list);
                    index.add_last(lists.len(), |id| hash(lists[id as usize]));
                }
            }
        }
    }
}
