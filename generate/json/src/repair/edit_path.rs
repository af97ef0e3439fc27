//! Converts a path through the lattice of readings to edits of the source.

use crate::scan::{skip_space, trim_space};

use super::edits::{Edit, EditKind, Grade};
use super::lattice::Step;
use super::numbers::write_number;
use super::outside::{Suffix, suffix};
use super::search::{Taken, is_number};
use super::spell;
use super::strings::Lack;

/// The edits that a path makes in the source.
pub(super) struct PathEdits {
    pub(super) edits: Vec<Edit>,
    /// Whether the text ends before the document is complete.
    pub(super) truncated: bool,
    /// Whether a truncated text ends with a number that may have had more digits.
    pub(super) open_number: bool,
    /// Whether closing brackets are missing at the end of a text that ends with one. The missing
    /// bracket may also belong before this last one.
    pub(super) closer_lost: bool,
}

/// Returns the edits that a path (a sequence of readings) makes in the source, in the order of the
/// source.
pub(super) fn edits(source: &str, path: &[Taken]) -> PathEdits {
    let bytes = source.as_bytes();
    let mut found =
        PathEdits { edits: Vec::new(), truncated: false, open_number: false, closer_lost: false };
    // Byte offset after the lexeme of the last step.
    let mut behind_last = 0;
    let (mut number_at_end, mut closer_at_end) = (false, false);
    for (at, taken) in path.iter().enumerate() {
        let Taken { step, start, end } = *taken;
        let mut change = |at: std::ops::Range<usize>, inserted: &str, kind: EditKind| {
            let (removed, inserted) = (source[at.clone()].to_owned(), inserted.to_owned());
            found.edits.push(Edit { at, kind, removed, inserted, grade: kind.grade() });
        };
        match step {
            Step::Start => leave_out_before(source, end, &mut change),
            Step::Read => {
                number_at_end = end == bytes.len() && is_number(bytes, start);
                closer_at_end = matches!(bytes[start], b'}' | b']');
            }
            Step::String(reading) => {
                let is_key = is_key(source, &path[at + 1..]);
                spell::edits(source, start, &reading, is_key, &mut found.edits);
                found.truncated |= reading.lack == Lack::Rest;
            }
            Step::Literal(literal) => change(start..end, literal, EditKind::Literal),
            Step::Mark(byte) => {
                change(start..end, char::from(byte).encode_utf8(&mut [0; 4]), EditKind::Separator);
            }
            Step::Nothing => change(start..end, "null", EditKind::Coerced),
            Step::Number => {
                let mut text = Vec::new();
                write_number(&bytes[start..end], &mut text);
                change(start..end, &String::from_utf8_lossy(&text), EditKind::Number);
            }
            Step::Comment => change(start..end, "", EditKind::Comment),
            Step::Space => change(start..end, " ", EditKind::Space),
            Step::Delete => {
                let kind = match bytes[start] {
                    b',' => EditKind::ExtraComma,
                    b':' => EditKind::ExtraColon,
                    b'{' | b'[' => EditKind::ExtraOpener,
                    _ => EditKind::ExtraCloser,
                };
                change(start..end, "", kind);
                // A superfluous closing bracket is certain only at the end of the text, where
                // nothing follows that it could have closed.
                if kind == EditKind::ExtraCloser
                    && let Some(edit) = found.edits.last_mut()
                {
                    edit.grade = Grade::Likely;
                }
            }
            Step::Insert(byte) | Step::Close(byte) => {
                let place = trim_space(bytes, behind_last, start);
                let kind = match (step, byte) {
                    (Step::Close(_), _) => EditKind::MissingEnd,
                    (_, b',') => EditKind::MissingComma,
                    (_, b':') => EditKind::MissingColon,
                    _ => EditKind::MissingCloser,
                };
                change(place..place, char::from(byte).encode_utf8(&mut [0; 4]), kind);
                if kind == EditKind::MissingEnd {
                    found.truncated = true;
                    found.open_number |= number_at_end;
                    found.closer_lost |= closer_at_end;
                }
            }
            Step::Tail => {
                let place = trim_space(bytes, behind_last, start);
                change(place..end, "", EditKind::Truncated);
                found.truncated = true;
            }
            Step::End => {
                let kind = match suffix(source, start).0 {
                    Suffix::Nothing => continue,
                    Suffix::Closers => EditKind::ExtraCloser,
                    Suffix::Text => EditKind::Outside,
                };
                change(trim_space(bytes, behind_last, start)..end, "", kind);
            }
        }
        // An insertion is placed directly after the preceding lexeme.
        if !matches!(step, Step::Insert(_) | Step::Close(_)) {
            behind_last = behind_last.max(end);
        }
    }
    found
}

/// Adds the edit that removes the text before a document. A byte order mark gets an edit of its own
/// kind.
fn leave_out_before(
    source: &str,
    start: usize,
    change: &mut impl FnMut(std::ops::Range<usize>, &str, EditKind),
) {
    let mark = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    if mark > 0 {
        change(0..mark, "", EditKind::ByteOrderMark);
    }
    if skip_space(source.as_bytes(), mark) < start {
        change(mark..start, "", EditKind::Outside);
    }
}

/// Whether the next lexeme of a path is a colon, so that the current string is a key.
fn is_key(source: &str, rest: &[Taken]) -> bool {
    let next =
        rest.iter().find(|taken| !matches!(taken.step, Step::Comment | Step::Space | Step::Delete));
    next.is_some_and(|taken| match taken.step {
        Step::Read => source.as_bytes()[taken.start] == b':',
        Step::Insert(byte) | Step::Mark(byte) => byte == b':',
        _ => false,
    })
}
