//! The stored masks that make up the mask of a position: a union of masks and of *cut* members. A cut member is an intersection
//! of masks minus other masks.
//!
//! Only positions near the bound of a counter have cut members. All of these lie in one list, each as two counts and the mask
//! ids. So collecting them allocates nothing once the list has grown.

/// Ids of stored masks, none of which is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartList {
    /// Members of the union that are a single mask.
    alone: Vec<u32>,
    /// Cut members, each as the number of intersected masks, the number of subtracted masks, and their ids.
    cut: Vec<u32>,
}

impl PartList {
    /// Removes all members and keeps the capacity.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.alone.clear();
        if self.has_cut() {
            self.cut.clear();
        }
    }

    /// Adds a mask to the union.
    #[inline]
    pub(crate) fn push(&mut self, mask: u32) {
        self.alone.push(mask);
    }

    /// Adds the intersection of at least one mask, minus the masks `without`.
    pub(crate) fn push_cut(&mut self, met: impl Iterator<Item = u32>, without: &[u32]) {
        let place = self.cut.len();
        self.cut.extend([0, without.len() as u32]);
        for mask in met {
            if !self.cut[place + 2..].contains(&mask) {
                self.cut.push(mask);
            }
        }
        self.cut[place] = (self.cut.len() - place - 2) as u32;
        if self.cut[place..place + 2] == [1, 0] {
            self.alone.extend(self.cut.pop());
            self.cut.truncate(place);
        }
        self.cut.extend_from_slice(without);
    }

    /// Sorts the single masks and removes duplicates.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if self.alone.len() > 1 {
            self.alone.sort_unstable();
            self.alone.dedup();
        }
    }

    /// Members that are a single mask, ascending after [`settle`](Self::settle).
    #[inline]
    pub(crate) fn alone(&self) -> &[u32] {
        &self.alone
    }

    /// Number of members of the union.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.alone.len() + if self.has_cut() { self.cut_len() } else { 0 }
    }

    #[cold]
    #[inline(never)]
    fn cut_len(&self) -> usize {
        self.cut().count()
    }

    /// Whether there are cut members.
    #[inline]
    pub(crate) fn has_cut(&self) -> bool {
        !self.cut.is_empty()
    }

    /// The cut members.
    #[inline]
    pub(crate) fn cut(&self) -> impl Iterator<Item = CutPart<'_>> {
        let mut rest = &self.cut[..];
        std::iter::from_fn(move || {
            let (&[met, without], behind) = rest.split_first_chunk()?;
            let (met, behind) = behind.split_at(met as usize);
            let (without, behind) = behind.split_at(without as usize);
            rest = behind;
            Some(CutPart { met, without })
        })
    }
}

/// A cut member: the intersection of some masks minus others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutPart<'m> {
    /// The masks that are intersected, at least one.
    pub(crate) met: &'m [u32],
    /// The masks that are subtracted.
    pub(crate) without: &'m [u32],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intersection_of_one_mask_is_that_mask() {
        let mut list = PartList::default();
        list.push_cut([7, 7].into_iter(), &[]);
        list.push_cut([3, 5].into_iter(), &[]);
        list.push(2);
        list.push_cut([1].into_iter(), &[4, 6]);
        list.push(7);
        list.settle();
        assert_eq!(list.alone(), [2, 7]);
        let expected =
            [CutPart { met: &[3, 5], without: &[] }, CutPart { met: &[1], without: &[4, 6] }];
        assert!(list.cut().eq(expected));
        list.clear();
        assert!(list.alone().is_empty() && !list.has_cut());
    }
}
