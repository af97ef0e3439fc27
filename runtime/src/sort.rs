//! Sorts of numbers.
//!
//! Native builds have the sort of the standard library. Its code takes 1.2 KB of a packed module for each type. So modules
//! have a heapsort, of 200 bytes. It takes some times as long on lists of thousands that are not sorted yet.

/// Sorts a list in ascending order. O(n log n), and O(n) for a sorted list.
#[inline]
pub(crate) fn sort<T: Copy + Ord>(list: &mut [T]) {
    #[cfg(not(target_family = "wasm"))]
    list.sort_unstable();
    #[cfg(target_family = "wasm")]
    heap::sort(list);
}

/// Sorts a list in ascending order, and removes duplicates.
#[inline]
pub(crate) fn sort_and_dedup<T: Copy + Ord>(list: &mut Vec<T>) {
    sort(list);
    list.dedup();
}

#[cfg(any(test, target_family = "wasm"))]
mod heap {
    pub(super) fn sort<T: Copy + Ord>(list: &mut [T]) {
        if list.is_sorted() {
            return;
        }
        // First the heap, with the largest in front. Then the largest goes to the end, again and again.
        let length = list.len();
        for step in (0..length + length / 2).rev() {
            let (root, end) = match step.checked_sub(length) {
                Some(root) => (root, length),
                None => {
                    list.swap(0, step);
                    (0, step)
                }
            };
            sift(&mut list[..end], root);
        }
    }

    /// Moves an entry down to its place in the heap. The entries below it are a heap each.
    fn sift<T: Copy + Ord>(heap: &mut [T], mut root: usize) {
        loop {
            let first = root * 2 + 1;
            let Some(children) = heap.get(first..heap.len().min(first + 2)) else { return };
            let child = match *children {
                [one, other] if one < other => first + 1,
                [_, ..] => first,
                [] => return,
            };
            if heap[root] >= heap[child] {
                return;
            }
            heap.swap(root, child);
            root = child;
        }
    }

    #[cfg(test)]
    mod tests {
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn lists_are_sorted(mut list: Vec<u8>) {
                let mut expected = list.clone();
                expected.sort_unstable();
                super::sort(&mut list);
                prop_assert_eq!(list, expected);
            }
        }
    }
}
