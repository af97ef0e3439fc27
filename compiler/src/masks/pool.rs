//! The mask pool: sets of tokens as records of a dense row, a minus list and a plus list.
//!
//! What a mask costs the runtime is a row to copy, where it has one, and a step for each token of its lists; a row costs as
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

use std::ops::Range;

use grammarc_artifacts::sections::masks::MaskRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::{Tables, TablesData};
use rustc_hash::FxHashMap;

use super::ordered::{Ordered, for_each_bit};
use super::outcome::{Outcome, Taken, count_of, cut_all, minus};
use super::shared::SharedOutcomes;
use crate::sequences::Sequences;

/// How many of the newest own rows a new wide mask is compared with.
const NEIGHBOURS: usize = 128;

/// Spans from which on an outcome is looked up first.
const MANY_SPANS: usize = 6;

/// Words of a row that are copied in the time in which one token of a list is set.
const WORDS_A_TOKEN: usize = 16;

/// A pool under construction.
pub struct Pool<'a> {
    trie: Trie<'a>,
    shared: Tables<'a>,
    known: &'a SharedOutcomes,
    tables: TablesData,
    /// Whether other grammars share the rows.
    is_vocabulary: bool,
    /// Contents of the own masks, by number: the row, the length of the minus list, both lists.
    contents: Sequences,
    /// Outcomes that were expensive to find: the state taken over from, how many ranges are not taken, these ranges, the
    /// other spans.
    outcomes: Sequences,
    /// By outcome, its mask.
    of_outcome: Vec<u32>,
    /// By own state, the mask that others are derived from, and its ranks.
    models: FxHashMap<u32, (u32, &'a [Range<u32>])>,
    /// By own row, how many tokens are in it.
    row_counts: Vec<u32>,
    content: Vec<u32>,
    scratch: Vec<u32>,
    words: Vec<u32>,
    ordered: Ordered,
}

impl<'a> Pool<'a> {
    /// An empty pool, numbered on from the vocabulary's masks and rows, or that of a vocabulary itself.
    pub fn new(
        trie: Trie<'a>,
        shared: Tables<'a>,
        known: &'a SharedOutcomes,
        tables: TablesData,
        is_vocabulary: bool,
    ) -> Self {
        let ordered = Ordered::new(tables.row_words as usize);
        Self {
            trie,
            shared,
            known,
            tables,
            is_vocabulary,
            contents: Sequences::default(),
            outcomes: Sequences::default(),
            of_outcome: Vec::new(),
            models: FxHashMap::default(),
            row_counts: Vec::new(),
            content: Vec::new(),
            scratch: Vec::new(),
            words: Vec::new(),
            ordered,
        }
    }

    /// Notes that masks are derived from that of an own state, whose tokens have these ranks.
    pub fn add_model(&mut self, state: u32, mask: u32, ranks: &'a [Range<u32>]) {
        self.models.insert(state, (mask, ranks));
    }

    /// The mask that is taken over from a state, and its ranks.
    fn taken(&self, state: u32) -> (MaskRecord, &'a [Range<u32>]) {
        match self.models.get(&state) {
            Some(&(mask, ranks)) => (*self.record(mask), ranks),
            None => {
                let record = self.shared.masks[self.shared.states[state as usize].base as usize];
                (record, self.known.spans(self.shared, self.trie, state))
            }
        }
    }

    fn record(&self, mask: u32) -> &MaskRecord {
        match mask.checked_sub(self.tables.bases.masks) {
            Some(own) => &self.tables.masks[own as usize],
            None => &self.shared.masks[mask as usize],
        }
    }

    /// The mask of an outcome's tokens and of `extra`, ascending ids that no rank stands for. Most states of a grammar
    /// have the outcome of another, so that of many spans is looked up before it is turned into ids.
    pub fn intern(&mut self, outcome: &Outcome, extra: &[u32]) -> u32 {
        let is_plain = outcome.taken.is_none();
        let is_small = is_plain && outcome.spans.len() < MANY_SPANS;
        let is_small = is_small && outcome.count() as usize <= self.always_listed();
        if !extra.is_empty() || is_small {
            return self.find(outcome, extra);
        }
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        let (state, except) = match &outcome.taken {
            Some(taken) => (taken.state, &taken.except[..]),
            None => (NONE, &[][..]),
        };
        words.extend([state, except.len() as u32]);
        let spans = except.iter().chain(&outcome.spans);
        words.extend(spans.flat_map(|span| [span.start, span.end]));
        let number = self.outcomes.number(&words) as usize;
        self.words = words;
        if number == self.of_outcome.len() {
            let id = self.find(outcome, &[]);
            self.of_outcome.push(id);
        }
        self.of_outcome[number]
    }

    fn find(&mut self, outcome: &Outcome, extra: &[u32]) -> u32 {
        if let Some(taken) = &outcome.taken {
            if extra.is_empty()
                && let Some(id) = self.differing(taken, &outcome.spans)
            {
                return id;
            }
            let (record, ranks) = self.taken(taken.state);
            if count_of(&taken.except) < record.count / 2 {
                return self.redrawn(&record, taken, &outcome.spans, extra);
            }
            return self.find(&outcome.over(ranks), extra);
        }
        let count = outcome.count() as usize + extra.len();
        if count <= self.most_listed() {
            let ids = self.gathered(outcome, extra);
            return self.few(ids);
        }
        let mut row = self.cleared();
        let runs = outcome.spans.iter().map(|span| self.tokens(span));
        runs.chain([extra]).for_each(|tokens| set_all(&mut row, tokens));
        let count = count_ones(&row);
        self.wide(row, count)
    }

    /// The mask of another state's tokens, whose mask is `record`, but for some ranks, and with those of `spans`: drawn
    /// over that state's row.
    fn redrawn(
        &mut self,
        record: &MaskRecord,
        taken: &Taken,
        spans: &[Range<u32>],
        extra: &[u32],
    ) -> u32 {
        let mut row = self.cleared();
        if record.row != NONE {
            row.copy_from_slice(self.row(record.row));
        }
        let tables = self.tables_of(taken.state);
        // What is excepted may be among the tokens that the record adds.
        set_all(&mut row, tables.plus(record));
        let gone = taken.except.iter().map(|span| self.tokens(span));
        for ids in gone.chain([tables.minus(record)]) {
            ids.iter().for_each(|&id| row[id as usize / 32] &= !(1 << (id % 32)));
        }
        let new = spans.iter().map(|span| self.tokens(span));
        new.chain([extra]).for_each(|ids| set_all(&mut row, ids));
        let count = count_ones(&row);
        if count as usize > self.most_listed() {
            return self.wide(row, count);
        }
        let mut ids = Vec::with_capacity(count as usize);
        add_ids(&row, &mut ids);
        self.scratch = row;
        self.few(ids)
    }

    /// The tables that hold the lists of a state's mask.
    fn tables_of(&self, state: u32) -> Tables<'_> {
        if self.models.contains_key(&state) { self.tables.as_tables() } else { self.shared }
    }

    /// The tokens of some ranks.
    fn tokens(&self, span: &Range<u32>) -> &'a [u32] {
        &self.trie.token_of_rank[span.start as usize..span.end as usize]
    }

    /// A row without tokens, in the scratch buffer, which the caller gives back.
    fn cleared(&mut self) -> Vec<u32> {
        let mut row = std::mem::take(&mut self.scratch);
        row.clear();
        row.resize(self.tables.row_words as usize, 0);
        row
    }

    /// The record of a set of few tokens, ascending.
    fn few(&mut self, ids: Vec<u32>) -> u32 {
        if ids.len() <= self.always_listed() { self.put_list(ids) } else { self.narrow(ids) }
    }

    /// The record of a set that takes less than half a row as a list: it is held against the rows token by token.
    fn narrow(&mut self, ids: Vec<u32>) -> u32 {
        let count = ids.len() as u32;
        let is_in = |row: &[u32], id: u32| row[id as usize / 32] >> (id % 32) & 1 == 1;
        let apart = |row: u32, limit: usize| {
            let (count, words) = (self.row_count(row) as usize, self.row(row));
            // So many that are not in the row make the difference as large as the limit.
            let most = (limit + ids.len()).saturating_sub(count).div_ceil(2);
            let missing = ids.iter().filter(|&&id| !is_in(words, id)).take(most).count();
            (missing < most).then(|| count + 2 * missing - ids.len())
        };
        let nearest = self.nearest(count, apart);
        let Some(nearest) = nearest else { return self.put_list(ids) };
        let mut content = std::mem::take(&mut self.content);
        content.clear();
        content.extend([nearest, 0]);
        let row = self.row(nearest);
        let mut rest = ids.iter().copied().peekable();
        for (index, &word) in row.iter().enumerate().filter(|&(_, &word)| word != 0) {
            let mut gone = word;
            while let Some(id) = rest.next_if(|&id| id as usize / 32 <= index) {
                if id as usize / 32 == index {
                    gone &= !(1 << (id % 32));
                }
            }
            add_word(gone, index, &mut content);
        }
        content[1] = content.len() as u32 - 2;
        content.extend(ids.iter().filter(|&&id| !is_in(row, id)));
        self.scratch = ids;
        self.content = content;
        self.put(count)
    }

    /// The token ids of a set, ascending, in the scratch buffer, which the caller gives back.
    fn gathered(&mut self, outcome: &Outcome, extra: &[u32]) -> Vec<u32> {
        let mut ids = std::mem::take(&mut self.scratch);
        ids.clear();
        for span in &outcome.spans {
            match self.tokens(span) {
                &[id] => ids.push(id),
                many => ids.extend_from_slice(many),
            }
        }
        ids.extend_from_slice(extra);
        self.ordered.put_in_order(&mut ids);
        ids
    }

    /// The record of a list alone, of which the scratch buffer is made.
    fn put_list(&mut self, ids: Vec<u32>) -> u32 {
        self.content.clear();
        self.content.extend([NONE, 0]);
        self.content.extend_from_slice(&ids);
        let count = ids.len() as u32;
        self.scratch = ids;
        self.put(count)
    }

    /// The mask of another state's tokens but for some ranks, and with those of `spans`, where it takes little to tell
    /// it from that mask.
    fn differing(&mut self, taken: &Taken, spans: &[Range<u32>]) -> Option<u32> {
        let (record, stored) = self.taken(taken.state);
        // Most of what differs in much is told by the lengths.
        let most = self.most_listed() as u32;
        let mut gone = 0;
        let mut ranges = cut_all(stored, &taken.except);
        let limit = most + count_of(spans);
        if ranges.any(|range| {
            gone += range.end - range.start;
            gone > limit
        }) {
            return None;
        }
        let within = |ranges| cut_all(stored, ranges).collect::<Vec<_>>();
        let gone = minus(&within(&taken.except), spans);
        let new = minus(spans, &within(spans));
        if count_of(&gone).max(count_of(&new)) > most {
            return None;
        }
        let model = self.models.get(&taken.state);
        if let Some(&(mask, _)) = model.filter(|_| gone.is_empty() && new.is_empty()) {
            return Some(mask);
        }
        let gone = self.sorted_ids(&gone);
        let new = self.sorted_ids(&new);
        let count = record.count + new.len() as u32 - gone.len() as u32;
        let is_list = count as usize <= self.always_listed();
        if is_list != (record.row == NONE) {
            return None;
        }
        let mut content = std::mem::take(&mut self.content);
        let tables = self.tables_of(taken.state);
        let (without, with) = (tables.minus(&record), tables.plus(&record));
        content.clear();
        content.extend([record.row, 0]);
        merge(without, &new, &gone, with, &mut content);
        content[1] = content.len() as u32 - 2;
        merge(with, &gone, &new, without, &mut content);
        let listed = content.len() - 2;
        self.content = content;
        if !is_list && listed > self.worth_differing(count) {
            return None;
        }
        Some(self.put(count))
    }

    /// The record of the row and lists in `content`.
    fn put(&mut self, count: u32) -> u32 {
        let content = &self.content[..];
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

    /// Token ids of ranks, ascending.
    fn sorted_ids(&mut self, spans: &[Range<u32>]) -> Vec<u32> {
        let mut ids = Vec::new();
        spans.iter().for_each(|span| ids.extend_from_slice(self.tokens(span)));
        self.ordered.put_in_order(&mut ids);
        ids
    }

    /// Number of dense rows of its own.
    pub fn rows(&self) -> usize {
        self.tables.rows.len() / (self.tables.row_words as usize).max(1)
    }

    /// The tables with the pool's records, rows and lists in them.
    pub fn finish(self) -> TablesData {
        self.tables
    }

    /// Most tokens of a set that has no row, whatever the rows.
    fn always_listed(&self) -> usize {
        self.tables.row_words as usize / WORDS_A_TOKEN
    }

    /// Most tokens of a set that is gathered as a list, and in which a mask differs from its row.
    fn most_listed(&self) -> usize {
        if self.is_vocabulary { self.always_listed() } else { self.half_a_row() }
    }

    /// Most tokens whose list takes half the room of a row.
    fn half_a_row(&self) -> usize {
        self.tables.row_words as usize / 2
    }

    /// Most tokens in which a set of `count` tokens differs from its row.
    fn worth_differing(&self, count: u32) -> usize {
        self.most_listed().min(count as usize / 2)
    }

    /// The record of a set that a row may be worth, made of the scratch buffer.
    fn wide(&mut self, row: Vec<u32>, count: u32) -> u32 {
        let mut content = std::mem::take(&mut self.content);
        content.clear();
        if let Some(nearest) = self.nearest(count, |id, limit| self.apart(&row, id, limit)) {
            content.extend([nearest, 0]);
            let old = self.row(nearest);
            let pairs = old.iter().zip(&row).enumerate();
            for (index, (&old, &new)) in pairs.clone() {
                add_word(old & !new, index, &mut content);
            }
            content[1] = content.len() as u32 - 2;
            for (index, (&old, &new)) in pairs {
                add_word(new & !old, index, &mut content);
            }
        } else {
            content.extend([self.tables.bases.rows + self.rows() as u32, 0]);
            self.tables.rows.extend_from_slice(&row);
            self.row_counts.push(count);
        }
        self.scratch = row;
        self.content = content;
        self.put(count)
    }

    fn row(&self, id: u32) -> &[u32] {
        let words = self.tables.row_words as usize;
        match id.checked_sub(self.tables.bases.rows) {
            Some(own) => &self.tables.rows[own as usize * words..][..words],
            None => &self.shared.rows[id as usize * words..][..words],
        }
    }

    /// How many tokens are in a row.
    fn row_count(&self, id: u32) -> u32 {
        match id.checked_sub(self.tables.bases.rows) {
            Some(own) => self.row_counts[own as usize],
            None => self.known.row_counts()[id as usize],
        }
    }

    /// The rows of about as many tokens as a set of `count`, by how many more or less they have, and that difference.
    fn near(&self, count: u32) -> Vec<(usize, u32)> {
        let base = self.tables.bases.rows;
        let own = self.rows() as u32;
        let first_own = own.saturating_sub(NEIGHBOURS as u32);
        let limit = self.worth_differing(count) + 1;
        let candidates = (0..base).chain(base + first_own..base + own);
        let candidates = candidates.map(|id| (self.row_count(id).abs_diff(count) as usize, id));
        let mut near: Vec<_> = candidates.filter(|&(apart, _)| apart < limit).collect();
        near.sort_unstable();
        near
    }

    /// The row of these that differs least from a set of `count` tokens, where the difference is worth storing; `apart` says
    /// in how many tokens a row differs from the set, if they are fewer than a limit. Those of about as many tokens are
    /// looked at first, so most others are ruled out by their number.
    fn nearest(&self, count: u32, apart: impl Fn(u32, usize) -> Option<usize>) -> Option<u32> {
        let mut limit = self.worth_differing(count) + 1;
        let mut best = None;
        for (least, id) in self.near(count) {
            if least >= limit {
                break;
            }
            if let Some(distance) = apart(id, limit) {
                (limit, best) = (distance, Some(id));
            }
        }
        best
    }

    /// In how many tokens a row differs from another set, if they are fewer than a limit.
    fn apart(&self, row: &[u32], id: u32, limit: usize) -> Option<usize> {
        let mut distance = 0;
        // In blocks, so that a row that is far off is given up early.
        for (new, old) in row.chunks(64).zip(self.row(id).chunks(64)) {
            let pairs = new.iter().zip(old);
            distance += pairs.map(|(a, b)| (a ^ b).count_ones() as usize).sum::<usize>();
            if distance >= limit {
                return None;
            }
        }
        Some(distance)
    }
}

/// The tokens of a mask of the vocabulary's tables, ascending.
pub(super) fn stored(shared: Tables<'_>, mask: u32) -> Vec<u32> {
    let record = &shared.masks[mask as usize];
    let mut ids = shared.plus(record).to_vec();
    if record.row != NONE {
        let words = shared.row_words as usize;
        let row = &shared.rows[record.row as usize * words..][..words];
        add_ids(row, &mut ids);
        let minus = shared.minus(record);
        ids.retain(|id| minus.binary_search(id).is_err());
        ids.sort_unstable();
    }
    ids
}

/// Appends `list` without `dropped`, and with what of `added` is not in `known`: all ascending, `added` disjoint from
/// `list`.
fn merge(list: &[u32], dropped: &[u32], added: &[u32], known: &[u32], to: &mut Vec<u32>) {
    let is_new = |id: &u32| known.binary_search(id).is_err();
    let mut added = added.iter().copied().filter(is_new).peekable();
    let mut dropped = dropped.iter().copied().peekable();
    for &id in list {
        while dropped.next_if(|&other| other < id).is_some() {}
        while let Some(first) = added.next_if(|&other| other < id) {
            to.push(first);
        }
        if dropped.peek() != Some(&id) {
            to.push(id);
        }
    }
    to.extend(added);
}

/// Appends the token ids of a row.
fn add_ids(row: &[u32], to: &mut Vec<u32>) {
    for (chunk, words) in row.chunks(16).enumerate() {
        if words.iter().any(|&word| word != 0) {
            (16 * chunk..).zip(words).for_each(|(index, &word)| add_word(word, index, to));
        }
    }
}

fn set_all(row: &mut [u32], ids: &[u32]) {
    ids.iter().for_each(|&id| row[id as usize / 32] |= 1 << (id % 32));
}

fn count_ones(row: &[u32]) -> u32 {
    row.iter().map(|word| word.count_ones()).sum()
}

/// Appends the token ids of a word of a row.
fn add_word(word: u32, index: usize, to: &mut Vec<u32>) {
    for_each_bit(word.into(), |bit| to.push(index as u32 * 32 + bit));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_are_merged_as_sets(
            list in prop::collection::btree_set(0u32..60, 0..30),
            dropped in prop::collection::btree_set(0u32..60, 0..20),
            added in prop::collection::btree_set(0u32..60, 0..20),
            known in prop::collection::btree_set(0u32..60, 0..20),
        ) {
            let added = &added - &list;
            let expected: Vec<u32> = (&(&list - &dropped) | &(&added - &known)).into_iter().collect();
            let [list, dropped, added, known] =
                [list, dropped, added, known].map(|set: BTreeSet<u32>| Vec::from_iter(set));
            let mut merged = Vec::new();
            merge(&list, &dropped, &added, &known, &mut merged);
            prop_assert_eq!(merged, expected);
        }
    }
}
