//! Converts a reading of a string to edits of the source, and to JSON.

use super::edits::{Edit, EditKind, Grade};
use super::escapes::{Escape, Habit, escape, habit, is_written};
use super::quotes::Quote;
use super::strings::{Lack, StringReading};
use super::wide;

/// A replacement in the source: the byte range `from..to` is replaced by `text`.
pub(super) struct Change<'t> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) text: &'t str,
    pub(super) kind: EditKind,
    pub(super) grade: Grade,
}

/// Calls `emit` with each change that converts the string at `at` to JSON, in order.
pub(super) fn changes(
    source: &str,
    at: usize,
    reading: &StringReading,
    is_key: bool,
    mut emit: impl FnMut(Change<'_>),
) {
    let StringReading { content: (start, end), end: behind, quote, lack, inner } = *reading;
    let (start, end, behind) = (start as usize, end as usize, behind as usize);
    let (kind, grade) = match (lack, quote) {
        (Lack::Both, _)
            if is_key && end > start && name_len(&source.as_bytes()[start..end]) == end - start =>
        {
            (EditKind::BareKey, Grade::Certain)
        }
        (Lack::Both, _) => (EditKind::BareString, Grade::Likely),
        _ if inner && quote != Quote::Double => (EditKind::InnerQuote, Grade::Likely),
        _ => (EditKind::QuoteStyle, Grade::Certain),
    };
    let missing = |lacks: bool| match lacks {
        true if lack == Lack::Rest => (EditKind::Truncated, Grade::Likely),
        true if lack == Lack::Both => (kind, grade),
        true => (EditKind::MissingQuote, Grade::Likely),
        false => (kind, grade),
    };
    let quote_of = |from: usize, to: usize, lacks: bool, emit: &mut dyn FnMut(Change<'_>)| {
        if &source[from..to] != "\"" {
            let (kind, grade) = missing(lacks);
            emit(Change { from, to, text: "\"", kind, grade });
        }
    };
    quote_of(at, start, matches!(lack, Lack::Open | Lack::Both), &mut emit);
    content(source, start, end, quote, &mut emit);
    let lacks = matches!(lack, Lack::Close | Lack::Both | Lack::Rest);
    quote_of(end, behind, lacks, &mut emit);
}

/// Returns the length in bytes of the identifier at the start of a text. 0 if there is none.
pub(super) fn name_len(text: &[u8]) -> usize {
    let is_first = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | 0x80..);
    let is_part = |byte: &&u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.' | 0x80..)
    };
    if !text.first().is_some_and(is_first) {
        return 0;
    }
    let run = text.iter().take_while(is_part).count();
    (0..run).find(|&at| wide::mark(text, at).is_some()).unwrap_or(run)
}

/// Calls `emit` with the changes between the quotes.
fn content(
    source: &str,
    start: usize,
    end: usize,
    quote: Quote,
    emit: &mut impl FnMut(Change<'_>),
) {
    let bytes = source.as_bytes();
    let habit = habit(&bytes[start..end]);
    let mut at = start;
    while at < end {
        let byte = bytes[at];
        let mut change = |to: usize, text: &str, kind: EditKind| {
            let is_doubtful = kind == EditKind::Escape && habit != Habit::Escaped;
            let grade = if is_doubtful { Grade::Likely } else { kind.grade() };
            emit(Change { from: at, to, text, kind, grade });
            to
        };
        at = match byte {
            b'\\' => match escape(&bytes[..end], at) {
                Escape::Known(2)
                    if habit == Habit::Raw && is_written(&bytes[start..end], at - start) =>
                {
                    let backslashes = if bytes[at + 1] == b'\\' { 2 } else { 1 };
                    change(at + backslashes, &"\\\\".repeat(backslashes), EditKind::Escape)
                }
                Escape::Known(len) => at + len,
                Escape::Other(len, text) => change(at + len, &text, EditKind::Escape),
                Escape::None => change(at + 1, "\\\\", EditKind::Escape),
            },
            b'"' if matches!(quote, Quote::Double | Quote::Bare) => {
                change(at + 1, "\\\"", EditKind::InnerQuote)
            }
            // The string has quotes of another kind, so `"` is a plain character in it.
            b'"' => change(at + 1, "\\\"", EditKind::QuoteStyle),
            b'\n' => change(at + 1, "\\n", EditKind::ControlCharacter),
            b'\r' => change(at + 1, "\\r", EditKind::ControlCharacter),
            b'\t' => change(at + 1, "\\t", EditKind::ControlCharacter),
            0..0x20 => change(at + 1, &format!("\\u{byte:04x}"), EditKind::ControlCharacter),
            _ => at + 1,
        };
    }
}

/// Appends the string at `at` as JSON to `text`.
pub(super) fn write(source: &str, at: usize, reading: &StringReading, text: &mut Vec<u8>) {
    let mut from = at;
    changes(source, at, reading, false, |change| {
        text.extend_from_slice(&source.as_bytes()[from..change.from]);
        text.extend_from_slice(change.text.as_bytes());
        from = change.to;
    });
    text.extend_from_slice(&source.as_bytes()[from..(reading.end as usize).max(from)]);
}

/// Appends the edits that convert the string at `at` to JSON.
pub(super) fn edits(
    source: &str,
    at: usize,
    reading: &StringReading,
    is_key: bool,
    edits: &mut Vec<Edit>,
) {
    changes(source, at, reading, is_key, |change| {
        edits.push(Edit {
            at: change.from..change.to,
            kind: change.kind,
            removed: source[change.from..change.to].to_owned(),
            inserted: change.text.to_owned(),
            grade: change.grade,
        })
    });
}

#[cfg(test)]
mod tests {
    use super::super::layout::Layout;
    use super::super::strings::{Priced, quoted};
    use super::*;

    fn first(source: &str) -> String {
        let mut found: Vec<Priced> = Vec::new();
        quoted(source.as_bytes(), 0, 24, &Layout::of(source.as_bytes()), &mut found);
        let mut text = Vec::new();
        let whole = found.iter().rfind(|priced| priced.reading.lack == Lack::None).unwrap();
        write(source, 0, &whole.reading, &mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn strings_of_other_notations_are_json() {
        for (source, json) in [
            ("'a'", r#""a""#),
            (r#"'say "hi"'"#, r#""say \"hi\"""#),
            (r"'it\'s'", r#""it's""#),
            ("“a”", r#""a""#),
            ("`a`", r#""a""#),
            ("\"a\nb\u{1}\"", r#""a\nb\u0001""#),
            (r#""\d+ \x41 \U0001f600""#, r#""\\d+ \u0041 😀""#),
            (r#""a "b" c""#, r#""a \"b\" c""#),
            (r#""\u12""#, r#""\\u12""#),
        ] {
            assert_eq!(first(source), json, "{source}");
            serde_json::from_str::<String>(json).unwrap();
        }
    }
}
