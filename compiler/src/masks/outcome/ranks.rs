//! Ranks of the tokens of a mask from which other masks are derived. A rank is a token's index in byte order.
//!
//! After a walk all ranks are known. A mask assembled as a bit row has none, and mostly only a few are needed: those of
//! the tokens in which another mask differs. These are looked up in the row one by one.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;

use super::spans::{count_of, cut_all};
use crate::masks::bits::{clear_all, set_all};

/// A number of ranks (token indexes in byte order). Once this many ranks of a row have been asked for, all ranks of the
/// row are computed and kept.
const MANY_RANKS: u32 = 1 << 15;

/// A mask as a bit row (one bit per token). All its ranks (token indexes in byte order) are computed once many of them
/// have been asked for.
#[derive(Debug)]
pub(crate) struct LazyRanks {
    /// The mask, one bit for each token id.
    row: Vec<u32>,
    /// All ranks (token indexes in byte order) of the mask, once they are computed.
    ranks: OnceLock<Box<[Range<u32>]>>,
    /// The number of ranks (token indexes in byte order) that were asked for so far.
    asked: AtomicU32,
}

impl LazyRanks {
    /// Wraps the words of a bit row (one bit per token), without ranks (token indexes in byte order).
    pub(crate) fn new(row: Vec<u32>) -> Self {
        Self { row, ranks: OnceLock::new(), asked: AtomicU32::new(0) }
    }
}

/// The ranks (token indexes in byte order) of a mask's tokens, known or to be computed.
#[derive(Clone, Copy)]
pub(crate) enum RowRanks<'s> {
    /// All ranks (token indexes in byte order), as sorted, disjoint ranges.
    Known(&'s [Range<u32>]),
    /// The mask as a bit row (one bit per token), from which ranks (token indexes in byte order) are computed on
    /// demand.
    LazyRanks(&'s LazyRanks),
}

impl<'s> RowRanks<'s> {
    /// Returns all ranks (token indexes in byte order) of the mask, and computes them if necessary.
    pub(crate) fn all(self, trie: Trie<'_>) -> &'s [Range<u32>] {
        match self {
            Self::Known(ranks) => ranks,
            Self::LazyRanks(LazyRanks { row, ranks, .. }) => {
                ranks.get_or_init(|| ranks_of(row, trie))
            }
        }
    }

    /// Returns the mask's ranks (token indexes in byte order) within the ranges `ranges`; `None` if they are more than
    /// `most`. O(parts) if all ranks are known, else O(ranks in the ranges). After [`MANY_RANKS`] such ranks, all ranks
    /// of the mask are computed.
    pub(crate) fn held(
        self,
        trie: Trie<'_>,
        ranges: &[Range<u32>],
        most: u32,
    ) -> Option<Vec<Range<u32>>> {
        if let Self::LazyRanks(LazyRanks { row, ranks, asked }) = self
            && ranks.get().is_none()
        {
            let more = count_of(ranges).min(most.saturating_mul(2));
            if asked.fetch_add(more, Ordering::Relaxed) < MANY_RANKS {
                return held(row, trie, ranges, most);
            }
        }
        let mut count = 0;
        let parts = cut_all(self.all(trie), ranges).map(|part| {
            count += part.end - part.start;
            (count <= most).then_some(part)
        });
        parts.collect()
    }

    /// Whether the ranks (token indexes in byte order) of the mask are not computed yet. Computing all of them is slow.
    pub(crate) fn is_dear(self) -> bool {
        matches!(self, Self::LazyRanks(LazyRanks { ranks, .. }) if ranks.get().is_none())
    }
}

/// Returns the words of the vocabulary's bit row (one bit per token) with the id `row`; no words for [`NONE`].
pub(crate) fn row_of(shared: Tables<'_>, row: u32) -> &[u32] {
    let words = shared.row_words as usize;
    if row == NONE { &[] } else { &shared.rows[row as usize * words..][..words] }
}

/// Returns a mask as one bit row (one bit per token) of `row_words` words. Its tokens are those of `row`, which may be
/// empty, without the ids of `minus` and with the ids of `plus`.
pub(crate) fn whole_row(row: &[u32], row_words: usize, minus: &[u32], plus: &[u32]) -> Vec<u32> {
    let mut whole = row.to_vec();
    whole.resize(row_words, 0);
    clear_all(&mut whole, minus);
    set_all(&mut whole, plus);
    whole
}

/// Returns the ranks (token indexes in byte order) of all tokens of a bit row (one bit per token).
pub(crate) fn ranks_of(row: &[u32], trie: Trie<'_>) -> Box<[Range<u32>]> {
    let all = 0..trie.token_of_rank.len() as u32;
    held(row, trie, &[all], u32::MAX).unwrap_or_default().into()
}

/// Returns the ranks (token indexes in byte order) within the ranges `ranges` whose tokens are in a bit row (one bit
/// per token). `None` if they are more than `most`. Tests 64 tokens at a time without branches.
fn held(row: &[u32], trie: Trie<'_>, ranges: &[Range<u32>], most: u32) -> Option<Vec<Range<u32>>> {
    let mut held: Vec<Range<u32>> = Vec::new();
    let mut count = 0;
    for range in ranges {
        let tokens = &trie.token_of_rank[range.start as usize..range.end as usize];
        for (from, ids) in (range.start..).step_by(64).zip(tokens.chunks(64)) {
            let is_in = |id: u32| u64::from(row[id as usize / 32] >> (id % 32) & 1);
            let mut bits = ids.iter().rev().fold(0, |bits, &id| bits << 1 | is_in(id));
            count += bits.count_ones();
            if count > most {
                return None;
            }
            let mut at = from;
            while bits != 0 {
                at += bits.trailing_zeros();
                bits >>= bits.trailing_zeros();
                let length = bits.trailing_ones();
                match held.last_mut() {
                    Some(last) if last.end == at => last.end += length,
                    _ => held.push(at..at + length),
                }
                at += length;
                bits = bits.checked_shr(length).unwrap_or(0);
            }
        }
    }
    Some(held)
}

#[cfg(test)]
mod tests {
    use grammarc_artifacts::{TokenKind, TrieData};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranks_of_a_row_are_those_of_its_tokens(
            held in prop::collection::vec(any::<bool>(), 200),
            cuts in prop::collection::btree_set(0u32..200, 0..12),
            most in 0u32..200,
            is_found in any::<bool>(),
        ) {
            let texts = (0..200u8).rev().map(|byte| (vec![byte % 20, byte], TokenKind::Text));
            let data = TrieData::build(&texts.collect::<Vec<_>>()).expect("small");
            let trie = data.as_trie();
            let mut row = vec![0; 200usize.div_ceil(32)];
            (0..200).filter(|&id| held[id]).for_each(|id| row[id / 32] |= 1 << (id % 32));
            let cuts: Vec<u32> = cuts.into_iter().collect();
            let ranges: Vec<Range<u32>> = cuts.as_chunks().0.iter().map(|&[a, b]| a..b).collect();
            let is_held = |&rank: &u32| held[trie.token_of_rank[rank as usize] as usize];
            let expected: Vec<u32> = ranges.iter().cloned().flatten().filter(is_held).collect();
            let within = LazyRanks::new(row);
            let ranks = RowRanks::LazyRanks(&within);
            if is_found {
                let all = ranks.all(trie).iter().cloned().flatten();
                prop_assert!(all.eq((0..200).filter(is_held)));
            }
            let found = ranks.held(trie, &ranges, most);
            let found = found.map(|parts| parts.into_iter().flatten().collect::<Vec<_>>());
            prop_assert_eq!(found, (expected.len() <= most as usize).then_some(expected));
        }
    }
}
