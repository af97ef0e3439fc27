//! The parts of a mask: a union of stored masks and, near the bound of a counter, of intersections of masks minus others.
//!
//! All near-bound parts lie in one list, each as two counts and the ids of its masks. So collecting them allocates nothing
//! once the list has grown.

/// The parts of a mask, by the ids of stored masks. No id denotes an empty mask.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartList {
    /// Parts that are a single mask.
    single: Vec<u32>,
    /// Near-bound parts, each as the number of intersected masks, the number of subtracted masks, and their ids.
    near_bound: Vec<u32>,
}

impl PartList {
    /// Removes all parts and keeps the capacity.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.single.clear();
        if self.has_near_bound() {
            self.near_bound.clear();
        }
    }

    /// Adds a mask to the union.
    #[inline]
    pub(crate) fn push(&mut self, mask: u32) {
        self.single.push(mask);
    }

    /// Adds the intersection of at least one mask, minus the masks `subtracted`. One mask without subtracted ones becomes a
    /// single part.
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

    /// Sorts the single parts and removes duplicates.
    #[inline]
    pub(crate) fn sort(&mut self) {
        if self.single.len() > 1 {
            self.single.sort_unstable();
            self.single.dedup();
        }
    }

    /// Parts that are a single mask, ascending after [`sort`](Self::sort).
    #[inline]
    pub(crate) fn single(&self) -> &[u32] {
        &self.single
    }

    /// Number of parts.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.single.len() + if self.has_near_bound() { self.near_bound_len() } else { 0 }
    }

    #[cold]
    #[inline(never)]
    fn near_bound_len(&self) -> usize {
        self.near_bound().count()
    }

    /// Whether there are near-bound parts.
    #[inline]
    pub(crate) fn has_near_bound(&self) -> bool {
        !self.near_bound.is_empty()
    }

    /// The near-bound parts.
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

/// A near-bound part: the intersection of some masks minus others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NearBoundPart<'m> {
    /// The masks that are intersected, at least one.
    pub(crate) intersected: &'m [u32],
    /// The masks that are subtracted.
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
