//! Finds the end of an inner source, which is a text of another language: the partner of its first bracket, or the next
//! slash.

use std::ops::Range;

/// The place of an inner source (a text of another language) in the GBNF source.
pub(super) struct Delimited {
    /// The range of the inner text in bytes. Brackets belong to the text, slashes do not.
    pub(super) text: Range<usize>,
    /// The byte offset after the closing bracket or slash.
    pub(super) end: usize,
}

/// Finds the end of the inner source (of another language) that starts with the bracket or slash at byte `start`.
/// `None` if its end is missing.
pub(super) fn delimited(text: &str, start: usize) -> Option<Delimited> {
    match text.as_bytes()[start] {
        b'/' => slashed(text, start + 1),
        _ => bracketed(text, start),
    }
}

/// Finds the partner of the bracket at byte `start`. Brackets in JSON strings are skipped, and both kinds count as one.
/// `None` if the partner is missing.
fn bracketed(text: &str, start: usize) -> Option<Delimited> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'{' | b'[') => depth += 1,
            (false, b'}' | b']') => {
                depth -= 1;
                if depth == 0 {
                    return Some(Delimited { text: start..at + 1, end: at + 1 });
                }
            }
            _ => {}
        }
    }
    None
}

/// Finds the next slash on the line, from byte `start`. A slash after a backslash is part of the text. `None` if the
/// line ends first.
fn slashed(text: &str, start: usize) -> Option<Delimited> {
    let mut escaped = false;
    for (length, byte) in text[start..].bytes().enumerate() {
        let end = start + length;
        match byte {
            b'\r' | b'\n' => return None,
            b'/' if !escaped => return Some(Delimited { text: start..end, end: end + 1 }),
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    None
}
