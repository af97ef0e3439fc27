//! A mask and a row of logits, read side by side: as token lists if the mask is sparse, otherwise in blocks of words.

use grammarc_artifacts::MaskPool;

use super::kernels::Kernels;
use super::logit::sealed::Lane;
use crate::mask::lists::Lists;
use crate::mask::union::{BITS, BLOCK, Mask};

/// A mask together with the row of logits to which it belongs.
pub(super) struct Row<'r, 'm, L> {
    mask: &'r Mask<'m>,
    pool: &'r MaskPool<'m>,
    /// Token lists of a sparse mask. `None` for other masks, which are read in blocks.
    pub(super) lists: Option<Lists<'m>>,
    pub(super) logits: &'r [L],
}

impl<'r, 'm, L: Lane> Row<'r, 'm, L> {
    pub(super) fn new(mask: &'r Mask<'m>, pool: &'r MaskPool<'m>, logits: &'r [L]) -> Self {
        let lists = mask.lists(pool);
        Self { mask, pool, lists, logits }
    }

    /// Returns the fastest set of kernels. Not a field, so that a module without other sets knows the kernels when it is
    /// linked.
    #[inline(always)]
    pub(super) fn kernels(&self) -> &'static Kernels {
        Kernels::fastest()
    }

    /// Returns the allowed tokens of a sparse mask with their logits, ascending by token.
    pub(super) fn listed(&self, lists: Lists<'m>) -> impl Iterator<Item = (u32, f32)> {
        lists.iter().filter_map(|token| Some((token, self.logits.get(token as usize)?.value())))
    }

    /// Calls `show` with each block of mask words, its logits and the index of its first word in the row. Stops at the
    /// first result that is not `None`, and returns it.
    pub(super) fn blocks<T>(
        &self,
        mut show: impl FnMut(&[u32], &[L], usize) -> Option<T>,
    ) -> Option<T> {
        let mut block = [0; BLOCK];
        self.logits.chunks(BLOCK * BITS).enumerate().find_map(|(at, logits)| {
            let words = &mut block[..logits.len().div_ceil(BITS)];
            let words = self.mask.words_at(self.pool, at * BLOCK, words);
            show(words, logits, at * BLOCK)
        })
    }
}
