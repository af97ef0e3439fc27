//! Finds scalars of a JSON text by their JSON pointers, with their coerced texts, in one pass over
//! the text.

use std::ops::Range;

use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::scan::{pointer_step, string_end};
use crate::strict;

/// JSON pointers of scalars in a value.
pub(super) type Places = FxHashSet<String>;

/// Returns the byte ranges of the scalars at these pointers, each with its coerced text. Scalars
/// that cannot be coerced are left out.
pub(super) fn changes(text: &str, places: &Places) -> Vec<(Range<usize>, String)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // For each open container, the length of its own pointer, and for an array the index of the
    // current item.
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    let mut pointer = String::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' => open.push((pointer.len(), None)),
            b'[' => {
                open.push((pointer.len(), Some(0)));
                pointer.push_str("/0");
            }
            b'}' | b']' => {
                let (len, _) = open.pop().unwrap_or_default();
                pointer.truncate(len);
            }
            b',' => {
                if let Some((len, Some(index))) = open.last_mut() {
                    *index += 1;
                    pointer.truncate(*len);
                    pointer.push_str(&format!("/{index}"));
                }
            }
            b'"' => {
                at = string_end(bytes, start);
                let content = strict::decoded(&text[start..at]).into_owned();
                let colon = crate::scan::skip_space(bytes, at);
                if bytes.get(colon) == Some(&b':') {
                    pointer.truncate(open.last().map_or(0, |(len, _)| *len));
                    pointer.push('/');
                    pointer.push_str(&pointer_step(&content));
                    at = colon + 1;
                } else if places.contains(pointer.as_str()) && is_scalar(&content) {
                    found.push((start..at, content));
                }
            }
            b' ' | b'\t' | b'\n' | b'\r' | b':' => {}
            _ => {
                let rest = &bytes[start..];
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                at = start + rest.iter().take_while(|byte| is_part(byte)).count().max(1);
                if places.contains(pointer.as_str()) && &text[start..at] != "null" {
                    found.push((start..at, format!("\"{}\"", &text[start..at])));
                }
            }
        }
    }
    found
}

/// Applies changes, given in the order of the text, to a text.
pub(super) fn changed(text: &str, changes: &[(Range<usize>, String)]) -> String {
    let (mut new, mut at) = (String::new(), 0);
    for (range, inserted) in changes {
        new.push_str(&text[at..range.start]);
        new.push_str(inserted);
        at = range.end;
    }
    new + &text[at..]
}

/// Whether a text is exactly a JSON number, boolean or null.
fn is_scalar(text: &str) -> bool {
    !text.starts_with(['"', '{', '['])
        && text.trim() == text
        && serde_json::from_str::<Value>(text).is_ok()
}
