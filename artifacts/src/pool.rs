//! The stored masks of a vocabulary and a grammar in one numbering.
//!
//! The masks of an artifact are in three of its tables. A [`MaskPool`] refers to these alone, so a step gets it with a
//! few loads.

use crate::sections::masks::MaskRecord;
use crate::sections::network::NONE;
use crate::tables::{Joined, Tables};

/// The tables that hold the masks of one artifact.
#[derive(Clone, Copy, Debug)]
pub struct MaskTables<'a> {
    /// Id of the artifact's first mask: the number of masks before it.
    pub(crate) first_mask: u32,
    /// Id of the artifact's first dense row: the number of dense rows before it.
    pub(crate) first_row: u32,
    /// Number of 32-bit words of a dense row.
    pub(crate) row_words: u32,
    pub(crate) masks: &'a [MaskRecord],
    pub(crate) rows: &'a [u32],
    pub(crate) lists: &'a [u32],
}

impl<'a> MaskTables<'a> {
    #[inline]
    fn list(&self, first: u32, len: u32) -> &'a [u32] {
        &self.lists[first as usize..][..len as usize]
    }

    #[inline]
    fn row(&self, index: u32) -> &'a [u32] {
        let words = self.row_words as usize;
        &self.rows[index as usize * words..][..words]
    }
}

impl<'a> From<&Tables<'a>> for MaskTables<'a> {
    fn from(tables: &Tables<'a>) -> Self {
        Self {
            first_mask: tables.bases.masks,
            first_row: tables.bases.rows,
            row_words: tables.row_words,
            masks: tables.masks,
            rows: tables.rows,
            lists: tables.lists,
        }
    }
}

/// The masks of a vocabulary and of a grammar, in one numbering.
#[derive(Clone, Copy, Debug)]
pub struct MaskPool<'a> {
    /// Masks of the vocabulary's shared rules.
    pub(crate) shared: MaskTables<'a>,
    /// Masks of the grammar's own rules.
    pub(crate) own: MaskTables<'a>,
}

/// One stored mask, a set of tokens: those of `row` without those of `minus`, and those of `plus`.
#[derive(Clone, Copy, Debug)]
pub struct StoredMask<'a> {
    /// Dense row, one bit for each token in words of 32. `None` for a mask that is only the list `plus`.
    pub row: Option<&'a [u32]>,
    /// Ids of the tokens of the row that are not in the mask, ascending.
    pub minus: &'a [u32],
    /// Ids of the tokens of the mask that are not in the row, ascending.
    pub plus: &'a [u32],
    /// Number of tokens in the mask.
    pub count: u32,
}

impl<'a> MaskPool<'a> {
    /// Returns the mask with an id, of either artifact. Panics if there is none.
    #[inline]
    pub fn mask(&self, mask: u32) -> StoredMask<'a> {
        let (home, index) = match mask.checked_sub(self.own.first_mask) {
            Some(index) => (&self.own, index),
            None => (&self.shared, mask),
        };
        let record = &home.masks[index as usize];
        StoredMask {
            row: self.row(record.row),
            minus: home.list(record.minus, record.minus_len),
            plus: home.list(record.plus, record.plus_len),
            count: record.count,
        }
    }

    #[inline]
    fn row(&self, row: u32) -> Option<&'a [u32]> {
        if row == NONE {
            return None;
        }
        Some(match row.checked_sub(self.own.first_row) {
            Some(index) => self.own.row(index),
            None => self.shared.row(row),
        })
    }
}

impl<'a> From<&Joined<'a>> for MaskPool<'a> {
    fn from(joined: &Joined<'a>) -> Self {
        Self { shared: (&joined.shared).into(), own: (&joined.own).into() }
    }
}
