//! Rows that differ from a set in few tokens.
//!
//! Cost of a set without a reference: O(words of a row) for each row of about as many tokens, until it is known to
//! differ in more than another. If a set is known to differ in `d` tokens from some row, only rows
//! within `2 d` tokens of that row are candidates, and each costs O(d).

use grammarc_artifacts::tables::Tables;

use super::lengths::Lengths;
use crate::masks::bits::{add_difference, contains};
use crate::masks::outcome::ranks::row_of;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::shared::rows::StoredRows;

/// The vocabulary's rows.
#[derive(Clone, Copy)]
pub(crate) struct SharedRows<'a> {
    shared: Tables<'a>,
    rows: &'a StoredRows,
    lengths: Lengths,
}

impl<'a> SharedRows<'a> {
    pub(crate) fn new(shared: Tables<'a>, known: &'a VocabularyFacts, lengths: Lengths) -> Self {
        Self { shared, rows: known.rows(), lengths }
    }

    /// The row that a set of `count` tokens differs least from, where that is worth storing; `apart` as for
    /// [`nearest`], of the words of a row and their count.
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

    /// The same for a set that differs from `row` in the tokens `listed`, which are worth storing.
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
            // A listed token on which the rows differ brings the set nearer to the other row, any other one does not.
            let nearer = |&&id: &&u32| contains(words, id) != contains(others, id);
            let distance = between + most - 2 * listed.iter().filter(nearer).count() as u32;
            best = best.min(rank(distance, other));
        }
        best.2
    }
}

/// The row with the smallest difference to a set of `count` tokens, if that is below `limit`; of several the one with
/// the nearer number of tokens, and then the first. `apart(id, limit)` computes one difference and gives up at `limit`.
/// Rows of about as many tokens are looked at first, so most others are ruled out by their number.
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

/// In how many tokens a set of `ids` differs from a row of `count`, if they are fewer than a limit.
pub(super) fn apart_from_ids(ids: &[u32], row: &[u32], count: u32, limit: usize) -> Option<usize> {
    let count = count as usize;
    // So many that are not in the row make the difference as large as the limit.
    let most = (limit + ids.len()).saturating_sub(count).div_ceil(2);
    let missing = ids.iter().filter(|&&id| !contains(row, id)).take(most).count();
    (missing < most).then(|| count + 2 * missing - ids.len())
}

/// Appends the length of the minus list and both lists of a row by its difference to another.
pub(super) fn describe_difference(old: &[u32], row: &[u32], content: &mut Vec<u32>) {
    let at = content.len();
    content.push(0);
    add_difference(old, row, content);
    content[at] = (content.len() - at) as u32 - 1;
    add_difference(row, old, content);
}
