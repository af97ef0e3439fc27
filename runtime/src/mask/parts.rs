//! The parts of a mask: stored masks, and near-bound parts. A near-bound part is an intersection of stored masks minus
//! others, for a counter near its bound.
//!
//! All near-bound parts lie in one vector, each as two counts followed by the ids of its masks. So collecting them
//! allocates nothing once the vector has grown.

use crate::sort::sort_and_dedup;

/// The parts of a mask, by the ids of stored masks. The mask is their union. Empty masks are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartList {
    /// Ids of the stored masks that are parts by themselves.
    single: Vec<u32>,
    /// Near-bound parts. Each is the number of intersected masks, the number of subtracted masks, and the ids of both.
    near_bound: Vec<u32>,
}

impl PartList {
    /// Removes all parts from the list. The capacity stays.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.single.clear();
        if self.has_near_bound() {
            self.near_bound.clear();
        }
    }

    /// Adds the stored mask with this id to the union.
    #[inline]
    pub(crate) fn push(&mut self, mask: u32) {
        self.single.push(mask);
    }

    /// Adds to the union the intersection of at least one stored mask, minus the masks `subtracted`. A part of one mask
    /// without subtracted masks is stored as a single mask.
    pub(crate) fn push_near_bound(
        &mut self,
        intersected: impl Iterator<Item = u32>,
        subtracted: &[u32],
    ) {
        let place = self.near_bound.len();
        self.near_bound.extend([0, subtracted.len() as u32]);
        for mask in intersected {
            if !self.near_bound[place + 2..].contains(&mask) {
                self.near_bound.push(mask);
            }
        }
        self.near_bound[place] = (self.near_bound.len() - place - 2) as u32;
        if self.near_bound[place..place + 2] == [1, 0] {
            self.single.extend(self.near_bound.pop());
            self.near_bound.truncate(place);
        }
        self.near_bound.extend_from_slice(subtracted);
    }

    /// Sorts the ids of single masks and removes duplicates. Near-bound parts keep their order.
    #[inline]
    pub(crate) fn sort(&mut self) {
        if self.single.len() > 1 {
            sort_and_dedup(&mut self.single);
        }
    }

    /// Returns the ids of the stored masks that are parts by themselves. Ascending after [`sort`](Self::sort).
    #[inline]
    pub(crate) fn single(&self) -> &[u32] {
        &self.single
    }

    /// Returns the number of parts. A near-bound part counts as one.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.single.len() + if self.has_near_bound() { self.near_bound_len() } else { 0 }
    }

    #[cold]
    #[inline(never)]
    fn near_bound_len(&self) -> usize {
        self.near_bound().count()
    }

    /// Whether the mask has near-bound parts.
    #[inline]
    pub(crate) fn has_near_bound(&self) -> bool {
        !self.near_bound.is_empty()
    }

    /// Returns the near-bound parts, in the order in which they were added.
    #[inline]
    pub(crate) fn near_bound(&self) -> impl Iterator<Item = NearBoundPart<'_>> {
        let mut rest = &self.near_bound[..];
        std::iter::from_fn(move || {
            let (&[intersected, subtracted], behind) = rest.split_first_chunk()?;
            let (intersected, behind) = behind.split_at(intersected as usize);
            let (subtracted, behind) = behind.split_at(subtracted as usize);
            rest = behind;
            Some(NearBoundPart { intersected, subtracted })
        })
    }
}

/// A part of a mask near the bound of a counter: the intersection of some stored masks, minus others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NearBoundPart<'m> {
    /// Ids of the stored masks that are intersected, at least one.
    pub(crate) intersected: &'m [u32],
    /// Ids of the stored masks that are subtracted from the intersection.
    pub(crate) subtracted: &'m [u32],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intersection_of_one_mask_is_that_mask() {
        let mut list = PartList::default();
        list.push_near_bound([7, 7].into_iter(), &[]);
        list.push_near_bound([3, 5].into_iter(), &[]);
        list.push(2);
        list.push_near_bound([1].into_iter(), &[4, 6]);
        list.push(7);
        list.sort();
        assert_eq!(list.single(), [2, 7]);
        let expected = [
            NearBoundPart { intersected: &[3, 5], subtracted: &[] },
            NearBoundPart { intersected: &[1], subtracted: &[4, 6] },
        ];
        assert!(list.near_bound().eq(expected));
        list.clear();
        assert!(list.single().is_empty() && !list.has_near_bound());
    }
}
