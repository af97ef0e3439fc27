//! The stored masks that the mask of a position is put together from: a union, some members of which are intersections without
//! what others have.
//!
//! All but the positions near the bound of a counter have masks of the union alone. The others are a few ids, behind their
//! numbers, in one list for all, so collecting them allocates nothing once the lists have grown.

/// Ids of stored masks, none of which is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct PartList {
    /// Masks of the union.
    alone: Vec<u32>,
    /// Other members of the union: for each the numbers of its masks that are met and that are left out, and their ids.
    cut: Vec<u32>,
}

impl PartList {
    /// Nothing again, with the room that there was.
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

    /// Adds the intersection of masks, of which there is at least one, without what others have.
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

    /// Leaves each mask of the union once, in ascending order.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if self.alone.len() > 1 {
            self.alone.sort_unstable();
            self.alone.dedup();
        }
    }

    /// Masks of the union, ascending once they are settled.
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

    /// Whether some members are more than a mask.
    #[inline]
    pub(crate) fn has_cut(&self) -> bool {
        !self.cut.is_empty()
    }

    /// The members that are more than a mask.
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

/// The intersection of some masks without what others have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CutPart<'m> {
    /// At least one mask.
    pub(crate) met: &'m [u32],
    /// Masks that are left out.
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
