//! The mask pool: sets of tokens as records of a dense row, a minus list and a plus list.
//!
//! A set of few tokens is a plus list. A larger one is a dense row, or the difference to a row that exists already (the
//! vocabulary's rows included) where that takes less than half a row. Equal sets are one record. Ids are given in the
//! order of insertion, which the caller keeps independent of threads.

use grammarc_artifacts::sections::masks::MaskRecord;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};
use rustc_hash::FxHashMap;

use super::walk::Outcome;

/// How many of the newest own rows a new wide mask is compared with.
const NEIGHBOURS: usize = 64;

/// What makes a mask: its runs of ranks, and its single tokens.
type Content = (Box<[(u32, u32)]>, Box<[u32]>);

/// A pool under construction.
pub struct Pool<'a> {
    token_of_rank: &'a [u32],
    shared: Tables<'a>,
    tables: TablesData,
    ids: FxHashMap<Content, u32>,
    scratch: Vec<u32>,
}

impl<'a> Pool<'a> {
    /// An empty pool, numbered on from the vocabulary's masks and rows.
    pub fn new(token_of_rank: &'a [u32], shared: Tables<'a>, tables: TablesData) -> Self {
        Self { token_of_rank, shared, tables, ids: FxHashMap::default(), scratch: Vec::new() }
    }

    /// The mask of an outcome's tokens and of `extra`, ascending ids that no rank stands for.
    pub fn intern(&mut self, outcome: &Outcome, extra: &[u32]) -> u32 {
        let spans: Box<[(u32, u32)]> = outcome.spans.iter().map(|s| (s.start, s.end)).collect();
        if let Some(&id) = self.ids.get(&(spans.clone(), extra.into())) {
            return id;
        }
        let count = outcome.count() as usize + extra.len();
        let record = if count <= self.list_limit() {
            self.list(outcome, extra)
        } else {
            self.wide(outcome, extra)
        };
        let id = self.tables.bases.masks + self.tables.masks.len() as u32;
        self.tables.masks.push(record);
        self.ids.insert((spans, extra.into()), id);
        id
    }

    /// Number of dense rows of its own.
    pub fn rows(&self) -> usize {
        self.tables.rows.len() / (self.tables.row_words as usize).max(1)
    }

    /// The tables with the pool's records, rows and lists in them.
    pub fn finish(self) -> TablesData {
        self.tables
    }

    /// Tokens whose list takes half the room of a row.
    fn list_limit(&self) -> usize {
        self.tables.row_words as usize / 2
    }

    fn tokens<'b>(
        &'b self,
        outcome: &'b Outcome,
        extra: &'b [u32],
    ) -> impl Iterator<Item = u32> + 'b {
        let ranks = outcome.spans.iter().flat_map(|span| span.start as usize..span.end as usize);
        ranks.map(|rank| self.token_of_rank[rank]).chain(extra.iter().copied())
    }

    fn list(&mut self, outcome: &Outcome, extra: &[u32]) -> MaskRecord {
        let mut ids: Vec<u32> = self.tokens(outcome, extra).collect();
        ids.sort_unstable();
        ids.dedup();
        let (plus, plus_len) = self.put(&ids);
        MaskRecord { row: NONE, minus: 0, minus_len: 0, plus, plus_len, count: plus_len }
    }

    fn wide(&mut self, outcome: &Outcome, extra: &[u32]) -> MaskRecord {
        let words = self.tables.row_words as usize;
        let mut row = std::mem::take(&mut self.scratch);
        row.clear();
        row.resize(words, 0);
        for token in self.tokens(outcome, extra) {
            row[token as usize / 32] |= 1 << (token % 32);
        }
        let count = row.iter().map(|word| word.count_ones()).sum();
        let record = match self.nearest(&row) {
            Some(nearest) => {
                let old = self.row(nearest);
                let (mut minus, mut plus) = (Vec::new(), Vec::new());
                for (index, (&old, &new)) in old.iter().zip(&row).enumerate() {
                    for_each_bit(old & !new, index, &mut minus);
                    for_each_bit(new & !old, index, &mut plus);
                }
                let (minus, minus_len) = self.put(&minus);
                let (plus, plus_len) = self.put(&plus);
                MaskRecord { row: nearest, minus, minus_len, plus, plus_len, count }
            }
            None => {
                let id = self.tables.bases.rows + self.rows() as u32;
                self.tables.rows.extend_from_slice(&row);
                MaskRecord { row: id, minus: 0, minus_len: 0, plus: 0, plus_len: 0, count }
            }
        };
        self.scratch = row;
        record
    }

    fn put(&mut self, ids: &[u32]) -> (u32, u32) {
        if ids.is_empty() {
            return (0, 0);
        }
        let at = self.tables.lists.len() as u32;
        self.tables.lists.extend_from_slice(ids);
        (at, ids.len() as u32)
    }

    fn row(&self, id: u32) -> &[u32] {
        let words = self.tables.row_words as usize;
        match id.checked_sub(self.tables.bases.rows) {
            Some(own) => &self.tables.rows[own as usize * words..][..words],
            None => &self.shared.rows[id as usize * words..][..words],
        }
    }

    /// The row that differs least, where the difference is worth storing instead of a row. Ties go to the lower id.
    fn nearest(&self, row: &[u32]) -> Option<u32> {
        let base = self.tables.bases.rows;
        let own = self.rows() as u32;
        let first_own = own.saturating_sub(NEIGHBOURS as u32);
        let candidates = (0..base).chain(base + first_own..base + own);
        let mut best: Option<(usize, u32)> = None;
        for id in candidates {
            let limit = best.map_or(self.list_limit() + 1, |(distance, _)| distance);
            let mut distance = 0;
            // In blocks, so that a row that is far off is given up early.
            for (new, old) in row.chunks(64).zip(self.row(id).chunks(64)) {
                let pairs = new.iter().zip(old);
                distance += pairs.map(|(a, b)| (a ^ b).count_ones() as usize).sum::<usize>();
                if distance >= limit {
                    break;
                }
            }
            if distance < limit {
                best = Some((distance, id));
            }
        }
        best.map(|(_, id)| id)
    }
}

/// The tokens of a mask of the vocabulary's tables, ascending.
pub(super) fn stored(shared: Tables<'_>, mask: u32) -> Vec<u32> {
    let record = &shared.masks[mask as usize];
    let mut ids = shared.plus(record).to_vec();
    if record.row != NONE {
        let words = shared.row_words as usize;
        let row = &shared.rows[record.row as usize * words..][..words];
        row.iter().enumerate().for_each(|(index, &word)| for_each_bit(word, index, &mut ids));
        let minus = shared.minus(record);
        ids.retain(|id| minus.binary_search(id).is_err());
        ids.sort_unstable();
    }
    ids
}

fn for_each_bit(mut word: u32, index: usize, ids: &mut Vec<u32>) {
    while word != 0 {
        ids.push(index as u32 * 32 + word.trailing_zeros());
        word &= word - 1;
    }
}
