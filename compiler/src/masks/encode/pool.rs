//! The mask pool: interns token sets by their [forms](super::form), and makes masks of them. A mask is a record of a
//! dense bit row, a minus list and a plus list.
//!
//! For a mask, the runtime copies the row, if there is one, and takes a step for each token of the lists. Copying
//! sixteen words of the row costs as much as one listed token. So a set of at most one token for each sixteen words is
//! a plus list. A larger set is a row with few exceptions, if possible:
//!
//! - A grammar's set is the difference to a row of the vocabulary, if possible. The difference must have at most half
//!   of the set's tokens and take less than half a row. Otherwise it is such a difference to one of the grammar's
//!   newest rows. Otherwise it is a list, if that takes less than half a row, and else a row of its own.
//! - All grammars share the rows of a vocabulary, so a vocabulary stores many. A set becomes a row unless it differs
//!   from an existing row in a few tokens.
//!
//! Sets have indexes in the order in which they are found. Masks have ids in the order in which they are [asked
//! for](Pool::mask), the order of the states. So a record depends on the set and on the sets before it in that order.
//! Equal sets are one mask. If the vocabulary has a mask with the words of a set's form, the set gets that mask.
//!
//! Outcomes are looked up before they are encoded, because most are equal to others.

use std::borrow::Cow;
use std::ops::Range;

use grammarc_artifacts::sections::masks::MaskRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};

use super::encoder::{Computed, Encoded, Encoder, ReferenceSet, Scratch, describe};
use super::form::{BITS, Form};
use super::lengths::Lengths;
use super::nearest_row::{apart_from_ids, describe_difference, nearest};
use crate::interner::Interner;
use crate::masks::bits::{add_ids, distance, set_all};
use crate::masks::outcome::ranks::{LazyRanks, row_of, whole_row};
use crate::masks::shared::facts::VocabularyFacts;

/// How many of the grammar's newest bit rows (one bit per token) a set is compared with, if no row of the vocabulary is
/// near. Older rows are not tried.
const NEIGHBOURS: usize = 128;

/// The interned token sets of a grammar or vocabulary, and the masks that are made of them, while they are collected.
pub(crate) struct Pool<'a> {
    /// The tables of the vocabulary: its states, rules and stored masks.
    shared: Tables<'a>,
    /// Indexes over the vocabulary's trie, rules and stored masks.
    known: &'a VocabularyFacts,
    /// The forms (32-bit words) of the token sets, by the index of the set.
    sets: Interner,
    /// For each token set, by index, the number of its tokens.
    counts: Vec<u32>,
    /// For each token set, by index, the id of its mask; [`NONE`] until the mask is asked for.
    masks: Vec<u32>,
    /// Interned descriptions of the outcomes (consumed tokens and exit nodes) that are looked up before they are
    /// encoded.
    outcomes: Interner,
    /// For each entry of `outcomes`, the index of the token set in `sets`.
    of_outcome: Vec<u32>,
    /// A reused buffer for the description of an outcome (consumed tokens and exit nodes).
    words: Vec<u32>,
    /// Reused buffers for encoding token sets.
    scratch: Scratch,
    /// The masks that are made so far: bit rows (one bit per token) with lists of tokens to remove and to add.
    records: Records,
}

/// The masks that are made so far, with their bit rows (one bit per token) and token lists.
struct Records {
    /// The tables to which the masks, bit rows (one bit per token) and token lists are appended.
    tables: TablesData,
    /// The limits on the lengths of token lists, in tokens.
    lengths: Lengths,
    /// For each bit row (one bit per token) that this pool has added, the number of its tokens.
    row_counts: Vec<u32>,
}

impl<'a> Pool<'a> {
    /// Returns a pool without token sets. Its masks are appended to `tables`. For a grammar, the ids of the masks
    /// continue those of the vocabulary.
    pub(crate) fn new(
        shared: Tables<'a>,
        known: &'a VocabularyFacts,
        mut tables: TablesData,
        lengths: Lengths,
    ) -> Self {
        // Half of the states share their mask with another state. Most masks are lists of a few tokens.
        let states = tables.states.len();
        tables.masks.reserve(states / 2);
        tables.lists.reserve(4 * states);
        Self {
            shared,
            known,
            sets: Interner::with_capacity(states / 2, 6 * states),
            counts: Vec::with_capacity(states / 2),
            masks: Vec::with_capacity(states / 2),
            outcomes: Interner::with_capacity(states / 4, 8 * states),
            of_outcome: Vec::new(),
            words: Vec::new(),
            scratch: Scratch::new(lengths.row_words),
            records: Records { tables, lengths, row_counts: Vec::new() },
        }
    }

    /// Returns the token set with the index `set` in the form from which other sets can be derived. `ranks` are the
    /// ranks (token indexes in byte order) of its tokens, if they are known.
    pub(crate) fn reference(&self, set: u32, ranks: Option<&'a [Range<u32>]>) -> ReferenceSet<'a> {
        let (mut minus, mut plus): (&[u32], &[u32]) = (&[], &[]);
        let (row, words): (u32, Cow<'a, [u32]>) = match Form::of(self.sets.get(set)) {
            Form::List(ids) => {
                plus = ids;
                (NONE, Cow::default())
            }
            Form::Near { row, minus: without, plus: with } => {
                (minus, plus) = (without, with);
                (row, row_of(self.shared, row).into())
            }
            Form::Bits(bits) => (BITS, bits.to_vec().into()),
        };
        let row_words = self.records.lengths.row_words;
        let ranks = ranks.ok_or_else(|| LazyRanks::new(whole_row(&words, row_words, minus, plus)));
        let count = self.counts[set as usize];
        ReferenceSet { set, row, words, minus: minus.to_vec(), plus: plus.to_vec(), count, ranks }
    }

    /// Returns the index of the token set of a computed outcome (tokens and exits), and adds the set if it is new.
    pub(crate) fn set(&mut self, encoder: &Encoder<'_>, found: &Computed) -> u32 {
        let Computed { outcome, extra, .. } = found;
        if !encoder.is_looked_up(outcome, extra) {
            return self.add(encoder, found);
        }
        let mut words = std::mem::take(&mut self.words);
        describe(outcome, &mut words);
        let number = self.outcomes.number(&words) as usize;
        self.words = words;
        if number == self.of_outcome.len() {
            let set = self.add(encoder, found);
            self.of_outcome.push(set);
        }
        self.of_outcome[number]
    }

    /// Returns the index of the token set of a computed outcome (tokens and exits), without a look-up of the outcome.
    /// Encodes the set if it was not encoded ahead.
    fn add(&mut self, encoder: &Encoder<'_>, found: &Computed) -> u32 {
        if let Some(encoded) = &found.encoded {
            return self.number(encoded);
        }
        let encoded = encoder.encode(&found.outcome, &found.extra, &mut self.scratch);
        let set = self.number(&encoded);
        self.scratch.give_back(encoded);
        set
    }

    /// Returns the index of an encoded token set, and adds the set if it is new.
    fn number(&mut self, encoded: &Encoded) -> u32 {
        match encoded {
            &Encoded::Set(set) => set,
            Encoded::Form { words, count } => {
                let set = self.sets.number(words);
                if set as usize == self.counts.len() {
                    self.counts.push(*count);
                    self.masks.push(NONE);
                }
                set
            }
        }
    }

    /// Returns the id of the mask of the token set with the index `set`, and makes the mask if the set has none yet.
    pub(crate) fn mask(&mut self, set: u32) -> u32 {
        let mask = &mut self.masks[set as usize];
        if *mask == NONE {
            let form = self.sets.get(set);
            let stored = self.known.rows().mask(self.shared, form);
            let count = self.counts[set as usize];
            *mask = stored.unwrap_or_else(|| self.records.add(Form::of(form), count));
        }
        *mask
    }

    /// Returns the number of dense bit rows (one bit per token) that this pool has added, without the vocabulary's.
    pub(crate) fn rows(&self) -> usize {
        self.records.row_counts.len()
    }

    /// Returns the approximate memory, in bytes, of the token sets and masks.
    pub(crate) fn bytes(&self) -> usize {
        let TablesData { rows, lists, masks, .. } = &self.records.tables;
        let known = self.sets.bytes() + self.outcomes.bytes();
        size_of_val(&**rows) + size_of_val(&**lists) + size_of_val(&**masks) + known
    }

    /// Returns the tables, with the pool's masks, bit rows (one bit per token) and token lists in them.
    pub(crate) fn finish(self) -> TablesData {
        self.records.tables
    }
}

impl Records {
    /// Adds the mask of a new token set with `count` tokens to the tables, and returns the id of the mask. `form` is
    /// the encoded set.
    fn add(&mut self, form: Form<'_>, count: u32) -> u32 {
        match form {
            Form::List(ids) if ids.len() <= self.lengths.always_listed() => {
                self.put(NONE, &[], ids, count)
            }
            Form::Near { row, minus, plus } => self.put(row, minus, plus, count),
            Form::List(ids) => {
                let apart =
                    |(row, count): (&[u32], u32), limit| apart_from_ids(ids, row, count, limit);
                let Some(nearest) = self.nearest(count, apart) else {
                    return self.put(NONE, &[], ids, count);
                };
                let mut row = vec![0; self.lengths.row_words];
                set_all(&mut row, ids);
                self.put_near(nearest, &row, count)
            }
            Form::Bits(row) => {
                let apart = |(other, _): (&[u32], u32), limit| distance(row, other, limit);
                if let Some(nearest) = self.nearest(count, apart) {
                    return self.put_near(nearest, row, count);
                }
                let new = self.tables.bases.rows + self.row_counts.len() as u32;
                self.tables.rows.extend_from_slice(row);
                self.row_counts.push(count);
                self.put(new, &[], &[], count)
            }
        }
    }

    /// Adds to the tables a mask for the bit row (one bit per token) `row`, as its difference from the stored row with
    /// the id `nearest`. `count` is the number of its tokens. Returns the id of the mask.
    fn put_near(&mut self, nearest: u32, row: &[u32], count: u32) -> u32 {
        let mut lists = Vec::new();
        describe_difference(self.row(nearest), row, &mut lists);
        let (minus, plus) = lists[1..].split_at(lists[0] as usize);
        self.put(nearest, minus, plus, count)
    }

    /// Adds a mask to the tables, and returns its id. `row` is the id of a bit row (one bit per token) or [`NONE`].
    /// `minus` has the ids of tokens to remove from it, and `plus` those to add. `count` is the number of the mask's
    /// tokens.
    fn put(&mut self, row: u32, minus: &[u32], plus: &[u32], count: u32) -> u32 {
        let id = self.tables.bases.masks + self.tables.masks.len() as u32;
        let mut list = |ids: &[u32]| {
            let at = if ids.is_empty() { 0 } else { self.tables.lists.len() as u32 };
            self.tables.lists.extend_from_slice(ids);
            (at, ids.len() as u32)
        };
        let (minus, minus_len) = list(minus);
        let (plus, plus_len) = list(plus);
        self.tables.masks.push(MaskRecord { row, minus, minus_len, plus, plus_len, count });
        id
    }

    /// Returns the words of the bit row (one bit per token) with the id `id`, which this pool has added.
    fn row(&self, id: u32) -> &[u32] {
        let words = self.lengths.row_words;
        &self.tables.rows[(id - self.tables.bases.rows) as usize * words..][..words]
    }

    /// Returns the id of the bit row (one bit per token) that is nearest to a set of `count` tokens, among the last
    /// [`NEIGHBOURS`] rows of this pool. `None` if no difference is small enough to be worth storing. `apart` gets the
    /// words of a row, the number of its tokens, and a limit. It returns the number of differing tokens, or `None` if
    /// that is not below the limit.
    fn nearest(
        &self,
        count: u32,
        apart: impl Fn((&[u32], u32), usize) -> Option<usize>,
    ) -> Option<u32> {
        let base = self.tables.bases.rows;
        let rows = (base..).zip(self.row_counts.iter().copied());
        let newest = rows.skip(self.row_counts.len().saturating_sub(NEIGHBOURS));
        let limit = self.lengths.worth_differing(count) + 1;
        nearest(newest, count, limit, |id, limit| {
            apart((self.row(id), self.row_counts[(id - base) as usize]), limit)
        })
    }
}

/// Returns the token ids of the stored mask with the id `mask`, ascending. The mask is one of the vocabulary's.
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
