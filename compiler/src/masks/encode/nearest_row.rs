//! Rows that differ from a set in few tokens.
//!
//! A set is first held against the vocabulary's rows, which any thread may do ahead, and then against those that the
//! grammar has so far, which depend on the order of its masks. Of two rows that differ from it in as many tokens, the
//! vocabulary's is taken, then the one with the nearer number of tokens, then the first.
//!
//! Cost: O(words of a row) for each row of about as many tokens, until it is known to differ in more than another.

use grammarc_artifacts::tables::Tables;

use super::encoder::{Compared, Encoded, NearestRow};
use super::lengths::Lengths;
use crate::masks::bits::add_difference;
use crate::masks::outcome::ranks::row_of;
use crate::masks::shared::facts::VocabularyFacts;

/// The vocabulary's rows.
#[derive(Clone, Copy)]
pub(crate) struct SharedRows<'a> {
    shared: Tables<'a>,
    /// By row, how many tokens are in it.
    counts: &'a [u32],
    lengths: Lengths,
}

impl<'a> SharedRows<'a> {
    pub(crate) fn new(shared: Tables<'a>, known: &'a VocabularyFacts, lengths: Lengths) -> Self {
        Self { shared, counts: known.row_counts(), lengths }
    }

    /// u32 words of a row.
    pub(crate) fn row_words(&self) -> usize {
        self.lengths.row_words
    }

    /// The row that a set of `count` tokens differs least from, with how many it differs in, where that is worth storing;
    /// `apart` as for [`nearest`], of the words of a row and their count.
    pub(crate) fn nearest(
        &self,
        count: u32,
        apart: impl Fn((&[u32], u32), usize) -> Option<usize>,
    ) -> Option<(usize, u32)> {
        let rows = (0..self.shared.totals().rows).zip(self.counts.iter().copied());
        let limit = self.lengths.worth_differing(count) + 1;
        nearest(rows, count, limit, |id, limit| {
            apart((row_of(self.shared, id), self.counts[id as usize]), limit)
        })
    }

    /// The difference of a row of `count` tokens from the nearest, if that is worth storing.
    pub(crate) fn near(&self, row: &[u32], count: u32) -> Option<NearestRow> {
        let (distance, id) = self.nearest(count, |(other, _), limit| apart(row, other, limit))?;
        let mut content = Vec::with_capacity(distance + 2);
        describe_difference(id, row_of(self.shared, id), row, &mut content);
        Some(NearestRow { distance, content })
    }

    /// Holds what was encoded as a row against these rows.
    pub(crate) fn look(&self, encoded: &mut Encoded) {
        if let Encoded::Row { row, count, looked } = encoded {
            *looked = Compared::Yes(self.near(row, *count));
        }
    }
}

/// The row with the smallest difference to a set of `count` tokens, and that difference, if it is below `limit`.
/// `apart(id, limit)` computes one difference and gives up at `limit`. Rows of about as many tokens are looked at first, so
/// most others are ruled out by their number.
pub(crate) fn nearest(
    rows: impl Iterator<Item = (u32, u32)>,
    count: u32,
    mut limit: usize,
    apart: impl Fn(u32, usize) -> Option<usize>,
) -> Option<(usize, u32)> {
    let rows = rows.map(|(id, of_row)| (of_row.abs_diff(count) as usize, id));
    let mut near: Vec<(usize, u32)> = rows.filter(|&(least, _)| least < limit).collect();
    near.sort_unstable();
    let mut best = None;
    for (least, id) in near {
        if least >= limit {
            break;
        }
        if let Some(distance) = apart(id, limit) {
            (limit, best) = (distance, Some((distance, id)));
        }
    }
    best
}

/// In how many tokens two rows differ, if they are fewer than a limit.
pub(crate) fn apart(row: &[u32], other: &[u32], limit: usize) -> Option<usize> {
    let mut distance = 0;
    // In blocks, so that a row that is far off is given up early.
    for (new, old) in row.chunks(64).zip(other.chunks(64)) {
        let pairs = new.iter().zip(old);
        distance += pairs.map(|(a, b)| (a ^ b).count_ones() as usize).sum::<usize>();
        if distance >= limit {
            return None;
        }
    }
    Some(distance)
}

/// The record of a row by its difference to another: the other's number, the length of the minus list, both lists.
pub(crate) fn describe_difference(from: u32, old: &[u32], row: &[u32], content: &mut Vec<u32>) {
    content.clear();
    content.extend([from, 0]);
    add_difference(old, row, content);
    content[1] = content.len() as u32 - 2;
    add_difference(row, old, content);
}
