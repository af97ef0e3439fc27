//! Finds the end of an inner source: at the partner of its bracket, or at the next slash.

use std::ops::Range;

/// The text of an inner source within the outer text.
pub(super) struct Delimited {
    /// The range of the inner text: brackets are part of the text, slashes are not.
    pub(super) text: Range<usize>,
    /// The offset behind the closing delimiter.
    pub(super) end: usize,
}

/// Returns the inner source that starts with the bracket or slash at `start`. `None` if its end is missing.
pub(super) fn delimited(text: &str, start: usize) -> Option<Delimited> {
    match text.as_bytes()[start] {
        b'/' => slashed(text, start + 1),
        _ => bracketed(text, start),
    }
}

/// Returns the text up to the partner of its first bracket. Brackets in JSON strings do not count.
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

/// Returns the text up to the next slash of the line. A backslash escapes a slash.
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
