//! One half of a grammar's tables: transitions, and the masks of the states.

use grammarc_runtime::flat::FlatTables;

use super::masks::MaskOffsets;
use super::writer::Writer;
use crate::layout::{Half, NONE};

/// The words of a half that are offsets.
pub(crate) const OFFSETS: [usize; 7] = [0, 1, 2, 3, 4, 6, 7];

/// The form of records that name a mask.
struct RecordForm {
    /// Words of a record.
    words: usize,
    /// Which of them is the mask.
    mask: usize,
}

const HEAD: RecordForm = RecordForm { words: 4, mask: 0 };
const LINK: RecordForm = RecordForm { words: 3, mask: 1 };

/// A half with its offsets moved.
pub(crate) fn moved(mut half: Half, base: u32) -> Half {
    OFFSETS.iter().for_each(|&word| half[word] += base);
    half
}

/// Writes a half. `masks` are those of its artifact, in the same image. `shared` are those of the vocabulary, if the
/// half is a grammar's.
pub(crate) fn write_half(
    writer: &mut Writer,
    tables: &FlatTables<'_>,
    masks: &MaskOffsets,
    shared: Option<&MaskOffsets>,
) -> Half {
    let states = writer.table(&tables.states);
    let classes = writer.bytes(tables.classes);
    let rows = writer.table(&tables.rows);
    let calls = writer.table(tables.calls);
    let counted = writer.table(&tables.counted);
    let counted_len = (tables.counted.len() / 3) as u32;
    let heads = named(writer, tables.heads, HEAD, masks, shared);
    let links = named(writer, tables.links, LINK, masks, shared);
    [states, classes, rows, calls, counted, counted_len, heads, links]
}

/// Writes records, and replaces the mask id in one word of each by the offset of the mask's record.
fn named(
    writer: &mut Writer,
    records: &[u32],
    form: RecordForm,
    masks: &MaskOffsets,
    shared: Option<&MaskOffsets>,
) -> u32 {
    let at = writer.table(records);
    for word in (form.mask..records.len()).step_by(form.words) {
        let id = records[word];
        if id == NONE {
            continue;
        }
        let place = at + word as u32;
        match masks.record(id) {
            Some(own) => {
                writer.set(place, own);
                writer.names_own(place);
            }
            None => writer.set(place, shared.and_then(|shared| shared.record(id)).unwrap_or(NONE)),
        }
    }
    at
}
