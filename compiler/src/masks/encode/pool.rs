//! The mask pool: sets of tokens as records of a dense row, a minus list and a plus list.
//!
//! The runtime pays for a mask a row to copy, if it has one, and a step for each token of its lists; a row costs as
//! much as one token in sixteen words. So a set of no more tokens is a plus list, and a larger one is a row with few
//! exceptions where that can be had:
//!
//! - A grammar's set is the difference to a row that exists already, of the vocabulary or its own, where that has at
//!   most half of the set's tokens and takes less than half a row; else a list where that takes less than half a row,
//!   and else a row of its own. What was taken over from a shared state differs from that state's mask, which costs the
//!   difference alone; any other set is compared with the rows.
//! - A vocabulary's rows are shared by all grammars, so it has as many as its sets and their likes in the grammars ask
//!   for: a set becomes a row unless it differs from one in a few tokens.
//!
//! Equal records are one, and so are equal outcomes, which are looked up first. Ids are given in the order of insertion,
//! which the caller keeps independent of threads.

use std::borrow::Cow;
use std::ops::Range;

use grammarc_artifacts::sections::masks::MaskRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};

use super::encoder::{
    Compared, Computed, Encoded, Encoder, NearestRow, ReferenceMask, Scratch, describe,
};
use super::lengths::Lengths;
use super::nearest_row::{SharedRows, apart, describe_difference, nearest};
use crate::masks::bits::add_ids;
use crate::masks::outcome::ranks::{LazyRanks, row_of, whole_row};
use crate::masks::shared::facts::VocabularyFacts;
use crate::sequences::Sequences;

/// How many of the newest own rows a new wide mask is compared with.
const NEIGHBOURS: usize = 128;

/// A pool under construction.
pub(crate) struct Pool<'a> {
    shared: Tables<'a>,
    shared_rows: SharedRows<'a>,
    tables: TablesData,
    lengths: Lengths,
    /// Contents of the own masks, by number: the row, the length of the minus list, both lists.
    contents: Sequences,
    /// Outcomes that are worth looking up.
    outcomes: Sequences,
    /// By outcome, its mask.
    of_outcome: Vec<u32>,
    /// By own row, how many tokens are in it.
    row_counts: Vec<u32>,
    content: Vec<u32>,
    words: Vec<u32>,
    scratch: Scratch,
}

impl<'a> Pool<'a> {
    /// An empty pool, numbered on from the vocabulary's masks and rows, or that of a vocabulary itself.
    pub(crate) fn new(
        shared: Tables<'a>,
        known: &'a VocabularyFacts,
        mut tables: TablesData,
        lengths: Lengths,
    ) -> Self {
        // Half of the states have a mask that others have as well. Most are lists of a few tokens.
        let states = tables.states.len();
        tables.masks.reserve(states / 2);
        tables.lists.reserve(4 * states);
        Self {
            shared,
            shared_rows: SharedRows::new(shared, known, lengths),
            tables,
            lengths,
            contents: Sequences::with_capacity(states / 2, 6 * states),
            outcomes: Sequences::with_capacity(states / 4, 8 * states),
            of_outcome: Vec::new(),
            row_counts: Vec::new(),
            content: Vec::new(),
            words: Vec::new(),
            scratch: Scratch::new(lengths.row_words),
        }
    }

    /// A mask, of tokens of these ranks if they are known, for others to be derived from.
    pub(crate) fn reference(
        &self,
        mask: u32,
        ranks: Option<&'a [Range<u32>]>,
    ) -> ReferenceMask<'a> {
        let (tables, record) = match mask.checked_sub(self.tables.bases.masks) {
            Some(own) => (self.tables.as_tables(), self.tables.masks[own as usize]),
            None => (self.shared, self.shared.masks[mask as usize]),
        };
        let [minus, plus] = [tables.minus(&record), tables.plus(&record)].map(<[u32]>::to_vec);
        // Most have one of the vocabulary's rows.
        let row = match record.row {
            NONE => Cow::default(),
            row if row < self.tables.bases.rows => row_of(self.shared, row).into(),
            own => self.row(own).to_vec().into(),
        };
        let row_words = self.lengths.row_words;
        let ranks = ranks.ok_or_else(|| LazyRanks::new(whole_row(&row, row_words, &minus, &plus)));
        ReferenceMask { mask, record, row, minus, plus, ranks }
    }

    /// The mask of what was found.
    pub(crate) fn intern(&mut self, encoder: &Encoder<'_>, found: &Computed) -> u32 {
        let Computed { outcome, extra, .. } = found;
        if !encoder.is_looked_up(outcome, extra) {
            return self.add(encoder, found);
        }
        let mut words = std::mem::take(&mut self.words);
        describe(outcome, &mut words);
        let number = self.outcomes.number(&words) as usize;
        self.words = words;
        if number == self.of_outcome.len() {
            let id = self.add(encoder, found);
            self.of_outcome.push(id);
        }
        self.of_outcome[number]
    }

    fn add(&mut self, encoder: &Encoder<'_>, found: &Computed) -> u32 {
        if let Some(encoded) = &found.encoded {
            return self.put_encoded(encoded);
        }
        let encoded = encoder.encode(&found.outcome, &found.extra, &mut self.scratch);
        let mask = self.put_encoded(&encoded);
        self.scratch.give_back(encoded);
        mask
    }

    fn put_encoded(&mut self, encoded: &Encoded) -> u32 {
        match encoded {
            &Encoded::Mask(mask) => mask,
            Encoded::Record { content, count } => self.put(content, *count),
            Encoded::Ids(ids) if ids.len() <= self.lengths.always_listed() => self.put_list(ids),
            Encoded::Ids(ids) => self.narrow(ids),
            Encoded::Row { row, count, looked } => match looked {
                Compared::Yes(near) => self.wide(row, *count, near.as_ref()),
                Compared::No => {
                    let near = self.shared_rows.near(row, *count);
                    self.wide(row, *count, near.as_ref())
                }
            },
        }
    }

    /// The record of a set that takes less than half a row as a list: it is held against the rows token by token.
    fn narrow(&mut self, ids: &[u32]) -> u32 {
        let count = ids.len() as u32;
        let is_in = |row: &[u32], id: u32| row[id as usize / 32] >> (id % 32) & 1 == 1;
        let apart = |(words, count): (&[u32], u32), limit: usize| {
            let count = count as usize;
            // So many that are not in the row make the difference as large as the limit.
            let most = (limit + ids.len()).saturating_sub(count).div_ceil(2);
            let missing = ids.iter().filter(|&&id| !is_in(words, id)).take(most).count();
            (missing < most).then(|| count + 2 * missing - ids.len())
        };
        let nearest = self.shared_rows.nearest(count, apart);
        let shared = nearest.map(|(distance, _)| distance);
        let nearest = self.nearest_own(count, shared, apart).or(nearest);
        let Some((_, nearest)) = nearest else { return self.put_list(ids) };
        let row = self.scratch.row_of_ids(self.lengths.row_words, ids);
        let mask = self.put_differing(nearest, &row, count);
        self.scratch.give_back(Encoded::Row { row, count, looked: Compared::No });
        mask
    }

    /// The record of a set by how its row differs from another.
    fn put_differing(&mut self, from: u32, row: &[u32], count: u32) -> u32 {
        let mut content = std::mem::take(&mut self.content);
        describe_difference(from, self.row(from), row, &mut content);
        self.put_content(content, count)
    }

    /// The record of a list alone.
    fn put_list(&mut self, ids: &[u32]) -> u32 {
        let mut content = std::mem::take(&mut self.content);
        content.clear();
        content.extend([NONE, 0]);
        content.extend_from_slice(ids);
        self.put_content(content, ids.len() as u32)
    }

    /// The record of a row and lists in the pool's own buffer.
    fn put_content(&mut self, content: Vec<u32>, count: u32) -> u32 {
        let mask = self.put(&content, count);
        self.content = content;
        mask
    }

    /// The record of a row and lists.
    fn put(&mut self, content: &[u32], count: u32) -> u32 {
        let number = self.contents.number(content);
        let id = self.tables.bases.masks + number;
        if self.tables.masks.len() > number as usize {
            return id;
        }
        let (row, minus_len) = (content[0], content[1] as usize);
        let mut list = |ids: &[u32]| {
            let at = if ids.is_empty() { 0 } else { self.tables.lists.len() as u32 };
            self.tables.lists.extend_from_slice(ids);
            (at, ids.len() as u32)
        };
        let (minus, minus_len) = list(&content[2..2 + minus_len]);
        let (plus, plus_len) = list(&content[2 + minus_len as usize..]);
        self.tables.masks.push(MaskRecord { row, minus, minus_len, plus, plus_len, count });
        id
    }

    /// Number of dense rows of its own.
    pub(crate) fn rows(&self) -> usize {
        self.tables.rows.len() / (self.tables.row_words as usize).max(1)
    }

    /// Bytes that the masks take, about.
    pub(crate) fn bytes(&self) -> usize {
        let TablesData { rows, lists, masks, .. } = &self.tables;
        let known = self.contents.bytes() + self.outcomes.bytes();
        size_of_val(&**rows) + size_of_val(&**lists) + size_of_val(&**masks) + known
    }

    /// The tables with the pool's records, rows and lists in them.
    pub(crate) fn finish(self) -> TablesData {
        self.tables
    }

    /// The record of a set that a row may be worth; `near` is what it differs from the vocabulary's rows in.
    fn wide(&mut self, row: &[u32], count: u32, near: Option<&NearestRow>) -> u32 {
        let shared = near.map(|near| near.distance);
        let nearest = self.nearest_own(count, shared, |(other, _), limit| apart(row, other, limit));
        match (nearest, near) {
            (Some((_, nearest)), _) => return self.put_differing(nearest, row, count),
            (None, Some(NearestRow { content, .. })) => return self.put(content, count),
            (None, None) => {}
        }
        let new = self.tables.bases.rows + self.rows() as u32;
        self.tables.rows.extend_from_slice(row);
        self.row_counts.push(count);
        self.put(&[new, 0], count)
    }

    fn row(&self, id: u32) -> &[u32] {
        let words = self.tables.row_words as usize;
        match id.checked_sub(self.tables.bases.rows) {
            Some(own) => &self.tables.rows[own as usize * words..][..words],
            None => row_of(self.shared, id),
        }
    }

    /// The one of the newest own rows that a set of `count` tokens differs least from, and in how many, where that is worth
    /// storing and they are fewer than it differs from the nearest `shared` row in; `apart` as for [`nearest`].
    fn nearest_own(
        &self,
        count: u32,
        shared: Option<usize>,
        apart: impl Fn((&[u32], u32), usize) -> Option<usize>,
    ) -> Option<(usize, u32)> {
        let limit = shared.unwrap_or(self.lengths.worth_differing(count) + 1);
        let first = self.rows().saturating_sub(NEIGHBOURS);
        let base = self.tables.bases.rows;
        let newest = self.row_counts.iter().enumerate().skip(first);
        let newest = newest.map(|(own, &count)| (base + own as u32, count));
        nearest(newest, count, limit, |id, limit| {
            apart((self.row(id), self.row_counts[(id - base) as usize]), limit)
        })
    }
}

/// The tokens of a mask of the vocabulary's tables, ascending.
pub(crate) fn stored(shared: Tables<'_>, mask: u32) -> Vec<u32> {
    let record = &shared.masks[mask as usize];
    let mut ids = shared.plus(record).to_vec();
    if record.row != NONE {
        add_ids(row_of(shared, record.row), &mut ids);
        let minus = shared.minus(record);
        ids.retain(|id| minus.binary_search(id).is_err());
        ids.sort_unstable();
    }
    ids
}
