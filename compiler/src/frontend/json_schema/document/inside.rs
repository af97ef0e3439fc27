//! Places inside of strings: a range of a string's value as a range of the text that writes it.

use std::ops::Range;

/// The bytes of the source that write a range of the value of the JSON string at `span`, its quotes included. Cut off at
/// the ends of the string. Linear in the string.
pub(super) fn written(source: &str, span: &Range<usize>, value: &Range<usize>) -> Range<usize> {
    let text = &source[span.clone()];
    let mut at = 1;
    let mut decoded = 0;
    let mut start = None;
    while at + 1 < text.len() && decoded < value.end {
        if decoded >= value.start {
            start.get_or_insert(at);
        }
        let rest = &text[at..];
        let (raw, length) = match rest.as_bytes() {
            [b'\\', b'u', ..] => escaped(rest),
            [b'\\', ..] => (2, 1),
            _ => rest.chars().next().map_or((1, 1), |c| (c.len_utf8(), c.len_utf8())),
        };
        at += raw;
        decoded += length;
    }
    let end = at.min(text.len().saturating_sub(1));
    let start = start.unwrap_or(end).min(end);
    span.start + start..span.start + end.max(start)
}

/// The length of an escape `\uXXXX`, or of two that make a pair, and that of its character.
fn escaped(text: &str) -> (usize, usize) {
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
        let place = |range: Range<usize>| &source[written(source, &span, &range)];
        assert_eq!(place(0..1), "a");
        assert_eq!(place(1..3), r"\\Z");
        assert_eq!(place(3..5), r"\u00e9");
        assert_eq!(place(5..9), r"\ud83d\ude00");
        assert_eq!(place(9..10), "x");
        assert_eq!(place(10..40), "");
    }
}
