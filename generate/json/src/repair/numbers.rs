//! Numbers: those of JSON, and the forms of other languages.

use super::wide;

/// Whether a word or number continues at the offset `at`.
pub(super) fn goes_on(source: &[u8], at: usize) -> bool {
    wide::mark(source, at).is_none()
        && source.get(at).is_some_and(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'.' | b'+' | b'-' | b'$' | b'%' | 0x80..)
        })
}

/// Returns the end of the valid JSON number at an offset. `None` if there is none.
pub(super) fn digits(source: &[u8], at: usize) -> Option<usize> {
    let first = *source.get(at)?;
    let mut end = at + usize::from(first == b'-');
    let run = |from: usize| {
        source[from.min(source.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    end += match source.get(end)? {
        b'0' => 1,
        b'1'..=b'9' => run(end),
        _ => return None,
    };
    if source.get(end) == Some(&b'.') {
        let fraction = run(end + 1);
        if fraction == 0 {
            return None;
        }
        end += 1 + fraction;
    }
    if matches!(source.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(source.get(end + 1), Some(b'+' | b'-')));
        let exponent = run(end + 1 + sign);
        if exponent == 0 {
            return None;
        }
        end += 1 + sign + exponent;
    }
    (!goes_on(source, end)).then_some(end)
}

/// Returns the end of a number that lacks a digit or has a sign that JSON does not allow: `.5`,
/// `+1`, `1.`. `None` if there is none at the offset.
pub(super) fn number(source: &[u8], at: usize) -> Option<usize> {
    if !matches!(source[at], b'+' | b'-' | b'.' | b'0'..=b'9') {
        return None;
    }
    let run = source[at..]
        .iter()
        .take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
        .count();
    let end = at + run;
    if goes_on(source, end) || end == source.len() {
        return None;
    }
    let mut text = Vec::new();
    write_number(&source[at..end], &mut text);
    (text != source[at..end] && digits(&text, 0) == Some(text.len())).then_some(end)
}

/// Appends a number in JSON's form to `text`: without a plus sign, and with a zero before or after
/// a point that lacks a digit there.
pub(super) fn write_number(source: &[u8], text: &mut Vec<u8>) {
    let rest = source.strip_prefix(b"+").unwrap_or(source);
    let mut before = 0_u8;
    for (at, &byte) in rest.iter().enumerate() {
        if byte == b'.' && !before.is_ascii_digit() {
            text.push(b'0');
        }
        text.push(byte);
        if byte == b'.' && !rest.get(at + 1).is_some_and(u8::is_ascii_digit) {
            text.push(b'0');
        }
        before = byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_other_forms_keep_their_digits() {
        for (text, json) in
            [(".5,", "0.5"), ("+1]", "1"), ("1.}", "1.0"), ("-.5 ", "-0.5"), ("1.e5,", "1.0e5")]
        {
            let end = number(text.as_bytes(), 0).unwrap();
            let mut written = Vec::new();
            write_number(&text.as_bytes()[..end], &mut written);
            assert_eq!(written, json.as_bytes(), "{text}");
        }
        for text in ["1", "1.5,", "1.2.3,", "01,", "1-2,", "+,", "--1,", "1.", ".5"] {
            assert_eq!(number(text.as_bytes(), 0), None, "{text}");
        }
    }
}
