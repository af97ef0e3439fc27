//! A scanner for the bytes of JSON, valid or broken.

/// Whether a byte is white space in JSON: a space, tab, LF or CR.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns the offset of the first byte at or after `at` that is not white space, or the length of
/// the text.
pub(crate) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).copied().is_some_and(is_space) {
        at += 1;
    }
    at
}

/// Moves the end `at` of a byte range back over white space, at most to `start`. Returns the new
/// end.
pub(crate) fn trim_space(bytes: &[u8], start: usize, mut at: usize) -> usize {
    while at > start && is_space(bytes[at - 1]) {
        at -= 1;
    }
    at
}

/// Returns the offset after the closing quote of the string that starts at `at`. If the string is
/// not closed, returns the length of the text.
pub(crate) fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut from = at + 1;
    while let Some(found) = bytes.get(from..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        let quote = from + found;
        if bytes[quote] == b'"' {
            return quote + 1;
        }
        from = quote + 2;
    }
    bytes.len()
}

/// Returns the offset after the closing bracket of the container that starts at `at`. `None` if it
/// is not closed. Skips strings. Counts brackets without comparing their kinds.
pub(crate) fn container_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = at;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Escapes a key as one step of a JSON pointer (RFC 6901).
pub(crate) fn pointer_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
