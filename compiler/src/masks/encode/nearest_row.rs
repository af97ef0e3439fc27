//! Searches the bit row that differs from a token set in the fewest tokens.
//!
//! Cost for a set without a reference: O(words of a row) for each row with about as many tokens. The comparison stops
//! as soon as it exceeds the best difference. If a set is known to differ in `d` tokens from some row, only rows within
//! `2 d` tokens of it are candidates. Each candidate costs O(d).

use grammarc_artifacts::tables::Tables;

use super::lengths::Lengths;
use crate::masks::bits::{add_difference, contains};
use crate::masks::outcome::ranks::row_of;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::shared::rows::StoredRows;

/// The bit rows (one bit per token) of the vocabulary, as candidates for the nearest row.
#[derive(Clone, Copy)]
pub(crate) struct SharedRows<'a> {
    /// The tables of the vocabulary: its states, rules and stored masks.
    shared: Tables<'a>,
    /// For each bit row (one bit per token) of the vocabulary, the number of its tokens and the rows near it.
    rows: &'a StoredRows,
    /// The limits on the lengths of token lists, in tokens.
    lengths: Lengths,
}

impl<'a> SharedRows<'a> {
    /// Returns the bit rows (one bit per token) of a vocabulary.
    pub(crate) fn new(shared: Tables<'a>, known: &'a VocabularyFacts, lengths: Lengths) -> Self {
        Self { shared, rows: known.rows(), lengths }
    }

    /// Returns the id of the vocabulary's bit row (one bit per token) that differs least from a set of `count` tokens.
    /// `None` if no difference is small enough to be worth storing. `apart` gets the words of a row, the number of its
    /// tokens, and a limit. It returns the number of differing tokens, or `None` if that is not below the limit.
    pub(super) fn nearest(
        &self,
        count: u32,
        apart: impl Fn((&[u32], u32), usize) -> Option<usize>,
    ) -> Option<u32> {
        let counts = self.rows.counts();
        let rows = (0..).zip(counts.iter().copied());
        let limit = self.lengths.worth_differing(count) + 1;
        nearest(rows, count, limit, |id, limit| {
            apart((row_of(self.shared, id), counts[id as usize]), limit)
        })
    }

    /// Returns the id of the vocabulary's bit row (one bit per token) that differs least from a set of `count` tokens.
    /// The set is known to differ from `row` in exactly the tokens `listed`, which are few enough to be stored.
    pub(super) fn nearest_to(&self, row: u32, listed: &[u32], count: u32) -> u32 {
        let counts = self.rows.counts();
        let rank = |distance: u32, row: u32| (distance, counts[row as usize].abs_diff(count), row);
        let (words, most) = (row_of(self.shared, row), listed.len() as u32);
        let mut best = rank(most, row);
        for &(between, other) in self.rows.near(self.shared, row) {
            if between > best.0 + most {
                break;
            }
            let others = row_of(self.shared, other);
            // Where the two rows differ on a listed token, the set agrees with the other row. On every other token, it
            // agrees with `row`.
            let nearer = |&&id: &&u32| contains(words, id) != contains(others, id);
            let distance = between + most - 2 * listed.iter().filter(nearer).count() as u32;
            best = best.min(rank(distance, other));
        }
        best.2
    }
}

/// Returns the id of the bit row (one bit per token) with the smallest difference, in tokens, from a set of `count`
/// tokens. `None` if every difference is `limit` tokens or more. Each entry of `rows` is the id of a row and the number
/// of its tokens. Of equally near rows, the result is the one with the nearer number of tokens, and then the first.
///
/// `apart(id, limit)` computes the difference to one row, and returns `None` if it is not below `limit`. Rows of about
/// as many tokens come first, so most others are ruled out by their number of tokens.
pub(super) fn nearest(
    rows: impl Iterator<Item = (u32, u32)>,
    count: u32,
    mut limit: usize,
    apart: impl Fn(u32, usize) -> Option<usize>,
) -> Option<u32> {
    let rows = rows.map(|(id, of_row)| (of_row.abs_diff(count) as usize, id));
    let mut near: Vec<(usize, u32)> = rows.filter(|&(least, _)| least < limit).collect();
    near.sort_unstable();
    let mut best = None;
    for (least, id) in near {
        if least >= limit {
            break;
        }
        if let Some(distance) = apart(id, limit) {
            (limit, best) = (distance, Some(id));
        }
    }
    best
}

/// Returns the number of tokens in exactly one of two sets: the ids `ids`, and a bit row (one bit per token) of `count`
/// tokens. `None` if the number is `limit` or more.
pub(super) fn apart_from_ids(ids: &[u32], row: &[u32], count: u32, limit: usize) -> Option<usize> {
    let count = count as usize;
    // With this many ids missing from the row, the difference reaches the limit.
    let most = (limit + ids.len()).saturating_sub(count).div_ceil(2);
    let missing = ids.iter().filter(|&&id| !contains(row, id)).take(most).count();
    (missing < most).then(|| count + 2 * missing - ids.len())
}

/// Appends to `content` the difference of the bit row `row` from the bit row `old`, each with one bit per token. It
/// consists of the number of tokens only in `old`, the ids of these tokens, and the ids of the tokens only in `row`.
pub(super) fn describe_difference(old: &[u32], row: &[u32], content: &mut Vec<u32>) {
    let at = content.len();
    content.push(0);
    add_difference(old, row, content);
    content[at] = (content.len() - at) as u32 - 1;
    add_difference(row, old, content);
}
