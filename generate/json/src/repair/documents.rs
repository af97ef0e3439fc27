//! Several documents in one text: finds each, and decides which one is the answer.
//!
//! A model that answers twice, or shows an example before its answer, writes two documents. A
//! search over the whole text would delete braces until one document contains both. So the text is
//! split first, at containers that are separated only by white space, commas and prose. Each
//! document is then read alone.
//!
//! | documents | result |
//! | --- | --- |
//! | all have the same value; the last may be an incomplete copy of the first | the first document |
//! | the schema accepts exactly one | this document |
//! | anything else | an error: only the writer knows which one was meant |
//!
//! Cost: one pass over the text, plus the repair of each document that is not JSON.

use std::ops::Range;

use serde_json::Value;

use crate::extract::{MOST as MOST_DOCUMENTS, fences, reasoning_end};
use crate::scan::{string_end, trim_space};
use crate::schema::JsonSchema;
use crate::strict;

use super::edits::{Edit, EditKind};
use super::limits::{RepairLimits, RepairOptions};
use super::outside::{Suffix, suffix, weight};
use super::readings::readings_of;
use super::result::{RepairError, Repaired};

/// Returns the byte ranges of the documents in a text, in order, if there are at least two. Empty
/// if the text may be one document whose top level is broken.
pub(super) fn documents(source: &str) -> Vec<Range<usize>> {
    let reasoned = reasoning_end(source);
    let blocks = fences(source, reasoned).into_iter().filter(|fence| fence.is_json);
    let mut regions: Vec<Range<usize>> = blocks.map(|fence| fence.inside).collect();
    if regions.is_empty() {
        regions.push(reasoned..source.len());
    }
    let mut found = Vec::new();
    for region in regions {
        if !spans(&source[..region.end], region.start, &mut found) {
            return Vec::new();
        }
    }
    // Prose contains brackets, too: numbers of sources, for example.
    let reads = |range: &Range<usize>| strict::parse(&source[range.clone()]).is_ok();
    if found.iter().any(|range| !is_citation(&source[range.clone()])) {
        let between = |from: usize, to: usize| source[from..to].contains(char::is_alphanumeric);
        let of_prose: Vec<bool> = (0..found.len())
            .map(|at| {
                let before = at.checked_sub(1).map_or(0, |before| found[before].end);
                let after = found.get(at + 1).map_or(source.len(), |after| after.start);
                let in_words = between(before, found[at].start) || between(found[at].end, after);
                in_words && is_citation(&source[found[at].clone()])
            })
            .collect();
        let mut of_prose = of_prose.into_iter();
        found.retain(|_| !of_prose.next().unwrap_or_default());
    } else {
        found.retain(reads);
    }
    if found.len() < 2 { Vec::new() } else { found }
}

/// A closing bracket that does not match its opening bracket.
struct Mismatch;

/// Returns the offset after the closing bracket of the container at `start`. `None` if it is never
/// closed. Fails if brackets do not match.
fn document_end(bytes: &[u8], start: usize) -> Result<Option<usize>, Mismatch> {
    let mut open = Vec::new();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' if open.pop() != Some(byte) => return Err(Mismatch),
            b'}' | b']' if open.is_empty() => return Ok(Some(at + 1)),
            _ => {}
        }
        at += 1;
    }
    Ok(None)
}

/// Whether a container looks like a citation in prose: a word or some numbers in brackets.
fn is_citation(text: &str) -> bool {
    let inside = text.trim_start_matches('[').trim_end_matches(']');
    !inside.contains(['{', '"', '\'', '['])
        && (!inside.contains(',')
            || inside.bytes().all(|byte| byte.is_ascii_digit() || b", ".contains(&byte)))
}

/// Appends the byte ranges of the containers from `at` on. Returns false if there is more than
/// prose between them, or their brackets do not match.
fn spans(source: &str, mut at: usize, found: &mut Vec<Range<usize>>) -> bool {
    let bytes = source.as_bytes();
    while let Some(next) = memchr::memchr2(b'{', b'[', &bytes[at..]) {
        let start = at + next;
        if weight(&source[at..start], false) > 0 {
            return false;
        }
        // A container that is never closed extends to the end of the text.
        let Ok(end) = document_end(bytes, start) else { return false };
        let end = end.unwrap_or(trim_space(bytes, start, source.len()));
        found.push(start..end);
        at = end;
    }
    match suffix(source, at) {
        (Suffix::Text, _) => weight(&source[at..], false) == 0,
        _ => true,
    }
}

/// Chooses one of several documents and returns its readings.
///
/// # Errors
///
/// [`RepairError::Several`] if no document can be chosen, or the error of the whole text if no
/// document has a reading.
pub(super) fn choose(
    source: &str,
    documents: Vec<Range<usize>>,
    schema: Option<&JsonSchema>,
    options: &RepairOptions,
) -> Result<Vec<Repaired>, RepairError> {
    if documents.len() > MOST_DOCUMENTS {
        return Err(RepairError::Several { documents });
    }
    let last = documents.len() - 1;
    let read = |at: usize, range: &Range<usize>| {
        // All documents together may take as many steps as one text.
        let limits =
            RepairLimits { steps: options.limits.steps / (last as u64 + 1), ..options.limits };
        let options = RepairOptions { limits, cut: options.cut && at == last, ..*options };
        readings_of(&source[range.clone()], schema, &options)
    };
    let mut readings: Vec<Option<Vec<Repaired>>> =
        documents.iter().enumerate().map(|(at, range)| read(at, range).ok()).collect();
    let value = |at: usize| readings[at].as_ref().map(|found| &found[0].value);
    let copies = |at: usize| -> bool {
        let (first, this) = (&source[documents[0].clone()], &source[documents[at].clone()]);
        is_same(value(0), value(at)) || (at == last && first.starts_with(this))
    };
    let accepted: Vec<usize> = (0..=last).filter(|&at| value(at).is_some()).collect();
    let chosen = match accepted[..] {
        [] => return readings_of(source, schema, options),
        _ if value(0).is_some() && (1..=last).all(copies) => 0,
        [only] if schema.is_some() => only,
        _ => return Err(RepairError::Several { documents }),
    };
    let found = readings[chosen].take().unwrap_or_default();
    let range = documents[chosen].clone();
    Ok(found.into_iter().map(|repaired| alone(source, range.clone(), repaired)).collect())
}

fn is_same(left: Option<&Value>, right: Option<&Value>) -> bool {
    left.is_some() && left == right
}

/// Converts the reading of one document to a reading of the whole text, by edits that remove the
/// other documents.
fn alone(source: &str, range: Range<usize>, repaired: Repaired) -> Repaired {
    let leave_out = |at: Range<usize>| {
        let removed = source[at.clone()].to_owned();
        let kind = EditKind::OtherDocument;
        Edit { at, kind, removed, inserted: String::new(), grade: kind.grade() }
    };
    let mut edits = Vec::new();
    if range.start > 0 {
        edits.push(leave_out(0..range.start));
    }
    edits.extend(repaired.edits.into_iter().map(|edit| {
        let at = edit.at.start + range.start..edit.at.end + range.start;
        Edit { at, ..edit }
    }));
    if range.end < source.len() {
        edits.push(leave_out(range.end..source.len()));
    }
    Repaired { edits, ..repaired }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<&str> {
        documents(source).into_iter().map(|range| &source[range]).collect()
    }

    #[test]
    fn documents_stand_side_by_side() {
        assert_eq!(found("{\"a\": 1}\n{'b': 2"), ["{\"a\": 1}", "{'b': 2"]);
        assert_eq!(found("One: {a: [1]}, or\n[\"b\"]."), ["{a: [1]}", "[\"b\"]"]);
        assert_eq!(found("```json\n{}\n```\nor\n```json\n[{}]\n```"), ["{}", "[{}]"]);
        assert_eq!(found("[1, 2] [3]"), ["[1, 2]", "[3]"]);
        assert_eq!(found("[]{}"), ["[]", "{}"]);
        assert_eq!(found("{'a': 1} and [1, 2, True]"), ["{'a': 1}", "[1, 2, True]"]);
    }

    #[test]
    fn one_document_is_not_taken_apart() {
        for source in [
            "{\"a\": {\"b\": 1}}, \"c\": {\"d\": 2}}",
            "\"a\": {\"b\": 1}, \"c\": {\"d\": 2}",
            "{\"a\": [1, 2}, \"b\": {}}",
            "As [1] says: {\"a\": 1,}",
            "For {x}:\n```json\n{\"a\": 1,}\n```\n",
            "[1, 2], 3]",
            "[{\"a\": 1}}, {\"b\": 2}]",
        ] {
            assert!(documents(source).is_empty(), "{source}");
        }
    }
}
