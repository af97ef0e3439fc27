//! Documents that are escaped as a whole: `{\"a\": \"b\"}` is the content of a JSON string that
//! contains a document.
//!
//! One level of escapes is removed, from the whole text or from a fenced block. The result has to
//! be JSON. Otherwise this reading does not apply.

use std::ops::Range;

use crate::extract::extract_json;
use crate::schema::JsonSchema;
use crate::strict;

use super::edits::{Edit, EditKind, replay};
use super::escapes::{Escape, escape};
use super::result::Repaired;

/// Returns the reading of a text as an escaped document. `None` if the text is none, or the result
/// violates the schema.
pub(super) fn unescaped(source: &str, schema: Option<&JsonSchema>) -> Option<Repaired> {
    if !source.contains("\\\"") {
        return None;
    }
    extract_json(source).find_map(|range| {
        let edits = unescape(source, range.clone())?;
        let [before, after] =
            [0..range.start, range.end..source.len()].map(|range| outside(source, range));
        let edits: Vec<Edit> = before?.into_iter().chain(edits).chain(after?).collect();
        let text = replay(source, &edits);
        let value = strict::parse(&text).ok()?;
        let (ambiguous, truncated) = (false, false);
        let read = Repaired { text, value, edits, ambiguous, truncated };
        schema.is_none_or(|schema| schema.is_valid(&read.value)).then_some(read)
    })
}

/// Returns the edit that removes the text at the range `at`. `Some(None)` if it is only white
/// space. `None` if the text contains data (an opening bracket or a quote), so that it must not be
/// removed.
fn outside(source: &str, at: Range<usize>) -> Option<Option<Edit>> {
    let removed = source[at.clone()].to_owned();
    if removed.contains(['{', '[', '"']) {
        return None;
    }
    let (kind, inserted) = (EditKind::Outside, String::new());
    let is_text = !removed.trim().is_empty();
    Some(is_text.then(|| Edit { at, kind, removed, inserted, grade: kind.grade() }))
}

/// Returns the edits that remove one level of escapes from the container at `range`. `None` if it
/// is no container, or has an unescaped quote, or no escape.
fn unescape(source: &str, range: Range<usize>) -> Option<Vec<Edit>> {
    let bytes = &source.as_bytes()[..range.end];
    if !matches!(bytes.get(range.start), Some(b'{' | b'[')) {
        return None;
    }
    let (mut at, mut edits) = (range.start, Vec::new());
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found;
        let Escape::Known(len) = escape(bytes, at) else { return None };
        let removed = source[at..at + len].to_owned();
        let inserted = serde_json::from_str(&format!("\"{removed}\"")).ok()?;
        let (place, kind) = (at..at + len, EditKind::Escape);
        edits.push(Edit { at: place, kind, removed, inserted, grade: kind.grade() });
        at += len;
    }
    edits.iter().any(|edit| edit.inserted == "\"").then_some(edits)
}
