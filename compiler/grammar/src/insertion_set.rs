//! A set of values that keeps the order of insertion.
//!
//! Operands of a formula and keys of an object are mostly a handful: comparing finds them faster than hashing. Larger
//! sets have a hash set beside the list. Adding a value takes O(1).

use std::hash::Hash;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Values up to which they are compared one by one.
const FEW: usize = 16;

/// Values in the order in which they came, without repetition.
#[derive(Debug)]
pub struct InsertionSet<T> {
    /// The values.
    pub order: SmallVec<[T; 4]>,
    /// All values, if there are more than a few.
    seen: FxHashSet<T>,
}

impl<T> Default for InsertionSet<T> {
    fn default() -> Self {
        Self { order: SmallVec::new(), seen: FxHashSet::default() }
    }
}

impl<T: Copy + Eq + Hash> InsertionSet<T> {
    /// Forgets them all.
    pub fn clear(&mut self) {
        self.order.clear();
        self.seen.clear();
    }

    /// Whether the value is one of them.
    pub fn contains(&self, value: T) -> bool {
        match self.order.len() {
            ..=FEW => self.order.contains(&value),
            _ => self.seen.contains(&value),
        }
    }

    /// Adds a value; whether it is new.
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
