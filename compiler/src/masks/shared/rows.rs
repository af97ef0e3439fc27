//! Dense bit rows and masks of the vocabulary: for each row, the rows nearest to it; and the masks, indexed by their
//! words.
//!
//! Cost: O(rows times words of a row) for the nearest rows of a row, on first use. O(words of their lists) for the
//! masks, once.

use std::sync::OnceLock;

use grammarc_artifacts::tables::Tables;

use crate::interner::Interner;
use crate::masks::bits::distance;
use crate::masks::outcome::ranks::row_of;

/// The bit rows (one bit per token) near a given row. Each entry is the number of tokens in exactly one of the two, and
/// the id of the other row.
type Near = Box<[(u32, u32)]>;

/// Indexes over the vocabulary's bit rows (one bit per token) and masks.
#[derive(Debug, Default)]
pub(crate) struct StoredRows {
    /// For each bit row (one bit per token) of the vocabulary, the number of its tokens.
    counts: Vec<u32>,
    /// For each bit row (one bit per token), the rows near it. Computed at the first request.
    near: Vec<OnceLock<Near>>,
    /// The vocabulary's masks, indexed by the words in which they are stored. Computed at the first request.
    masks: OnceLock<StoredMasks>,
}

/// An index of the vocabulary's masks by the words in which they are stored: a bit row (one bit per token) and token
/// lists.
#[derive(Debug, Default)]
struct StoredMasks {
    /// The words of each distinct mask. The first is the id of its bit row (one bit per token), the second the number
    /// of tokens to remove from the row. Two lists of token ids follow. The first list has the tokens to remove, the
    /// second those to add.
    words: Interner,
    /// For each entry of `words`, by index, the id of the first mask with these words.
    masks: Vec<u32>,
}

impl StoredRows {
    /// Counts the tokens of all bit rows (one bit per token) of a vocabulary. O(words of its rows).
    pub(crate) fn new(shared: Tables<'_>) -> Self {
        let rows = shared.rows.chunks(shared.row_words.max(1) as usize);
        let counts = rows.map(|row| row.iter().map(|word| word.count_ones()).sum());
        let counts: Vec<u32> = counts.collect();
        Self { near: counts.iter().map(|_| OnceLock::new()).collect(), counts, ..Self::default() }
    }

    /// Returns, for each bit row (one bit per token) of the vocabulary, the number of its tokens.
    pub(crate) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Returns the bit rows (one bit per token) that differ from a row in at most as many tokens as it has words. Each
    /// entry is the number of differing tokens and the id of the row; entries ascend.
    pub(crate) fn near(&self, shared: Tables<'_>, row: u32) -> &[(u32, u32)] {
        self.near[row as usize].get_or_init(|| {
            let (words, most) = (row_of(shared, row), shared.row_words);
            let count = self.counts[row as usize];
            let others = (0..)
                .zip(&self.counts)
                .filter(|&(other, of_other)| other != row && of_other.abs_diff(count) <= most);
            let near = others.filter_map(|(other, _)| {
                let distance = distance(words, row_of(shared, other), most as usize + 1)?;
                Some((distance as u32, other))
            });
            let mut near: Vec<(u32, u32)> = near.collect();
            near.sort_unstable();
            near.into()
        })
    }

    /// Returns the id of the vocabulary's first mask that is stored as the words `words`. `None` if there is none. The
    /// first word is the id of a bit row (one bit per token) or [`NONE`](grammarc_artifacts::NONE). Then come the
    /// number of tokens to remove from the row, the ids of these tokens, and the ids of tokens to add.
    pub(crate) fn mask(&self, shared: Tables<'_>, words: &[u32]) -> Option<u32> {
        let stored = self.masks.get_or_init(|| StoredMasks::new(shared));
        stored.words.find(words).map(|number| stored.masks[number as usize])
    }
}

impl StoredMasks {
    /// Builds the index of a vocabulary's masks by the words in which they are stored.
    fn new(shared: Tables<'_>) -> Self {
        let mut this = Self::default();
        let mut words = Vec::new();
        for (mask, record) in (0..).zip(shared.masks) {
            words.clear();
            words.extend([record.row, record.minus_len]);
            words.extend_from_slice(shared.minus(record));
            words.extend_from_slice(shared.plus(record));
            if this.words.number(&words) as usize == this.masks.len() {
                this.masks.push(mask);
            }
        }
        this
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::masks::shared::facts::vocabulary;

    #[test]
    fn near_rows_are_those_with_few_other_tokens() {
        let vocabulary = vocabulary(5);
        let shared = vocabulary.tables();
        let rows = StoredRows::new(shared);
        let count = shared.totals().rows;
        assert!(count > 4, "{count} rows");
        for row in 0..count {
            let apart = |other: u32| {
                let pairs = row_of(shared, row).iter().zip(row_of(shared, other));
                pairs.map(|(one, other)| (one ^ other).count_ones()).sum::<u32>()
            };
            let others = (0..count).filter(|&other| other != row);
            let mut expected: Vec<(u32, u32)> = others.map(|other| (apart(other), other)).collect();
            expected.retain(|&(distance, _)| distance <= shared.row_words);
            expected.sort_unstable();
            assert_eq!(rows.near(shared, row), expected);
        }
    }
}
