//! Words without quotes: decides which of them may be strings.

use crate::scan::skip_space;

use super::numbers::{digits, write_number};
use super::wide::any_mark;

/// Whether the text before a quote shows that the quote opens another string. The text ends with a
/// comma or a colon, or with white space after a complete unquoted value.
pub(super) fn is_before_string(text: &[u8]) -> bool {
    let trimmed = text.trim_ascii_end();
    let first = text.split(|byte| *byte == b',').next().unwrap_or(text);
    let is_value = first.len() < text.len() && (is_numeric(first) || is_name(first));
    matches!(trimmed.last(), Some(b',' | b':')) || (is_value && trimmed.len() < text.len())
}

/// Whether a word without quotes may be a string. Numbers, literals, similar words and sequences of
/// them may not, and neither may an empty word.
///
/// `text` states that the grammar accepts strings here, but no numbers. Then some texts of digits
/// may be strings, too: see [`is_digit_text`].
pub(super) fn is_bare(word: &[u8], text: bool) -> bool {
    let ends = |at: usize| any_mark(word, at).is_some_and(|(mark, _)| !(text && mark == b':'));
    let first = word[..(0..word.len()).find(|&at| ends(at)).unwrap_or(word.len())].trim_ascii_end();
    let is_part =
        |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"+-._%$".contains(byte);
    let mut parts = first.split(|byte| !is_part(byte)).filter(|part| !part.is_empty()).peekable();
    let is_scalar = parts.peek().is_some() && parts.all(|part| is_numeric(part) || is_name(part));
    let is_mark = !first.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let is_comment = word.starts_with(b"//") || word.starts_with(b"/*");
    !(is_mark || is_comment || is_notation(word)) && (!is_scalar || (text && is_digit_text(first)))
}

/// Whether a word contains string notation of a program: escaped quotes, or a string in
/// parentheses.
fn is_notation(word: &[u8]) -> bool {
    let is_quote = |at: usize| matches!(word.get(at), Some(b'"' | b'\''));
    memchr::memchr_iter(b'\\', word).any(|at| word.get(at + 1) == Some(&b'"'))
        || word.starts_with(b"\\'")
        || (word.starts_with(b"(") && is_quote(skip_space(word, 1)))
}

/// Whether a word of digits is a text and not a number: a time, date, address or telephone number
/// (`10:30`, `192.168.0.1`, `+49 123`, `007`). Several numbers in a row are not a text, because a
/// comma may be missing.
fn is_digit_text(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.:/() ".contains(byte);
    let mut runs = word.split(|byte| !byte.is_ascii_digit()).filter(|run| !run.is_empty());
    let is_padded = |run: &[u8]| run.len() > 1 && run[0] == b'0' && run.len() == word.len();
    let has_runs = runs.next().is_some_and(|run| is_padded(run) || runs.next().is_some());
    let is_json = |part: &[u8]| digits(part, 0) == Some(part.len());
    let mut number = Vec::new();
    write_number(word, &mut number);
    word.iter().all(is_part)
        && has_runs
        && !is_json(&number)
        && !word.split(|byte| *byte == b' ').filter(|part| !part.is_empty()).all(is_json)
}

/// Whether the colon at `colon` is between two numbers, as in a time or a ratio, and not after a
/// name (`b1:2`).
pub(super) fn is_between_numbers(source: &[u8], colon: usize) -> bool {
    let digits = source[..colon].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || !byte.is_ascii();
    source[colon] == b':'
        && digits > 0
        && source.get(colon + 1).is_some_and(u8::is_ascii_digit)
        // Of letters, only the `T` of a date with time may precede the digits.
        && !source[..colon - digits].last().is_some_and(|byte| is_letter(byte) && *byte != b'T')
}

/// Whether a word is a literal of some language, or a word for a missing value.
fn is_name(word: &[u8]) -> bool {
    const NAMES: [&str; 9] =
        ["true", "false", "null", "none", "nil", "nan", "infinity", "inf", "undefined"];
    let word = word.strip_prefix(b"+").or(word.strip_prefix(b"-")).unwrap_or(word);
    std::str::from_utf8(word)
        .is_ok_and(|word| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)))
}

/// Whether a word is a number, or almost a number.
fn is_numeric(word: &[u8]) -> bool {
    if !matches!(word.first(), Some(b'0'..=b'9' | b'+' | b'-' | b'.')) {
        return false;
    }
    let is_part = |byte: &u8| {
        byte.is_ascii_hexdigit()
            || matches!(byte, b'+' | b'-' | b'.' | b'_' | b'x' | b'X' | b'o' | b'O')
    };
    word.iter().all(is_part) && word.iter().any(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_text_where_no_number_may_stand() {
        for word in [
            "10:30",
            "10:30:15",
            "2024-01-02",
            "2024-01-02 10:30:00",
            "12/31/2024",
            "192.168.0.1",
            "+49 123",
            "(030) 123-4",
            "030 123",
            "007",
            "1.2.3",
            "3-4",
            "12:30 PM",
        ] {
            assert!(is_bare(word.as_bytes(), true) && !is_bare(word.as_bytes(), false), "{word}");
        }
        for word in [
            "12",
            "-1.5",
            ".5",
            "+1",
            "1.",
            "--5",
            "0x1F",
            "0o17",
            "1_000",
            "1e5",
            "5 5",
            "1 2 3",
            "NaN",
            "true false",
            "...",
            "1,234",
            "",
        ] {
            assert!(!is_bare(word.as_bytes(), true), "{word}");
        }
    }
}
