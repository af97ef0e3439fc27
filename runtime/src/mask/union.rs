//! The mask of a position, as references to stored masks.
//!
//! A [`Mask`] refers to the base mask of each configuration and the follow masks of its stack. It also has the tokens
//! that walks found, and the end tokens if the sequence may end. Near the bound of a counter, a part leaves out tokens
//! that would exceed the bound. Making a mask takes one table entry for each part, and copies no mask.
//!
//! | call | work |
//! | --- | --- |
//! | [`contains`](Mask::contains) | a bit and two binary searches for each part |
//! | [`len`](Mask::len) | a stored number for one part, otherwise as `iter` |
//! | [`iter`](Mask::iter), [`argmax`](Mask::argmax), [`sample`](Mask::sample) | the allowed tokens of a sparse mask, otherwise the row |
//! | [`fill`](Mask::fill), [`apply`](Mask::apply) | the row, once |
//! | [`log_mass`](Mask::log_mass) | the allowed or the forbidden tokens; without the row's log-sum-exp, both |
//!
//! No call allocates. Words are made in blocks on the stack, or read in place if the mask is one dense row.

use grammarc_artifacts::MaskPool;

use crate::apply::Kernels;
use crate::apply::logit::Logit;
use crate::apply::logit::sealed::Lane;
use crate::error::{BatchError, BufferError};
use crate::grammar::Grammar;
use crate::mask::lists::Lists;
use crate::mask::parts::{NearBoundPart, PartList};
use crate::mask::pool;

/// Number of words in a block: 4,096 tokens, whose `f32` logits fill half of a first-level cache. A longer row is read
/// in several blocks.
pub(crate) const BLOCK: usize = 128;

/// Number of words that are applied to logits at once. These 4 KiB stay in a first-level cache, and the ends of an
/// unaligned row cost little beside them. A longer row is processed in pieces.
const APPLIED: usize = 1024;

/// Smallest ratio of row length to allowed tokens at which a mask is read as token lists. A token of a list costs a
/// cache miss, a token of the row a fraction of a cycle. A denser mask is read as a row of bits.
const SPARSE: usize = 32;

/// Number of tokens in a mask word, one bit each.
pub(crate) const BITS: usize = u32::BITS as usize;

/// The tokens that a matcher allows next, borrowed from its grammar.
#[derive(Clone, Copy, Debug)]
pub struct Mask<'m> {
    /// Grammar whose pool holds the stored masks.
    pub(crate) grammar: &'m Grammar,
    /// Stored masks of the union, sorted by [`PartList::sort`]. None is empty.
    pub(crate) parts: &'m PartList,
    /// Ids of tokens that are in a stored mask but not allowed, ascending. None is in `unstored` or `ends`.
    pub(crate) excluded: &'m [u32],
    /// Ids of tokens that are allowed but in no stored mask, ascending. A walk found them for this position.
    pub(crate) unstored: &'m [u32],
    /// Ids of the end tokens, ascending. Empty if the sequence may not end.
    pub(crate) ends: &'m [u32],
    /// Length of the host's logit row, in tokens.
    pub(crate) width: u32,
}

impl<'m> Mask<'m> {
    /// Returns the number of stored masks in the union. Near the bound of a counter, an intersection of masks minus
    /// others counts as one.
    #[inline]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Returns the ids of the stored masks whose union is this mask, ascending. `None` if the mask is no such union:
    /// near the bound of a counter, or with tokens that are excluded or allowed one by one. If
    /// [`has_ends`](Self::has_ends) is true, the end tokens are allowed besides these masks.
    pub fn stored_parts(&self) -> Option<&'m [u32]> {
        let are_all =
            self.excluded.is_empty() && self.unstored.is_empty() && !self.parts.has_near_bound();
        are_all.then_some(self.parts.single())
    }

    /// Whether the sequence may end here, so that the end tokens are allowed.
    pub fn has_ends(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Returns the length of the host's logit row, in tokens.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Whether a token is allowed. To test many tokens, [`fill`](Self::fill) a bitmask once and test its bits.
    pub fn contains(&self, token: u32) -> bool {
        self.contains_in(&self.pool(), token)
    }

    /// Whether a token is allowed, as [`contains`](Self::contains) does. `pool` is that of the mask.
    pub(crate) fn contains_in(&self, pool: &MaskPool<'_>, token: u32) -> bool {
        let has = |&part: &u32| pool::contains(pool.mask(part), token);
        let is_in = |part: NearBoundPart<'_>| {
            part.intersected.iter().all(has) && !part.subtracted.iter().any(has)
        };
        (self.parts.single().iter().any(has) || self.parts.near_bound().any(is_in))
            && self.excluded.binary_search(&token).is_err()
            || self.unstored.binary_search(&token).is_ok()
            || self.ends.binary_search(&token).is_ok()
    }

    /// Whether no token is allowed. An unfinished sequence always allows one.
    pub fn is_empty(&self) -> bool {
        let parts = || match self.excluded.is_empty() && !self.parts.has_near_bound() {
            true => self.parts.single().is_empty(),
            false => self.len() == 0,
        };
        self.unstored.is_empty() && self.ends.is_empty() && parts()
    }

    /// Returns the number of allowed tokens.
    pub fn len(&self) -> usize {
        let pool = self.pool();
        match (self.parts.single(), self.parts.has_near_bound(), self.unstored) {
            ([], false, []) => self.ends.len(),
            (&[part], false, []) => {
                let part = pool.mask(part);
                let more = |&&end: &&u32| !pool::contains(part, end);
                let own = part.count as usize - self.excluded.len();
                own + self.ends.iter().filter(more).count()
            }
            _ => {
                if let Some(lists) = self.lists(&pool) {
                    return lists.iter().count();
                }
                let mut total = 0;
                let mut block = [0; BLOCK];
                for first in (0..self.words()).step_by(BLOCK) {
                    self.window(&pool, first, &mut block);
                    total += block.iter().map(|word| word.count_ones() as usize).sum::<usize>();
                }
                total
            }
        }
    }

    /// Whether some token of the logit row is forbidden. If not, a host need not apply the mask.
    ///
    /// Nearly always decided by a sum of stored counts. If the parts overlap and might allow all tokens together, the
    /// cost is that of [`len`](Self::len).
    pub fn restricts(&self) -> bool {
        let pool = self.pool();
        let count = |&part: &u32| u64::from(pool.mask(part).count);
        let least = |part: NearBoundPart<'_>| part.intersected.iter().map(count).min();
        let near_bound = self.parts.near_bound().filter_map(least);
        let parts = self.parts.single().iter().map(count).chain(near_bound);
        let most = parts.sum::<u64>() + (self.unstored.len() + self.ends.len()) as u64;
        most < u64::from(self.width) || self.len() < self.width as usize
    }

    /// Returns the allowed tokens in ascending order.
    pub fn iter(&self) -> Tokens<'m> {
        let pool = self.pool();
        let lists = self.lists(&pool);
        Tokens { mask: *self, pool, lists, block: [0; BLOCK], first: 0, at: 0, loaded: false }
    }

    /// Returns the only allowed token. `None` if several tokens or none are allowed.
    pub fn only(&self) -> Option<u32> {
        let pool = self.pool();
        let Some(parts) = self.stored_parts() else {
            let mut tokens = self.iter();
            return tokens.next().filter(|_| tokens.next().is_none());
        };
        let parts = parts.iter().map(|&part| {
            let part = pool.mask(part);
            if part.count == 1 { pool::least(part) } else { None }
        });
        let mut candidates = parts.chain(self.ends.iter().copied().map(Some));
        let first = candidates.next()??;
        candidates.all(|other| other == Some(first)).then_some(first)
    }

    /// Writes the mask as bits: token `t` is bit `t % 32` of word `t / 32`. All words of the buffer are written. Bits
    /// past the logit width become zero.
    ///
    /// # Errors
    ///
    /// The buffer holds fewer words than the logit width needs.
    pub fn fill(&self, words: &mut [u32]) -> Result<(), BufferError> {
        check_words(self.width, words.len())?;
        self.write(words);
        Ok(())
    }

    /// Writes the mask as [`fill`](Self::fill) does, to a buffer that is long enough.
    pub(crate) fn write(&self, words: &mut [u32]) {
        self.window(&self.pool(), 0, words);
    }

    /// Sets the logits of all forbidden tokens to negative infinity, NaN included. The logits of allowed tokens keep
    /// their bits.
    ///
    /// The row has `f32` logits or logits of 16 bits (see [`Logit`]), and the logit width. It need not be aligned.
    /// Costs one pass of stores, without those of words whose tokens are all allowed.
    ///
    /// # Errors
    ///
    /// The row does not have the logit width.
    pub fn apply<L: Logit>(&self, logits: &mut [L]) -> Result<(), BufferError> {
        self.check_row(logits.len())?;
        self.write_over(logits);
        Ok(())
    }

    /// Applies the mask as [`apply`](Self::apply) does, to a row that has the logit width.
    pub(crate) fn write_over<L: Logit>(&self, logits: &mut [L]) {
        let pool = self.pool();
        let kernels = Kernels::fastest();
        let mut block = [0; APPLIED];
        for (at, logits) in L::lanes_mut(logits).chunks_mut(APPLIED * BITS).enumerate() {
            let words = &mut block[..logits.len().div_ceil(BITS)];
            L::Lane::apply(kernels, self.words_at(&pool, at * APPLIED, words), logits);
        }
    }

    /// Checks that a row of `found` logits has the logit width. Returns an error if not.
    pub(crate) fn check_row(&self, found: usize) -> Result<(), BufferError> {
        let needed = self.width as usize;
        let fits = found == needed;
        fits.then_some(()).ok_or(BufferError { unit: "logits", found, needed })
    }

    /// Returns the stored masks of the grammar and its vocabulary.
    #[inline]
    pub(crate) fn pool(&self) -> MaskPool<'m> {
        self.grammar.pool()
    }

    /// Returns the mask as token lists. `None` if the mask is not sparse: more than one token in [`SPARSE`] of the row
    /// is allowed, or the mask has near-bound parts or dense rows.
    pub(crate) fn lists(&self, pool: &MaskPool<'m>) -> Option<Lists<'m>> {
        let limit = self.width as usize / SPARSE;
        if self.parts.has_near_bound() {
            return None;
        }
        Lists::new(pool, self.parts.single(), self.excluded, [self.unstored, self.ends], limit)
    }

    /// Returns the number of mask words that the logit width needs.
    fn words(&self) -> usize {
        (self.width as usize).div_ceil(BITS)
    }

    /// Returns the words of the mask from word `first` on, as many as `room` has. Reads them in place if the mask is
    /// one dense row, otherwise writes them to `room`.
    pub(crate) fn words_at<'w>(
        &self,
        pool: &MaskPool<'m>,
        first: usize,
        room: &'w mut [u32],
    ) -> &'w [u32]
    where
        'm: 'w,
    {
        if let (Some(&[part]), []) = (self.stored_parts(), self.ends)
            && let Some(row) = pool::plain_row(pool.mask(part))
            && let Some(words) = row.get(first..first + room.len())
        {
            return words;
        }
        self.window(pool, first, room);
        room
    }

    /// Writes the words of the mask from word `first` on to `window`.
    fn window(&self, pool: &MaskPool<'_>, first: usize, window: &mut [u32]) {
        match self.parts.single().split_first() {
            Some((&part, others)) => {
                pool::write_into(pool.mask(part), first, window);
                for &part in others {
                    pool::or_into(pool.mask(part), first, window);
                }
            }
            None => window.fill(0),
        }
        if self.parts.has_near_bound() {
            self.add_near_bound(pool, first, window);
        }
        pool::clear(self.excluded, first, window);
        pool::set(self.unstored, first, window);
        pool::set(self.ends, first, window);
    }
}

impl Mask<'_> {
    /// Adds the tokens of the near-bound parts to `window`, which begins at word `first`.
    #[cold]
    #[inline(never)]
    fn add_near_bound(&self, pool: &MaskPool<'_>, first: usize, window: &mut [u32]) {
        for NearBoundPart { intersected, subtracted } in self.parts.near_bound() {
            let mask = |&part: &u32| pool.mask(part);
            let [intersected, subtracted] =
                [intersected, subtracted].map(|ids| ids.iter().map(mask));
            pool::or_difference_into(intersected, subtracted, first, window);
        }
    }
}

/// Checks that a buffer of `found` words has room for a mask of `width` tokens. Returns an error if not.
pub(crate) fn check_words(width: u32, found: usize) -> Result<(), BufferError> {
    let needed = (width as usize).div_ceil(BITS);
    let fits = found >= needed;
    fits.then_some(()).ok_or(BufferError { unit: "words", found, needed })
}

/// Checks that an array of `len` words is a whole number of rows of `row_words`, at least `needed`, and that a row has room for
/// a mask of `width` tokens. Returns an error if not.
pub(crate) fn check_rows(
    width: u32,
    len: usize,
    row_words: usize,
    needed: usize,
) -> Result<(), BatchError> {
    let rows = len.checked_div(row_words).unwrap_or(0);
    if rows * row_words != len {
        return Err(BatchError::Length { len, row_len: row_words });
    }
    if rows < needed {
        return Err(BatchError::Row { row: needed - 1, rows });
    }
    check_words(width, row_words).map_err(|source| BatchError::Buffer { row: 0, source })
}

impl<'m> IntoIterator for Mask<'m> {
    type Item = u32;
    type IntoIter = Tokens<'m>;

    fn into_iter(self) -> Tokens<'m> {
        self.iter()
    }
}

impl<'m> IntoIterator for &Mask<'m> {
    type Item = u32;
    type IntoIter = Tokens<'m>;

    fn into_iter(self) -> Tokens<'m> {
        self.iter()
    }
}

/// The tokens of a mask in ascending order, returned by [`Mask::iter`].
#[derive(Clone, Debug)]
pub struct Tokens<'m> {
    mask: Mask<'m>,
    pool: MaskPool<'m>,
    /// Token lists of a sparse mask. `None` for other masks, which are read in blocks.
    lists: Option<Lists<'m>>,
    block: [u32; BLOCK],
    /// Index in the row of the block's first word.
    first: usize,
    /// Index in the block of the word whose bits come next. The bits of returned tokens are cleared.
    at: usize,
    /// Whether the block holds words from `first` on that were not all read.
    loaded: bool,
}

impl Iterator for Tokens<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if let Some(lists) = &mut self.lists {
            return lists.next();
        }
        loop {
            if !self.loaded {
                if self.first >= self.mask.words() {
                    return None;
                }
                self.mask.window(&self.pool, self.first, &mut self.block);
                self.at = 0;
                self.loaded = true;
            }
            while let Some(word) = self.block.get_mut(self.at) {
                if *word != 0 {
                    let bit = word.trailing_zeros();
                    *word &= *word - 1;
                    return Some((self.first + self.at) as u32 * u32::BITS + bit);
                }
                self.at += 1;
            }
            self.first += BLOCK;
            self.loaded = false;
        }
    }
}
