//! Encodes the token sets of outcomes in their [forms](super::form), on any thread, before masks get their ids.
//!
//! Turning the ranks of an outcome into ascending token ids is most of the work of a mask. A rank is a token's index in
//! byte order. The work depends on the vocabulary and on the masks of references. A reference is a state from whose
//! mask other masks are derived. The work does not depend on the order of the states, so any thread may do it
//! [ahead](Encoder::encode_new). The thread that takes the results only looks the form up ([`pool`](super::pool)).
//!
//! The form of a derived set follows from its difference to the reference's set. The size of the difference to the
//! reference's bit row bounds the search for the nearest row.
//!
//! Cost: O(tokens that differ from the reference's mask), or O(tokens) and a search among the rows.

use std::borrow::Cow;
use std::ops::Range;

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;
use rustc_hash::{FxHashMap, FxHashSet};

use super::form::{BITS, Form};
use super::lengths::Lengths;
use super::nearest_row::{SharedRows, apart_from_ids, describe_difference};
use super::sort_ids::IdSorter;
use crate::interner;
use crate::masks::bits::{add_ids, clear_all, count_ones, distance, set_all};
use crate::masks::outcome::ranks::{LazyRanks, RowRanks, row_of};
use crate::masks::outcome::spans::{count_of, minus};
use crate::masks::outcome::{Delta, Outcome};
use crate::masks::shared::facts::VocabularyFacts;

/// The least number of spans (ranges of token ranks) for which an outcome (tokens and exits) is looked up before it is
/// encoded. With fewer, encoding a short list costs no more than the look-up.
const MANY_SPANS: usize = 6;

/// The result of encoding a set of tokens: an equal set that exists already, or the words of a new one.
#[derive(Debug)]
pub(crate) enum Encoded {
    /// The index of an equal set that the [pool](super::pool::Pool) of token sets has already.
    Set(u32),
    /// The words of the set's [form](super::form), and the number of tokens in the set.
    Form { words: Vec<u32>, count: u32 },
}

/// The tokens and exit nodes of a mask. The mask belongs to a state, or to a return state (state after a call) with a
/// set of exits (nodes where a callee returns).
#[derive(Debug, Default)]
pub(crate) struct Computed {
    /// The consumed tokens, and the exits: trie nodes at which the rule returns.
    pub(crate) outcome: Outcome,
    /// Ids of additional tokens that have no rank (index in byte order), because the grammar matches them by id;
    /// ascending.
    pub(crate) extra: Vec<u32>,
    /// The encoded token set, if a thread encoded it ahead, before the sets get their indexes.
    pub(crate) encoded: Option<Encoded>,
}

impl From<Outcome> for Computed {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, ..Self::default() }
    }
}

/// One thread's reused buffers for encoding token sets.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// Sorts token ids and removes duplicates.
    ordered: IdSorter,
    /// A buffer for token ids.
    ids: Vec<u32>,
    /// A buffer for a bit row (one bit per token).
    row: Vec<u32>,
    /// A buffer for the words of a form (an encoded token set) or of the description of an outcome (tokens and exits).
    words: Vec<u32>,
    /// Hashes of the outcomes (consumed tokens and exit nodes) that this thread has encoded so far.
    /// [`Encoder::encode_new`] skips an outcome whose hash is in the set.
    seen: FxHashSet<u64>,
}

impl Scratch {
    /// Returns empty buffers, for bit rows (one bit per token) of `row_words` words of 32 bits.
    pub(crate) fn new(row_words: usize) -> Self {
        Self {
            ordered: IdSorter::new(row_words),
            ids: Vec::new(),
            row: Vec::new(),
            words: Vec::new(),
            seen: FxHashSet::default(),
        }
    }

    /// Takes back the words of an encoded token set, so that the next set reuses their memory.
    pub(crate) fn give_back(&mut self, encoded: Encoded) {
        if let Encoded::Form { words, .. } = encoded {
            self.words = words;
        }
    }

    /// Takes from these buffers the one for a bit row (one bit per token), with all bits cleared. A row has `row_words`
    /// words of 32 bits.
    fn cleared(&mut self, row_words: usize) -> Vec<u32> {
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        row.resize(row_words, 0);
        row
    }
}

/// The token set of a reference, from which sets of other states are derived. The set is stored as a bit row (one bit
/// per token) and two lists: tokens to remove from the row, and tokens to add.
pub(crate) struct ReferenceSet<'a> {
    /// The index of the set in the pool of token sets.
    pub(crate) set: u32,
    /// Id of the vocabulary's bit row (one bit per token) from which the set is stored as a difference. [`NONE`] if the
    /// set is stored as a list of tokens, [`BITS`] if it has a bit row of its own.
    pub(crate) row: u32,
    /// The words of the bit row that `row` denotes, one bit per token. Empty if the set is stored as a list of tokens.
    pub(crate) words: Cow<'a, [u32]>,
    /// Ids of the tokens that are in the bit row (one bit per token) but not in the set, ascending.
    pub(crate) minus: Vec<u32>,
    /// Ids of the tokens that are in the set but not in the bit row (one bit per token), ascending. All tokens of a set
    /// stored as a list.
    pub(crate) plus: Vec<u32>,
    /// The number of tokens in the set.
    pub(crate) count: u32,
    /// The ranks (token indexes in byte order) of the set's tokens. If they are not known, the set as a bit row (one
    /// bit per token), from which ranks are found on demand.
    pub(crate) ranks: Result<&'a [Range<u32>], LazyRanks>,
}

/// Encodes token sets as lists, as bit rows (one bit per token), or as differences from bit rows. Holds the bit rows of
/// the vocabulary, and the token sets from which other sets are derived.
pub(crate) struct Encoder<'a> {
    /// The token trie: the prefix tree of the tokens' byte strings.
    trie: Trie<'a>,
    /// The tables of the vocabulary: its states, rules and stored masks.
    shared: Tables<'a>,
    /// Indexes over the vocabulary's trie, rules and stored masks.
    known: &'a VocabularyFacts,
    /// The limits on the lengths of token lists, in tokens.
    lengths: Lengths,
    /// The bit rows (one bit per token) of the vocabulary.
    rows: SharedRows<'a>,
    /// Maps a state of the grammar itself to its token set, if sets of other states are derived from it.
    references: FxHashMap<u32, ReferenceSet<'a>>,
}

/// A borrowed token set from which another set is derived. It is a bit row (one bit per token) and two lists: tokens to
/// remove from the row, and tokens to add.
struct Reference<'s> {
    /// The index of the set in the pool of token sets; `None` for a state of the vocabulary.
    set: Option<u32>,
    /// Id of the vocabulary's bit row (one bit per token) from which the set is stored as a difference. [`NONE`] if the
    /// set is stored as a list of tokens, [`BITS`] if it has a bit row of its own.
    row: u32,
    /// The words of the bit row that `row` denotes, one bit per token. Empty if the set is stored as a list of tokens.
    words: &'s [u32],
    /// Ids of the tokens that are in the bit row (one bit per token) but not in the set, ascending.
    minus: &'s [u32],
    /// Ids of the tokens that are in the set but not in the bit row (one bit per token), ascending. All tokens of a set
    /// stored as a list.
    plus: &'s [u32],
    /// The number of tokens in the set.
    count: u32,
    /// The ranks (token indexes in byte order) of the set's tokens.
    ranks: RowRanks<'s>,
}

impl<'a> Encoder<'a> {
    /// Returns an encoder with the bit rows (one bit per token) of a vocabulary, and no token sets of a grammar's
    /// states yet.
    pub(crate) fn new(
        trie: Trie<'a>,
        shared: Tables<'a>,
        known: &'a VocabularyFacts,
        lengths: Lengths,
    ) -> Self {
        let rows = SharedRows::new(shared, known, lengths);
        Self { trie, shared, known, lengths, rows, references: FxHashMap::default() }
    }

    /// Returns the limits on the lengths of token lists, in tokens.
    pub(crate) fn lengths(&self) -> Lengths {
        self.lengths
    }

    /// Adds the token set of a state of the grammar to this encoder, so that the sets of other states can be derived
    /// from it.
    pub(crate) fn add_reference(&mut self, state: u32, reference: ReferenceSet<'a>) {
        self.references.insert(state, reference);
    }

    /// Returns the token set of a state from which other sets are derived. A state of the grammar must have been
    /// [added](Self::add_reference).
    fn reference(&self, state: u32) -> Reference<'_> {
        if let Some(reference) = self.references.get(&state) {
            let &ReferenceSet { set, row, ref words, ref minus, ref plus, count, ref ranks } =
                reference;
            let ranks = match ranks {
                Ok(ranks) => RowRanks::Known(ranks),
                Err(row) => RowRanks::LazyRanks(row),
            };
            return Reference { set: Some(set), row, words, minus, plus, count, ranks };
        }
        let record = self.shared.masks[self.shared.states[state as usize].base as usize];
        Reference {
            set: None,
            row: record.row,
            words: row_of(self.shared, record.row),
            minus: self.shared.minus(&record),
            plus: self.shared.plus(&record),
            count: record.count,
            ranks: RowRanks::Known(self.known.spans(self.shared, self.trie, state)),
        }
    }

    /// Whether an outcome (consumed tokens and exit nodes) should be looked up among known outcomes before it is
    /// encoded. Most states of a grammar have the outcome of another. False if `extra` has tokens, or if the outcome is
    /// so small that encoding costs no more than the look-up.
    pub(crate) fn is_looked_up(&self, outcome: &Outcome, extra: &[u32]) -> bool {
        let is_small = outcome.delta.is_none()
            && outcome.spans.len() < MANY_SPANS
            && outcome.count() as usize <= self.lengths.always_listed();
        extra.is_empty() && !is_small
    }

    /// Encodes the token set of an outcome (consumed tokens and exit nodes) ahead, before sets get their indexes. Does
    /// nothing if this thread has encoded an equal outcome before.
    pub(crate) fn encode_new(&self, found: &mut Computed, scratch: &mut Scratch) {
        let Computed { outcome, extra, encoded } = found;
        if self.is_looked_up(outcome, extra) {
            let mut words = std::mem::take(&mut scratch.words);
            describe(outcome, &mut words);
            let is_new = scratch.seen.insert(interner::hash(&words));
            scratch.words = words;
            if !is_new {
                return;
            }
        }
        *encoded = Some(self.encode(outcome, extra, scratch));
    }

    /// Encodes the set of an outcome's consumed tokens and of the token ids `extra`. An outcome has the consumed tokens
    /// and exit nodes of a state.
    pub(crate) fn encode(
        &self,
        outcome: &Outcome,
        extra: &[u32],
        scratch: &mut Scratch,
    ) -> Encoded {
        if let Some(Delta { reference, excluded }) = &outcome.delta {
            let reference = self.reference(*reference);
            if extra.is_empty()
                && let Some(encoded) = self.differing(&reference, excluded, &outcome.spans, scratch)
            {
                return encoded;
            }
            if reference.ranks.is_dear() || count_of(excluded) < reference.count / 2 {
                return self.encoded_over(&reference, excluded, &outcome.spans, extra, scratch);
            }
            return self.encode(&outcome.over(reference.ranks.all(self.trie)), extra, scratch);
        }
        let count = outcome.count() as usize + extra.len();
        if count <= self.lengths.most_listed() {
            let ids = self.gathered(outcome, extra, scratch);
            let encoded = self.of_ids(&ids, scratch);
            scratch.ids = ids;
            return encoded;
        }
        let mut row = scratch.cleared(self.lengths.row_words);
        let runs = outcome.spans.iter().map(|span| self.tokens(span));
        runs.chain([extra]).for_each(|tokens| set_all(&mut row, tokens));
        let encoded = self.of_row(&row, scratch);
        scratch.row = row;
        encoded
    }

    /// Encodes the tokens of a bit row (one bit per token).
    pub(crate) fn of_row(&self, row: &[u32], scratch: &mut Scratch) -> Encoded {
        let count = count_ones(row);
        if count as usize <= self.lengths.most_listed() {
            let mut ids = std::mem::take(&mut scratch.ids);
            ids.clear();
            add_ids(row, &mut ids);
            let encoded = self.of_ids(&ids, scratch);
            scratch.ids = ids;
            return encoded;
        }
        let mut words = std::mem::take(&mut scratch.words);
        match self.rows.nearest(count, |(other, _), limit| distance(row, other, limit)) {
            Some(nearest) => self.write_near(nearest, row, &mut words),
            None => Form::Bits(row).write(&mut words),
        }
        Encoded::Form { words, count }
    }

    /// Encodes a set of token ids, which must ascend.
    fn of_ids(&self, ids: &[u32], scratch: &mut Scratch) -> Encoded {
        let count = ids.len() as u32;
        let is_list = ids.len() <= self.lengths.always_listed();
        let apart =
            |(row, count): (&[u32], u32), limit: usize| apart_from_ids(ids, row, count, limit);
        let nearest = if is_list { None } else { self.rows.nearest(count, apart) };
        let mut words = std::mem::take(&mut scratch.words);
        match nearest {
            Some(nearest) => {
                let mut row = scratch.cleared(self.lengths.row_words);
                set_all(&mut row, ids);
                self.write_near(nearest, &row, &mut words);
                scratch.row = row;
            }
            None => Form::List(ids).write(&mut words),
        }
        Encoded::Form { words, count }
    }

    /// Writes the form (32-bit words) of the token set in the bit row `row`, with one bit per token. The form is the
    /// difference from the vocabulary's bit row with the id `nearest`.
    fn write_near(&self, nearest: u32, row: &[u32], words: &mut Vec<u32>) {
        words.clear();
        words.push(nearest);
        describe_difference(row_of(self.shared, nearest), row, words);
    }

    /// Encodes a set that is derived from another. The set has the tokens of `reference` without those of `except`, and
    /// the tokens of `spans` and `extra`. `except` and `spans` are ranks (token indexes in byte order), `extra` are
    /// token ids. The set is assembled as a bit row (one bit per token).
    fn encoded_over(
        &self,
        reference: &Reference<'_>,
        except: &[Range<u32>],
        spans: &[Range<u32>],
        extra: &[u32],
        scratch: &mut Scratch,
    ) -> Encoded {
        let mut row = scratch.cleared(self.lengths.row_words);
        if !reference.words.is_empty() {
            row.copy_from_slice(reference.words);
        }
        // The record's plus list may contain excluded tokens, so it is set before they are cleared.
        set_all(&mut row, reference.plus);
        let gone = except.iter().map(|span| self.tokens(span));
        for ids in gone.chain([reference.minus]) {
            clear_all(&mut row, ids);
        }
        let new = spans.iter().map(|span| self.tokens(span));
        new.chain([extra]).for_each(|ids| set_all(&mut row, ids));
        let encoded = self.of_row(&row, scratch);
        scratch.row = row;
        encoded
    }

    /// Returns the token ids of a range of ranks (token indexes in byte order), in the order of the ranks.
    fn tokens(&self, span: &Range<u32>) -> &'a [u32] {
        &self.trie.token_of_rank[span.start as usize..span.end as usize]
    }

    /// Returns the token ids of an outcome's spans (ranges of token ranks) and of `extra`, ascending. The outcome must
    /// have no delta (tokens of another mask).
    fn gathered(&self, outcome: &Outcome, extra: &[u32], scratch: &mut Scratch) -> Vec<u32> {
        let mut ids = std::mem::take(&mut scratch.ids);
        ids.clear();
        for span in &outcome.spans {
            match self.tokens(span) {
                &[id] => ids.push(id),
                many => ids.extend_from_slice(many),
            }
        }
        ids.extend_from_slice(extra);
        scratch.ordered.put_in_order(&mut ids);
        ids
    }

    /// Encodes a set that is derived from another, from their difference alone. The set has the tokens of `reference`
    /// without the ranks (token indexes in byte order) `except`, and the ranks `spans`. `None` if the difference is too
    /// large or the reference has bits of its own. Also `None` if only one of the two sets is a short list.
    fn differing(
        &self,
        reference: &Reference<'_>,
        except: &[Range<u32>],
        spans: &[Range<u32>],
        scratch: &mut Scratch,
    ) -> Option<Encoded> {
        let &Reference { set, row, minus: without, plus: with, ranks, .. } = reference;
        // Most sets that differ in many tokens are rejected here, by their numbers of tokens alone.
        let most = self.lengths.most_listed() as u32;
        let held = |ranges, most| ranks.held(self.trie, ranges, most);
        let gone = minus(&held(except, most + count_of(spans))?, spans);
        let new = minus(spans, &held(spans, u32::MAX)?);
        if count_of(&gone).max(count_of(&new)) > most {
            return None;
        }
        if let Some(set) = set.filter(|_| gone.is_empty() && new.is_empty()) {
            return Some(Encoded::Set(set));
        }
        let count = reference.count + count_of(&new) - count_of(&gone);
        let is_list = count as usize <= self.lengths.always_listed();
        if row == BITS || is_list != (row == NONE) {
            return None;
        }
        let gone = self.sorted_ids(&gone, scratch);
        let new = self.sorted_ids(&new, scratch);
        let mut words = std::mem::take(&mut scratch.words);
        words.clear();
        words.extend([row, 0]);
        merge(without, &new, &gone, with, &mut words);
        words[1] = words.len() as u32 - 2;
        merge(with, &gone, &new, without, &mut words);
        if is_list {
            return Some(Encoded::Form { words, count });
        }
        if words.len() - 2 > self.lengths.worth_differing(count) {
            scratch.words = words;
            return None;
        }
        let nearest = self.rows.nearest_to(row, &words[2..], count);
        if nearest != row {
            self.move_near(nearest, &mut words, scratch);
        }
        Some(Encoded::Form { words, count })
    }

    /// Rewrites the form (32-bit words) of a token set, which is the difference from some bit row of the vocabulary. It
    /// becomes the difference from the bit row with the id `nearest`.
    fn move_near(&self, nearest: u32, words: &mut Vec<u32>, scratch: &mut Scratch) {
        let mut row = std::mem::take(&mut scratch.row);
        row.clear();
        row.extend_from_slice(row_of(self.shared, words[0]));
        let (minus, plus) = words[2..].split_at(words[1] as usize);
        clear_all(&mut row, minus);
        set_all(&mut row, plus);
        self.write_near(nearest, &row, words);
        scratch.row = row;
    }

    /// Returns the token ids of some ranges of ranks (token indexes in byte order), ascending.
    fn sorted_ids(&self, spans: &[Range<u32>], scratch: &mut Scratch) -> Vec<u32> {
        let mut ids = Vec::with_capacity(count_of(spans) as usize);
        spans.iter().for_each(|span| ids.extend_from_slice(self.tokens(span)));
        scratch.ordered.put_in_order(&mut ids);
        ids
    }
}

/// Writes a description of an outcome's tokens, equal for equal outcomes (consumed tokens and exit nodes). The first
/// word is the state from whose mask the tokens are derived, or [`NONE`]. Then come the number of excluded ranges, the
/// bounds of these ranges, and the bounds of the other spans.
pub(crate) fn describe(outcome: &Outcome, words: &mut Vec<u32>) {
    let (state, except) = match &outcome.delta {
        Some(taken) => (taken.reference, &taken.excluded[..]),
        None => (NONE, &[][..]),
    };
    words.clear();
    words.extend([state, except.len() as u32]);
    let spans = except.iter().chain(&outcome.spans);
    words.extend(spans.flat_map(|span| [span.start, span.end]));
}

/// Appends to `to` the token ids of `list` without `dropped`, merged with the ids of `added` without those in `known`.
/// All lists ascend, and `added` is disjoint from `list`.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::LazyLock;

    use grammarc_artifacts::VocabularyArtifact;
    use grammarc_artifacts::tables::TablesData;
    use proptest::prelude::*;

    use super::super::pool::Pool;
    use super::*;
    use crate::masks::shared::facts::vocabulary;

    static VOCABULARY: LazyLock<VocabularyArtifact> = LazyLock::new(|| vocabulary(5));
    static KNOWN: LazyLock<VocabularyFacts> = LazyLock::new(|| VocabularyFacts::new(&VOCABULARY));

    /// Returns the token ids of an encoded token set.
    fn tokens(encoder: &Encoder<'_>, encoded: &Encoded) -> BTreeSet<u32> {
        let mut ids = Vec::new();
        let Encoded::Form { words, count } = encoded else { panic!("no set is taken over") };
        match Form::of(words) {
            Form::List(listed) => ids.extend_from_slice(listed),
            Form::Bits(row) => add_ids(row, &mut ids),
            Form::Near { row, minus, plus } => {
                add_ids(row_of(encoder.shared, row), &mut ids);
                ids.retain(|id| !minus.contains(id));
                ids.extend_from_slice(plus);
            }
        }
        assert_eq!(ids.len(), *count as usize);
        ids.into_iter().collect()
    }

    proptest! {
        /// Checks that encoded sets have exactly the tokens of their outcomes (consumed tokens and exit nodes).
        /// References, excluded ranges, extra tokens and the limits on lists are random.
        #[test]
        fn what_is_drawn_has_the_tokens_of_the_outcome(
            states in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
            cuts in prop::collection::btree_set(0u32..1 << 16, 0..9),
            extra in prop::collection::btree_set(0u32..1 << 16, 0..3),
            is_vocabulary: bool,
            has_reference: bool,
        ) {
            let (shared, trie, known) = (VOCABULARY.tables(), VOCABULARY.trie(), &*KNOWN);
            let lengths = Lengths { row_words: shared.row_words as usize, is_vocabulary };
            let mut encoder = Encoder::new(trie, shared, known, lengths);
            let mut scratch = Scratch::new(lengths.row_words);
            let count = shared.state_count();
            // Scales a number of sixteen bits to a rank.
            let ranks = trie.token_of_rank.len() as u32;
            let rank = |cut: u32| (cut * ranks) >> 16;
            let cuts: Vec<u32> = cuts.into_iter().map(rank).collect();
            let except = cuts.chunks_exact(2).map(|cut| cut[0]..cut[1]);
            let except: Vec<Range<u32>> = except.filter(|range| !range.is_empty()).collect();
            let spans = except.iter().step_by(2).map(|range| range.start..range.start + 1);
            let spans: Vec<Range<u32>> = spans.collect();
            let token = |rank: u32| trie.token_of_rank[rank as usize];
            let extra: BTreeSet<u32> = extra.into_iter().map(|id| token(rank(id))).collect();
            for state in states {
                let of = state.index(count as usize) as u32;
                let spoken = known.spans(shared, trie, of);
                let state = if has_reference { count + of } else { of };
                if has_reference {
                    let tables = TablesData::empty(shared.totals(), shared.row_words);
                    let mut pool = Pool::new(shared, known, tables, lengths);
                    let all = Outcome { spans: spoken.to_vec(), ..Outcome::default() };
                    let set = pool.set(&encoder, &Computed::from(all));
                    encoder.add_reference(state, pool.reference(set, Some(spoken)));
                }
                let plain = Outcome { spans: spans.clone(), ..Outcome::default() };
                let delta = Some(Delta { reference: state, excluded: except.clone() });
                let taken = Outcome { delta, ..plain.clone() };
                for (outcome, whole) in [(&plain, plain.clone()), (&taken, taken.over(spoken))] {
                    let ranks = whole.spans.iter().cloned().flatten();
                    let expected: BTreeSet<u32> = ranks.map(token).collect();
                    let encoded = encoder.encode(outcome, &[], &mut scratch);
                    let found = match &encoded {
                        // The set of the reference is taken over as it is.
                        Encoded::Set(_) => spoken.iter().cloned().flatten().map(token).collect(),
                        form => tokens(&encoder, form),
                    };
                    prop_assert_eq!(found, expected.clone());
                    scratch.give_back(encoded);
                    let extra: Vec<u32> = extra.difference(&expected).copied().collect();
                    let all: BTreeSet<u32> = expected.into_iter().chain(extra.clone()).collect();
                    let encoded = encoder.encode(outcome, &extra, &mut scratch);
                    let found = match &encoded {
                        Encoded::Set(_) => spoken.iter().cloned().flatten().map(token).collect(),
                        form => tokens(&encoder, form),
                    };
                    prop_assert_eq!(found, all);
                }
            }
        }

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
