//! A set of values that keeps the order in which values are inserted.
//!
//! Most sets, such as the operands of a formula and the keys of an object, have a handful of
//! values, which comparing finds faster than hashing. Larger sets have a hash set beside the list.
//! Inserting a value takes O(1).

use std::hash::Hash;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// The most values of a set that is searched value by value. A larger set is searched by hash,
/// which is then faster.
const FEW: usize = 16;

/// A set of values in the order of insertion.
#[derive(Debug)]
pub struct InsertionSet<T> {
    /// The values, each once, in the order of insertion.
    pub order: SmallVec<[T; 4]>,
    /// The same values for look-ups, if there are more than [`FEW`]. Empty otherwise.
    seen: FxHashSet<T>,
}

impl<T> Default for InsertionSet<T> {
    fn default() -> Self {
        Self { order: SmallVec::new(), seen: FxHashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> InsertionSet<T> {
    /// Removes all values from the set.
    pub fn clear(&mut self) {
        self.order.clear();
        self.seen.clear();
    }

    /// Whether the set contains a value.
    pub fn contains(&self, value: T) -> bool {
        match self.order.len() {
            ..=FEW => self.order.contains(&value),
            _ => self.seen.contains(&value),
        }
    }

    /// Inserts a value. Returns whether the value is new.
    pub fn insert(&mut self, value: T) -> bool {
        if self.contains(value) {
            return false;
        }
        self.order.push(value);
        match self.order.len() {
            ..=FEW => {}
            len if len == FEW + 1 => self.seen.extend(&self.order),
            _ => _ = self.seen.insert(value),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_are_kept_once(lists in prop::collection::vec(prop::collection::vec(0u32..40, 0..60), 1..4)) {
            let mut distinct = InsertionSet::default();
            for list in lists {
                distinct.clear();
                let mut order: Vec<u32> = Vec::new();
                for value in list {
                    let new = !order.contains(&value);
                    order.extend(new.then_some(value));
                    prop_assert_eq!(distinct.insert(value), new);
                }
                prop_assert_eq!(&distinct.order[..], &order[..]);
                (0..40).for_each(|value| assert_eq!(distinct.contains(value), order.contains(&value)));
            }
        }
    }
}
