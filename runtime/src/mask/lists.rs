//! Sparse masks as sorted token lists, merged without a row of bits.
//!
//! Cost: O(tokens · lists) for a pass over the tokens, and no memory.

use grammarc_artifacts::MaskPool;

/// Largest number of token lists that are merged. Nearly every position has fewer: a base mask, follow masks and end
/// tokens. A mask with more lists is read as a row of bits.
const MOST: usize = 8;

/// Sorted lists of tokens whose union is a mask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lists<'m> {
    lists: [&'m [u32]; MOST],
    count: usize,
    /// Ids of tokens that are left out of the union, ascending. Each is in some list.
    without: &'m [u32],
}

impl<'m> Lists<'m> {
    /// Returns the token lists of the stored masks `parts` and the lists `beside`, minus the tokens of `without`. All
    /// lists are sorted.
    ///
    /// Returns `None` if a mask has a dense row of bits, or if there are more than [`MOST`] lists or `limit` tokens.
    /// Reading the mask as a row is faster then.
    pub(crate) fn new(
        pool: &MaskPool<'m>,
        parts: &[u32],
        without: &'m [u32],
        beside: [&'m [u32]; 2],
        limit: usize,
    ) -> Option<Self> {
        let mut lists = Self { lists: [&[]; MOST], count: 0, without };
        let mut total = 0;
        let mut add = |list: &'m [u32]| {
            total += list.len();
            if !list.is_empty() {
                *lists.lists.get_mut(lists.count)? = list;
                lists.count += 1;
            }
            (total <= limit).then_some(())
        };
        for list in beside {
            add(list)?;
        }
        for &part in parts {
            let mask = pool.mask(part);
            if mask.row.is_some() {
                return None;
            }
            add(mask.plus)?;
        }
        Some(lists)
    }

    /// Returns the tokens of the union in ascending order, each once.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + use<'m> {
        let mut rest = *self;
        std::iter::from_fn(move || rest.next())
    }

    /// Removes and returns the least token that is not left out. `None` at the end of all lists.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u32> {
        loop {
            let least = self.take_least()?;
            match self.without.split_first() {
                Some((&first, rest)) if first == least => self.without = rest,
                _ => return Some(least),
            }
        }
    }

    /// Removes and returns the least token of all lists, including tokens that are to be left out.
    #[inline]
    fn take_least(&mut self) -> Option<u32> {
        let lists = &mut self.lists[..self.count];
        if let [list] = lists {
            let (&first, rest) = list.split_first()?;
            *list = rest;
            return Some(first);
        }
        let least = lists.iter().filter_map(|list| list.first()).min().copied()?;
        for list in lists {
            if let Some((&first, rest)) = list.split_first()
                && first == least
            {
                *list = rest;
            }
        }
        Some(least)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn merge_is_the_union_without_what_is_left_out(
            sets in prop::collection::vec(prop::collection::btree_set(0u32..60, 0..20), 0..=MOST),
            left_out in prop::collection::btree_set(0u32..60, 0..10),
        ) {
            let sorted: Vec<Vec<u32>> = sets.iter().map(|set| set.iter().copied().collect()).collect();
            let expected: BTreeSet<u32> = sets.iter().flatten().copied().collect();
            let without: Vec<u32> = left_out.intersection(&expected).copied().collect();
            let mut lists = Lists { lists: [&[]; MOST], count: sorted.len(), without: &without };
            for (place, list) in lists.lists.iter_mut().zip(&sorted) {
                *place = list;
            }
            let expected: Vec<u32> = expected.difference(&left_out).copied().collect();
            prop_assert_eq!(lists.iter().collect::<Vec<_>>(), expected);
        }
    }
}
