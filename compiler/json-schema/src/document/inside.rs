//! Ranges inside strings: maps a byte range of a string's value to a byte range of the document's text.

use std::ops::Range;

/// A map from byte offsets in the decoded value of a string to byte offsets in the document's text, where the string
/// may contain escapes.
#[derive(Debug)]
pub struct Written {
    /// The parts of the string, in order. Each has its byte offset in the decoded value, its byte offset in the
    /// document text, and whether it is one escape. Other parts are written verbatim.
    parts: Vec<(usize, usize, bool)>,
}

impl Written {
    /// Reads the JSON string at the byte range `span` of the document text, quotes included. Cost: linear in the
    /// string.
    pub(super) fn new(source: &str, span: &Range<usize>) -> Self {
        let text = &source[span.start + 1..(span.end - 1).max(span.start + 1)];
        let (mut at, mut decoded) = (0, 0);
        let mut parts = Vec::new();
        while at < text.len() {
            let is_escape = text[at..].starts_with('\\');
            parts.push((decoded, span.start + 1 + at, is_escape));
            let (raw, length) = match is_escape {
                true => escaped(&text[at..]),
                false => [text[at..].find('\\').unwrap_or(text.len() - at); 2].into(),
            };
            (at, decoded) = ((at + raw).min(text.len()), decoded + length);
        }
        parts.push((decoded, span.start + 1 + text.len(), true));
        Self { parts }
    }

    /// Maps a byte range of the string's decoded value to a byte range of the document text. Escapes are never split,
    /// and the range is clamped to the string. Cost: O(log escapes).
    pub fn span(&self, value: &Range<usize>) -> Range<usize> {
        let start = self.place(value.start, false);
        start..self.place(value.end, true).max(start)
    }

    fn place(&self, value: usize, is_end: bool) -> usize {
        let next = self.parts.partition_point(|part| part.0 <= value);
        let (decoded, raw, is_escape) = self.parts[next - 1];
        match self.parts.get(next) {
            Some(next) if is_escape && is_end && value > decoded => next.1,
            _ if is_escape => raw,
            _ => raw + (value - decoded),
        }
    }
}

/// Returns the length in bytes of an escape (or of a surrogate pair), and the length in bytes of its character.
fn escaped(text: &str) -> (usize, usize) {
    if !text.starts_with("\\u") {
        return (2, 1);
    }
    let unit = |text: &str| u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok();
    match (unit(text), text.get(6..).and_then(unit)) {
        (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, 4),
        (Some(unit), _) => (6, char::from_u32(unit).map_or(3, char::len_utf8)),
        (None, _) => (2, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_counted() {
        let source = r#"{"pattern":"a\\Z\u00e9\ud83d\ude00x"}"#;
        let span = 11..source.len() - 1;
        let place = |range: Range<usize>| &source[Written::new(source, &span).span(&range)];
        assert_eq!(place(0..1), "a");
        assert_eq!(place(1..3), r"\\Z");
        assert_eq!(place(3..5), r"\u00e9");
        assert_eq!(place(5..9), r"\ud83d\ude00");
        assert_eq!(place(9..10), "x");
        assert_eq!(place(4..6), r"\u00e9\ud83d\ude00");
        assert_eq!(place(10..40), "");
        assert_eq!(Written::new("\"\"", &(0..2)).span(&(0..9)), 1..1);
    }
}
