//! A scanner for the bytes of JSON, valid or broken.

/// Whether a byte is JSON's white space.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns the first offset from `at` on that is not white space, or the end.
pub(crate) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).copied().is_some_and(is_space) {
        at += 1;
    }
    at
}

/// Returns the end of the run before `at` without its trailing white space.
pub(crate) fn trim_space(bytes: &[u8], start: usize, mut at: usize) -> usize {
    while at > start && is_space(bytes[at - 1]) {
        at -= 1;
    }
    at
}

/// Returns the offset after the closing quote of the string at `at`, or the end of the bytes.
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

/// Returns the offset after the closer of the container at `at`. `None` if it is not closed. Strings are skipped;
/// closers are counted, whatever their kind.
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

/// Returns a key as a step of a JSON pointer (RFC 6901).
pub(crate) fn pointer_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
