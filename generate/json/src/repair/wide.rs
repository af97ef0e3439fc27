//! Full-width punctuation, as models write it between Chinese and Japanese words, and the
//! corresponding characters of JSON.

/// Returns the JSON character for the full-width character at `at`, and the length of the latter in
/// bytes. `None` if there is none.
pub(super) fn mark(source: &[u8], at: usize) -> Option<(u8, usize)> {
    // Nearly all bytes are lower, so this test comes first.
    if *source.get(at)? < 0xe3 {
        return None;
    }
    let mark = match source.get(at..at + 3)? {
        // ， ； 、
        [0xef, 0xbc, 0x8c | 0x9b] | [0xe3, 0x80, 0x81] => b',',
        // ：
        [0xef, 0xbc, 0x9a] => b':',
        // ［ ］ ｛ ｝
        [0xef, 0xbc, 0xbb] => b'[',
        [0xef, 0xbc, 0xbd] => b']',
        [0xef, 0xbd, 0x9b] => b'{',
        [0xef, 0xbd, 0x9d] => b'}',
        _ => return None,
    };
    Some((mark, 3))
}

/// Returns the JSON separator or bracket at `at`, full-width or not, and its length in bytes.
/// `None` if there is none.
pub(super) fn any_mark(source: &[u8], at: usize) -> Option<(u8, usize)> {
    match *source.get(at)? {
        byte @ (b',' | b':' | b'{' | b'}' | b'[' | b']') => Some((byte, 1)),
        _ => mark(source, at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_width_marks_are_those_of_json() {
        for (text, mark_of) in [
            ("，", b','),
            ("；", b','),
            ("、", b','),
            ("：", b':'),
            ("［", b'['),
            ("］", b']'),
            ("｛", b'{'),
            ("｝", b'}'),
        ] {
            assert_eq!(mark(text.as_bytes(), 0), Some((mark_of, text.len())), "{text}");
        }
        for text in ["。", "（", "é", "，"] {
            assert_eq!(mark(text.as_bytes(), 1), None, "{text}");
        }
        assert_eq!(any_mark(b"a:", 1), Some((b':', 1)));
    }
}
