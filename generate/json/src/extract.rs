//! Finds the parts of a text that may be JSON: the whole text, fenced blocks, and spans that start
//! with `{` or `[`.
//!
//! The parts are not parsed. The scanner skips strings, so brackets inside them do not count.
//! Linear in the text, except for containers that are never closed, of which at most [`MOST`] are
//! scanned.

use std::ops::Range;

use crate::scan::{container_end, skip_space, trim_space};

/// Maximum number of spans, each starting with `{` or `[`, that are tried. Later ones are ignored.
pub(crate) const MOST: usize = 16;

/// Tags that end a model's reasoning.
const REASONING_ENDS: [&str; 3] = ["</think>", "</thinking>", "</reasoning>"];

/// Returns the byte ranges of the parts of a text that may be JSON, the likeliest first, without
/// duplicates.
///
/// These are the whole text; the text after the reasoning (`</think>`); fenced blocks, those marked
/// `json` first; and spans. A span extends from a top-level `{` or `[` to its closing bracket, and
/// there are at most 16. No part has white space at its ends.
///
/// ```
/// let text = "Here it is:\n```json\n{\"a\": 1}\n```\nand [2]";
/// let found: Vec<&str> = grammarc_json::extract_json(text).map(|range| &text[range]).collect();
/// assert_eq!(found[1..], ["{\"a\": 1}", "[2]"]);
/// ```
pub fn extract_json(text: &str) -> impl Iterator<Item = Range<usize>> + use<> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut add = |range: Range<usize>| {
        if !range.is_empty() && !found.contains(&range) {
            found.push(range);
        }
    };
    add(trimmed(text, 0..text.len()));
    let after = reasoning_end(text);
    add(trimmed(text, after..text.len()));
    let mut fences = fences(text, after);
    fences.sort_by_key(|fence| !fence.is_json);
    fences.into_iter().for_each(|fence| add(trimmed(text, fence.inside)));
    spans(text, after).for_each(add);
    found.into_iter()
}

/// Returns the byte offset after a model's reasoning (the last closing tag). 0 if the text has no
/// reasoning.
pub(crate) fn reasoning_end(text: &str) -> usize {
    let ends = REASONING_ENDS.iter().filter_map(|end| text.rfind(end).map(|at| at + end.len()));
    ends.max().unwrap_or(0)
}

/// Returns the byte ranges from each top-level `{` or `[` at or after `from` to its closing
/// bracket. At most [`MOST`] openers are tried.
pub(crate) fn spans(text: &str, from: usize) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from;
    let next = move || {
        let start = at + memchr::memchr2(b'{', b'[', bytes.get(at..)?)?;
        let end = container_end(bytes, start);
        at = end.unwrap_or(start + 1);
        // If the container is never closed, the range is empty, and the filter below drops it.
        Some(start..end.unwrap_or(start))
    };
    std::iter::from_fn(next).take(MOST).filter(|range| !range.is_empty())
}

/// A fenced block: text between two lines that start with three backticks.
pub(crate) struct Fence {
    /// Byte range of the lines between the fences. If the block is not closed, it extends to the
    /// end of the text.
    pub(crate) inside: Range<usize>,
    /// Whether the opening fence names JSON as the language.
    pub(crate) is_json: bool,
}

/// Returns the fenced blocks of a text at or after the offset `from`, in order.
pub(crate) fn fences(text: &str, from: usize) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        let (start, trimmed) = (at, line.trim());
        at += line.len();
        let Some(info) = trimmed.strip_prefix("```") else { continue };
        match open {
            Some((inside, is_json)) if info.is_empty() => {
                found.push(Fence { inside: inside..start, is_json });
                open = None;
            }
            Some(_) => {}
            None => {
                let info = info.trim().to_ascii_lowercase();
                let is_json = matches!(&*info, "json" | "json5" | "jsonc" | "jsonl");
                open = Some((at, is_json));
            }
        }
    }
    if let Some((inside, is_json)) = open {
        found.push(Fence { inside: inside..text.len(), is_json });
    }
    found
}

/// Returns the range without white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = skip_space(&bytes[..range.end], range.start).min(range.end);
    start..trim_space(bytes, start, range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        extract_json(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn blocks_marked_json_come_first() {
        let text = "a\n```\n[1]\n```\nb\n```json\n[2]\n```\n";
        assert_eq!(found(text)[1..], ["[2]", "[1]"]);
    }

    #[test]
    fn braces_inside_strings_count_for_nothing() {
        let text = r#"so {"a": "}{\"", "b": [1]} it is"#;
        assert_eq!(found(text)[1..], [r#"{"a": "}{\"", "b": [1]}"#]);
    }

    #[test]
    fn reasoning_is_passed_over() {
        let text = "<think>maybe {\"a\": 1}</think>{\"a\": 2}";
        assert_eq!(found(text)[1], "{\"a\": 2}");
    }

    #[test]
    fn many_open_braces_end() {
        assert_eq!(found(&"{".repeat(100_000)).len(), 1);
    }
}
