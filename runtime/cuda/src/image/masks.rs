//! Masks of one artifact: records, rows and lists.
//!
//! Rows and lists have the layout of the artifact; the record of a mask refers to them by offset. Beside each row is
//! one bit for each 32 words, set if all their bits are ones. Most of a wide mask is such, and a warp that reads the
//! bit skips the words.

use grammarc_artifacts::tables::Tables;

use super::writer::Writer;
use crate::layout::{MASK_WORDS, NONE};

/// Words of a row that one bit speaks of.
const CHUNK: usize = 32;

/// The offsets of the masks and rows of an artifact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaskOffsets {
    /// Masks that are numbered before these.
    first_mask: u32,
    records: u32,
    /// Rows that are numbered before these.
    first_row: u32,
    rows: u32,
    row_words: u32,
    full: u32,
    full_words: u32,
}

impl MaskOffsets {
    /// Offset of a mask's record.
    pub(crate) fn record(&self, mask: u32) -> Option<u32> {
        Some(self.records + mask.checked_sub(self.first_mask)? * MASK_WORDS)
    }

    /// Offsets of a row and of its bits.
    fn row(&self, row: u32) -> Option<[u32; 2]> {
        let index = row.checked_sub(self.first_row)?;
        Some([self.rows + index * self.row_words, self.full + index * self.full_words])
    }

    pub(crate) fn moved(mut self, base: u32) -> Self {
        self.records += base;
        self.rows += base;
        self.full += base;
        self
    }
}

/// The bits of a row: chunks of words that are all ones.
pub(crate) fn full_chunks(row: &[u32]) -> Vec<u32> {
    let mut bits = vec![0; row.len().div_ceil(CHUNK * 32)];
    for (chunk, words) in row.chunks(CHUNK).enumerate() {
        if words.len() == CHUNK && words.iter().all(|&word| word == u32::MAX) {
            bits[chunk / 32] |= 1 << (chunk % 32);
        }
    }
    bits
}

/// Writes the masks of an artifact. For a grammar, `shared` are the masks of its vocabulary, whose rows its masks may
/// use.
pub(crate) fn write_masks(
    writer: &mut Writer,
    tables: &Tables<'_>,
    shared: Option<&MaskOffsets>,
) -> MaskOffsets {
    let rows = writer.table(tables.rows);
    let row_words = tables.row_words.max(1);
    let bits: Vec<u32> = tables.rows.chunks(row_words as usize).flat_map(full_chunks).collect();
    let full = writer.table(&bits);
    let lists = writer.table(tables.lists);
    let records = writer.reserve(tables.masks.len() as u32 * MASK_WORDS);
    let offsets = MaskOffsets {
        first_mask: tables.bases.masks,
        records,
        first_row: tables.bases.rows,
        rows,
        row_words: tables.row_words,
        full,
        full_words: row_words.div_ceil((CHUNK * 32) as u32),
    };
    for (index, mask) in tables.masks.iter().enumerate() {
        let own = if mask.row == NONE { None } else { offsets.row(mask.row) };
        let [row, full] = match own {
            Some(own) => own,
            None if mask.row == NONE => [NONE; 2],
            None => shared.and_then(|shared| shared.row(mask.row)).unwrap_or([NONE; 2]),
        };
        let (minus, plus) = (lists + mask.minus, lists + mask.plus);
        let record =
            [row, minus, mask.minus_len, plus, mask.plus_len, mask.count, full, tables.row_words];
        let at = records + index as u32 * MASK_WORDS;
        (at..).zip(record).for_each(|(at, word)| writer.set(at, word));
        writer.names_own(at + 1);
        writer.names_own(at + 3);
        if own.is_some() {
            writer.names_own(at);
            writer.names_own(at + 6);
        }
    }
    offsets
}
