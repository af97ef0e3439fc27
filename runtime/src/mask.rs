//! Masks of a position, as references to stored parts.
//!
//! A [`Mask`] is a short list of masks of the pool, the base mask of each configuration and the follow masks of its
//! stack, and the end tokens where the sequence may end. Tokens that would go beyond the bound of a counter are left out
//! of parts. Making it reads one table entry for each of them and copies no mask. Each later question has a cost of its own:
//!
//! | call | work |
//! | --- | --- |
//! | [`contains`](Mask::contains) | a bit and two binary searches for each part |
//! | [`len`](Mask::len) | a stored number for one part, else as `iter` |
//! | [`iter`](Mask::iter), [`argmax`](Mask::argmax), [`sample`](Mask::sample) | the allowed tokens where they are few, else the row |
//! | [`fill`](Mask::fill), [`apply`](Mask::apply) | the row, once |
//!
//! Functions that need words besides `fill` make them in blocks on the stack, or take them where one dense row has
//! them, so nothing is allocated.

use grammarc_artifacts::MaskPool;

use crate::error::BufferError;
use crate::grammar::Grammar;
use crate::lists::Lists;
use crate::logit::Logit;
use crate::logit::sealed::Lane;
use crate::parts::{CutPart, PartList};
use crate::{apply, pool};

/// Words of a block: 4,096 tokens, whose logits fill half of a first-level cache.
pub(crate) const BLOCK: usize = 128;

/// Words that are applied to logits at once: few enough to stay in a first-level cache, and enough for the ends of a
/// row that is not aligned not to matter.
const APPLIED: usize = 1024;

/// A mask is sparse where it has at most one token in this many of the row: a token of a list costs a cache miss, and
/// one of the row a fraction of a cycle.
const SPARSE: usize = 32;

/// Bits of a mask word.
pub(crate) const BITS: usize = u32::BITS as usize;

/// The tokens that a matcher allows next, borrowed from its grammar.
#[derive(Clone, Copy, Debug)]
pub struct Mask<'m> {
    grammar: &'m Grammar,
    /// Masks that are not empty, some of them cut.
    parts: &'m PartList,
    /// Sorted tokens that the parts have and that are not allowed; none is an end token where the sequence may end.
    excluded: &'m [u32],
    /// Sorted tokens that are allowed besides: those of a catalogue, found for this mask.
    listed: &'m [u32],
    /// Sorted end tokens where the sequence may end, else empty.
    ends: &'m [u32],
    width: u32,
}

impl<'m> Mask<'m> {
    /// The union of parts without what is excluded, of listed tokens, and of end tokens. `parts` are settled, the others
    /// are sorted, `excluded` is a subset of the union of parts and has none of `listed` and `ends`.
    #[inline]
    pub(crate) fn new(
        grammar: &'m Grammar,
        parts: &'m PartList,
        excluded: &'m [u32],
        listed: &'m [u32],
        ends: &'m [u32],
        width: u32,
    ) -> Self {
        Self { grammar, parts, excluded, listed, ends, width }
    }

    /// Number of stored masks whose union this is; near the bound of a counter, of intersections of some without others.
    #[inline]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Ids of the parts, where each is a stored mask and nothing is excluded or listed.
    pub(crate) fn parts_alone(&self) -> Option<&'m [u32]> {
        let are_all = self.excluded.is_empty() && self.listed.is_empty() && !self.parts.has_cut();
        are_all.then_some(self.parts.alone())
    }

    /// Whether the end tokens are allowed since the sequence may end here.
    pub fn has_ends(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Number of tokens it speaks of: the host's logit width.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Whether a token is allowed. To ask for many tokens, [`fill`](Self::fill) words once and test their bits.
    pub fn contains(&self, token: u32) -> bool {
        let pool = self.pool();
        let has = |&part: &u32| pool::contains(pool.mask(part), token);
        let is_in = |cut: CutPart<'_>| cut.met.iter().all(has) && !cut.without.iter().any(has);
        (self.parts.alone().iter().any(has) || self.parts.cut().any(is_in))
            && self.excluded.binary_search(&token).is_err()
            || self.listed.binary_search(&token).is_ok()
            || self.ends.binary_search(&token).is_ok()
    }

    /// Whether no token is allowed. A sequence that has not ended always allows one where the artifact is whole.
    pub fn is_empty(&self) -> bool {
        let parts = || match self.excluded.is_empty() && !self.parts.has_cut() {
            true => self.parts.alone().is_empty(),
            false => self.len() == 0,
        };
        self.listed.is_empty() && self.ends.is_empty() && parts()
    }

    /// Number of allowed tokens.
    pub fn len(&self) -> usize {
        let pool = self.pool();
        match (self.parts.alone(), self.parts.has_cut(), self.listed) {
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

    /// Whether a token of the logit row is forbidden: if not, a host need not apply the mask at all.
    ///
    /// A sum of stored numbers decides nearly always; where parts overlap and together might allow all, as [`len`](Self::len).
    pub fn restricts(&self) -> bool {
        let pool = self.pool();
        let count = |&part: &u32| u64::from(pool.mask(part).count);
        let cut = self.parts.cut().filter_map(|cut| cut.met.iter().map(count).min());
        let parts = self.parts.alone().iter().map(count).chain(cut);
        let most = parts.sum::<u64>() + (self.listed.len() + self.ends.len()) as u64;
        most < u64::from(self.width) || self.len() < self.width as usize
    }

    /// The allowed tokens in ascending order.
    pub fn iter(&self) -> Tokens<'m> {
        let pool = self.pool();
        let lists = self.lists(&pool);
        Tokens { mask: *self, pool, lists, block: [0; BLOCK], first: 0, at: 0, loaded: false }
    }

    /// The one allowed token, or `None` where there are more or none.
    pub fn only(&self) -> Option<u32> {
        let pool = self.pool();
        let Some(parts) = self.parts_alone() else {
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

    /// Writes the mask as bits: token `t` is bit `t % 32` of word `t / 32`. All words are written; those past the
    /// logit width, and the bits past it in its last word, become zero.
    ///
    /// # Errors
    ///
    /// The buffer holds fewer words than the logit width needs.
    pub fn fill(&self, words: &mut [u32]) -> Result<(), BufferError> {
        if words.len() < self.words() {
            let (found, needed) = (words.len(), self.words());
            return Err(BufferError { unit: "words", found, needed });
        }
        self.write(words);
        Ok(())
    }

    /// As [`fill`](Self::fill), where the buffer is known to be long enough.
    pub(crate) fn write(&self, words: &mut [u32]) {
        self.window(&self.pool(), 0, words);
    }

    /// Sets the logits of all tokens that are not allowed to negative infinity, and leaves the others untouched,
    /// whatever they are: a NaN of a forbidden token is overwritten, one of an allowed token stays.
    ///
    /// The row is one of `f32`, or of 16 bits (see [`Logit`]), and as long as the logit width. It need not be
    /// aligned. One pass of stores, and none for the parts of the row that are allowed whole.
    ///
    /// # Errors
    ///
    /// The row does not have the logit width.
    pub fn apply<L: Logit>(&self, logits: &mut [L]) -> Result<(), BufferError> {
        self.check_row(logits.len())?;
        self.write_over(logits);
        Ok(())
    }

    /// As [`apply`](Self::apply), where the row is known to have the logit width.
    pub(crate) fn write_over<L: Logit>(&self, logits: &mut [L]) {
        let pool = self.pool();
        let kernels = apply::Kernels::fastest();
        let mut block = [0; APPLIED];
        for (at, logits) in L::lanes_mut(logits).chunks_mut(APPLIED * BITS).enumerate() {
            let words = &mut block[..logits.len().div_ceil(BITS)];
            L::Lane::apply(kernels, self.words_at(&pool, at * APPLIED, words), logits);
        }
    }

    /// Checks the length of a row of logits.
    pub(crate) fn check_row(&self, found: usize) -> Result<(), BufferError> {
        let needed = self.width as usize;
        let fits = found == needed;
        fits.then_some(()).ok_or(BufferError { unit: "logits", found, needed })
    }

    /// The tables that the parts are masks of.
    #[inline]
    pub(crate) fn pool(&self) -> MaskPool<'m> {
        self.grammar.pool()
    }

    /// The mask as token lists, where it is sparse: a few lists of at most one token in [`SPARSE`] of the row.
    pub(crate) fn lists(&self, pool: &MaskPool<'m>) -> Option<Lists<'m>> {
        let limit = self.width as usize / SPARSE;
        if self.parts.has_cut() {
            return None;
        }
        Lists::new(pool, self.parts.alone(), self.excluded, [self.listed, self.ends], limit)
    }

    /// Words of the logit width.
    fn words(&self) -> usize {
        (self.width as usize).div_ceil(BITS)
    }

    /// The words of the mask that begin at word `first`: where they lie, if one dense row has them, else written to
    /// `room`, whose length says how many there are.
    pub(crate) fn words_at<'w>(
        &self,
        pool: &MaskPool<'m>,
        first: usize,
        room: &'w mut [u32],
    ) -> &'w [u32]
    where
        'm: 'w,
    {
        if let (Some(&[part]), []) = (self.parts_alone(), self.ends)
            && let Some(row) = pool::plain_row(pool.mask(part))
            && let Some(words) = row.get(first..first + room.len())
        {
            return words;
        }
        self.window(pool, first, room);
        room
    }

    /// Writes the words of the mask that begin at word `first`.
    fn window(&self, pool: &MaskPool<'_>, first: usize, window: &mut [u32]) {
        match self.parts.alone().split_first() {
            Some((&part, others)) => {
                pool::write_into(pool.mask(part), first, window);
                for &part in others {
                    pool::or_into(pool.mask(part), first, window);
                }
            }
            None => window.fill(0),
        }
        if self.parts.has_cut() {
            self.add_cut(pool, first, window);
        }
        pool::clear(self.excluded, first, window);
        pool::set(self.listed, first, window);
        pool::set(self.ends, first, window);
    }
}

impl Mask<'_> {
    /// Adds the parts that are more than a stored mask to the words that begin at word `first`.
    #[cold]
    #[inline(never)]
    fn add_cut(&self, pool: &MaskPool<'_>, first: usize, window: &mut [u32]) {
        for CutPart { met, without } in self.parts.cut() {
            let mask = |&part: &u32| pool.mask(part);
            pool::or_cut_into((met.iter().map(mask), without.iter().map(mask)), first, window);
        }
    }
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

/// The tokens of a mask in ascending order: what [`Mask::iter`] returns.
#[derive(Clone, Debug)]
pub struct Tokens<'m> {
    mask: Mask<'m>,
    pool: MaskPool<'m>,
    /// The mask where it is sparse; the fields below are for the others.
    lists: Option<Lists<'m>>,
    block: [u32; BLOCK],
    /// First word of the block.
    first: usize,
    /// Word of the block whose bits come next; the bits that were given out are cleared.
    at: usize,
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
