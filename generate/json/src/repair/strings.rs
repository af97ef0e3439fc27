//! Strings: all readings of a string at a place in the source.
//!
//! From a quote on, a string may end at each closing quote of its kind; earlier ones are part of it. If its closing
//! quote is missing, it ends before a separator, at the end of a line, or with the text. Without a quote, its opening
//! quote is missing, or both are. Each reading has a cost, and the scan ends as soon as all further readings would
//! exceed the limit: quotes of other strings look like delimiters, and passing two of them costs too much.

use std::ops::Range;

use crate::scan::{is_space, skip_space, trim_space};

use super::costs::{self, Cost, Styles};
use super::escapes::{escape_len, is_raw};
use super::layout::Layout;
use super::quotes::{Quote, closes, next_len, prefix_len, quote_at, triple};
use super::wide;
use super::words::{is_bare, is_before_string, is_between_numbers};

/// Maximum number of ends of one string. Further ends are not read.
const ENDS: usize = 64;

/// The missing quotes of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// No quote.
    None,
    /// Its closing quote.
    Close,
    /// Its opening quote.
    Open,
    /// Both.
    Both,
    /// Its rest: the text ends within the string.
    Rest,
}

/// One reading of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StringReading {
    /// The range between the quotes.
    pub(super) content: (u32, u32),
    /// Offset after the closing quote.
    pub(super) end: u32,
    pub(super) quote: Quote,
    pub(super) lack: Lack,
    /// Whether closing quotes of its kind are part of it.
    pub(super) inner: bool,
}

impl StringReading {
    /// Returns the reading of a word without quotes.
    pub(super) fn bare(start: usize, end: usize) -> Self {
        let (content, end) = ((start as u32, end as u32), end as u32);
        Self { content, end, quote: Quote::Bare, lack: Lack::Both, inner: false }
    }
}

/// A reading with its cost, without that of its styles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Priced {
    pub(super) reading: StringReading,
    pub(super) cost: Cost,
    pub(super) styles: Styles,
}

/// Returns the end of the plainly quoted string at `at`, if it needs no repair.
pub(super) fn clean(source: &[u8], at: usize) -> Option<usize> {
    let rest = source.get(at..).unwrap_or_default();
    if !rest.starts_with(b"\"") || rest.starts_with(b"\"\"\"") {
        return None;
    }
    let mut from = at + 1;
    loop {
        match *source.get(from)? {
            b'"' => return Some(from + 1),
            b'\\' => from += escape_len(source, from)?,
            0..0x20 => return None,
            _ => from += 1,
        }
    }
}

/// Returns the length of the prefix of a Python string before a quote. The prefix follows a separator or white space.
fn prefix_before(source: &[u8], start: usize, at: usize) -> usize {
    let is_prefix = |len: &usize| {
        let first = at - len;
        let before = source[first - 1];
        prefix_len(source, first) == *len && (is_space(before) || b",:{[".contains(&before))
    };
    (1..=2).take_while(|len| at > start + len).find(is_prefix).unwrap_or(0)
}

/// Whether a quote is where JSON has quotes: next to a separator, a bracket or another quote.
fn delimits(source: &[u8], start: usize, at: usize, end: usize) -> bool {
    let opener = at - prefix_before(source, start, at);
    let before = trim_space(source, start, opener).checked_sub(1).filter(|&at| at >= start);
    let before =
        before.is_none_or(|at| matches!(source[at], b',' | b':' | b'{' | b'[' | b'"' | b'\''));
    let after = skip_space(source, end);
    let is_quote = |at: usize| source.get(at).is_some_and(|byte| matches!(byte, b'"' | b'\''));
    // Two strings that a program would join.
    let joins = |plus: usize, quote: usize| source.get(plus) == Some(&b'+') && is_quote(quote);
    let plus = trim_space(source, start, at);
    let joined = joins(after, skip_space(source, after + 1))
        || (plus > start + 1
            && joins(plus - 1, trim_space(source, start, plus - 1).saturating_sub(1)));
    // A full-width mark is plain text but for one between two strings.
    let is_wide = wide::mark(source, after)
        .is_some_and(|(_, len)| quote_at(source, skip_space(source, after + len)).is_some());
    before
        || joined
        || is_wide
        // The end of a line is the end of a string rather than within one.
        || source[end..after].contains(&b'\n')
        || [b"#".as_slice(), b"//", b"/*"].iter().any(|mark| source[after..].starts_with(mark))
        || source.get(after).is_none_or(|byte| matches!(byte, b',' | b':' | b'}' | b']' | b'"'))
}

/// Whether a quote is between two letters or digits, as in `O"Neil`.
fn is_within_word(source: &[u8], at: usize, end: usize) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    source[..at].last().is_some_and(is_part) && source.get(end).is_some_and(is_part)
}

/// Facts of a string's characters so far.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    styles: Styles,
    inner: Cost,
    /// Offset after the last quote inside.
    quote: usize,
    /// Whether a quote inside is next to white space or a mark.
    is_apart: bool,
    /// Whether a backslash is not part of an escape.
    is_raw: bool,
}

/// Writes all readings of a quoted string, except the valid one. Returns the number of bytes that were scanned.
pub(super) fn quoted(
    source: &[u8],
    at: usize,
    most: Cost,
    layout: &Layout,
    found: &mut Vec<Priced>,
) -> usize {
    let Some((quote, width)) = quote_at(source, at) else { return 0 };
    if let Some((content, end)) = triple(source, at) {
        found.extend(triple_quoted(source, content, end));
        return end - at;
    }
    let start = at + width;
    let mut seen = Seen { styles: quote.style(), ..Seen::default() };
    let mut ends = 0;
    let mut from = start;
    let mut add = |content: usize, end: usize, lack: Lack, cost: Cost, seen: Seen| {
        let content = (start as u32, content as u32);
        let inner = seen.inner > 0;
        let reading = StringReading { content, end: end as u32, quote, lack, inner };
        let cost = cost + seen.inner;
        if cost <= most {
            found.push(Priced { reading, cost, styles: seen.styles });
        }
    };
    while let Some(&byte) = source.get(from) {
        // Two quotes that look like delimiters are the end of a string and the begin of another.
        if ends > ENDS || seen.inner >= 2 * costs::INNER_DELIMITER {
            return from - at;
        }
        if byte == b'\\' {
            let Some(&next) = source.get(from + 1) else { break };
            let known =
                escape_len(source, from).is_some() || (next == b'\'' && quote == Quote::Single);
            if !known {
                seen.styles = seen.styles.with(Styles::ESCAPES);
                seen.is_raw |= is_raw(source, from);
            }
            // The backslash at the end of a path: `C:\Users\`.
            if seen.is_raw
                && let Some((close, width)) = quote_at(source, from + 1)
                && closes(quote, close, width)
                && delimits(source, start, from + 1, from + 1 + width)
            {
                ends += 1;
                add(from + 1, from + 1 + width, Lack::None, costs::INNER, seen);
            }
            from += 1 + next_len(next);
            continue;
        }
        if let Some((close, width)) = quote_at(source, from)
            && closes(quote, close, width)
        {
            ends += 1;
            add(from, from + width, Lack::None, 0, seen);
            let delimits = delimits(source, start, from, from + width);
            seen.quote = from + width;
            seen.is_apart |= !is_within_word(source, from, from + width);
            seen.inner += if delimits { costs::INNER_DELIMITER } else { costs::INNER };
            from += width;
            continue;
        }
        let mark = if byte.is_ascii() { None } else { wide::mark(source, from) };
        match mark.map_or(byte, |(mark, _)| mark) {
            b',' | b':' | b'}' | b']' | b'\n'
                if seen.inner < costs::INNER_DELIMITER && ends <= ENDS =>
            {
                let end = content_end(source, layout, start, from);
                // A value after a quote is not part of the string.
                let is_value = seen.inner > 0 && !is_bare(&source[seen.quote..end], false);
                if end > start && !is_value {
                    ends += 1;
                    let apart = if seen.is_apart { costs::QUOTE_APART } else { 0 };
                    add(end, end, Lack::Close, costs::QUOTE + apart, seen);
                }
            }
            _ => {}
        }
        if byte < 0x20 {
            seen.styles = seen.styles.with(Styles::CONTROLS);
        }
        from += 1;
    }
    let whole = whole_end(source, start);
    // A fence after the string is not part of it.
    let end = fence_before(source, start, whole);
    // One with another string's quotes in it is not open, but lost; so is one with quotes before the closer of a document.
    let is_closed = matches!(source.trim_ascii_end().last(), Some(b'}' | b']'));
    if seen.inner == 0 || (seen.inner < costs::INNER_DELIMITER && !is_closed) {
        add(end, source.len(), Lack::Rest, costs::OPEN_STRING, seen);
    }
    source.len() - at
}

/// Returns the reading of a string between triple quotes. `None` if it has no end.
fn triple_quoted(source: &[u8], content: Range<usize>, end: usize) -> Option<Priced> {
    let text = &source[content.clone()];
    let mut styles = Quote::Triple.style();
    if text.iter().any(|byte| *byte < 0x20) {
        styles = styles.with(Styles::CONTROLS);
    }
    let mut escapes = memchr::memchr_iter(b'\\', text).map(|at| escape_len(text, at));
    if escapes.any(|len| len.is_none()) {
        styles = styles.with(Styles::ESCAPES);
    }
    let content = (content.start as u32, content.end as u32);
    let (quote, lack) = (Quote::Triple, Lack::None);
    let reading = StringReading { content, end: end as u32, quote, lack, inner: false };
    (end > content.1 as usize).then_some(Priced { reading, cost: 0, styles })
}

/// Returns the end of the content of a string without a closing quote before a separator. It includes the white space
/// there, unless that is a line end or the document has white space between quotes and such separators.
fn content_end(source: &[u8], layout: &Layout, start: usize, separator: usize) -> usize {
    let end = trim_space(source, start, separator);
    let byte = source[separator];
    if end == separator || byte == b'\n' || source[end..separator].contains(&b'\n') {
        return end;
    }
    if layout.is_spaced(byte) { end } else { separator }
}

/// Returns the end of the last complete character before the end of the text. Half an escape and half a surrogate
/// pair are incomplete.
fn whole_end(source: &[u8], start: usize) -> usize {
    let end = source.len();
    // An escape has at most six bytes, a pair twelve.
    let mut from = start;
    let mut last_high = None;
    while let Some(found) = memchr::memchr(b'\\', &source[from..end]) {
        let at = from + found;
        let Some(&next) = source.get(at + 1) else {
            return last_high.filter(|&high| high + 6 == at).unwrap_or(at);
        };
        if next != b'u' {
            from = at + 2;
            continue;
        }
        if end - at < 6 {
            return last_high.filter(|&high| high + 6 == at).unwrap_or(at);
        }
        let is_high = matches!(source[at + 2], b'd' | b'D')
            && matches!(source[at + 3], b'8' | b'9' | b'a' | b'b' | b'A' | b'B');
        last_high = is_high.then_some(at);
        from = at + 6;
    }
    last_high.filter(|&high| high + 6 == end).unwrap_or(end)
}

/// Returns the end without a closing fence on a line of its own.
fn fence_before(source: &[u8], start: usize, end: usize) -> usize {
    let trimmed = trim_space(source, start, end);
    match source[start..trimmed].strip_suffix(b"```") {
        Some(before) if before.last() == Some(&b'\n') => trim_space(source, start, trimmed - 3),
        _ => end,
    }
}

/// Writes the readings of a string without an opening quote, or without quotes. Returns the number of bytes that were
/// scanned. `text` states that the grammar accepts strings here and no numbers.
pub(super) fn unquoted(
    source: &[u8],
    at: usize,
    most: Cost,
    text: bool,
    found: &mut Vec<Priced>,
) -> usize {
    // Bytes, patterns and templates of Python are no words.
    if at >= source.len() || quote_at(source, at).is_some() || prefix_len(source, at) > 0 {
        return 0;
    }
    let opens = match wide::any_mark(source, at) {
        Some((b'{' | b'[', _)) => true,
        Some(_) => return 0,
        None => false,
    };
    let (mut separators, mut brackets, mut ends) = (0, 0, 0);
    let mut from = at;
    let bare = |end: usize, cost: Cost, found: &mut Vec<Priced>| {
        let end = trim_space(source, at, end);
        if !opens && end > at && cost <= most && is_bare(&source[at..end], text) {
            let reading = StringReading::bare(at, end);
            found.push(Priced { reading, cost, styles: Styles::NONE });
        }
    };
    while let Some(&byte) = source.get(from) {
        if ends > ENDS {
            return from - at;
        }
        if byte == b'\\' {
            from += 1 + source.get(from + 1).map_or(1, |&next| next_len(next));
            continue;
        }
        if let Some((quote, width)) = quote_at(source, from)
            && matches!(quote, Quote::Double | Quote::Curly)
        {
            // The text before another string may be a word of its own, if a comma is missing.
            if from > at
                && is_space(source[from - 1])
                && source[trim_space(source, at, from) - 1] != b':'
            {
                bare(from, costs::BARE + costs::BARE_SEPARATOR * separators, found);
            }
            // “ and „ open strings.
            if matches!(source.get(from..from + 3), Some([0xe2, 0x80, 0x9c | 0x9e | 0x9f])) {
                return from - at;
            }
            let cost = costs::QUOTE
                + costs::UNOPENED_SEPARATOR * separators
                + costs::UNOPENED_BRACKET * brackets
                + if opens { 2 } else { 0 }
                // A quote after a separator opens a string.
                + if is_before_string(&source[at..from]) { costs::INNER_DELIMITER } else { 0 };
            let says = source[at..from]
                .iter()
                .any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
            if cost <= most && says {
                let content = (at as u32, from as u32);
                let end = (from + width) as u32;
                let lack = Lack::Open;
                let reading =
                    StringReading { content, end, quote: Quote::Double, lack, inner: false };
                found.push(Priced { reading, cost, styles: Styles::NONE });
            }
            return from - at;
        }
        let mark = if byte.is_ascii() { None } else { wide::mark(source, from) };
        match mark.map_or(byte, |(mark, _)| mark) {
            b',' | b':' | b'}' | b']' | b'{' | b'[' => {
                ends += 1;
                bare(from, costs::BARE + costs::BARE_SEPARATOR * separators, found);
                separators += Cost::from(!is_between_numbers(source, from));
                brackets += Cost::from(!matches!(byte, b',' | b':'));
            }
            b'\n' => {
                bare(from, costs::BARE + costs::BARE_SEPARATOR * separators, found);
                return from - at;
            }
            _ => {}
        }
        from += mark.map_or(1, |(_, len)| len);
    }
    bare(from.min(source.len()), costs::BARE + costs::BARE_SEPARATOR * separators, found);
    source.len() - at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(text: &str) -> Vec<(&str, Cost)> {
        let mut found = Vec::new();
        let layout = Layout::of(text.as_bytes());
        quoted(text.as_bytes(), 0, 24, &layout, &mut found);
        unquoted(text.as_bytes(), 0, 24, false, &mut found);
        let content = |(start, end): (u32, u32)| &text[start as usize..end as usize];
        found.iter().map(|priced| (content(priced.reading.content), priced.cost)).collect()
    }

    #[test]
    fn quotes_beside_separators_are_dear() {
        let found = readings(r#""a "b" c", "d""#);
        assert_eq!(found[..3], [("a ", 0), ("a \"b", 2), ("a \"b\" c", 4)]);
        assert_eq!(found[3], ("a \"b\" c\", ", 13));
    }

    #[test]
    fn a_missing_quote_is_before_a_separator() {
        assert!(readings("\"a, b: 1}").contains(&("a, b", 4)));
        assert!(readings("a, b\": 1").contains(&("a, b", 5)));
        assert!(readings("a b, c").contains(&("a b", 3)));
    }

    #[test]
    fn numbers_and_names_are_no_bare_strings() {
        for text in [
            "12,",
            "01]",
            "-1.5e}",
            "NaN,",
            "None\n",
            "0x1F,",
            "...]",
            "8 9]",
            "null;null]",
            "1/2]",
        ] {
            assert!(readings(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_string_at_the_end_keeps_whole_characters() {
        for (text, kept) in [
            (r#""ab\"#, "ab"),
            (r#""ab\u00e"#, "ab"),
            (r#""ab\ud83d"#, "ab"),
            (r#""ab\ud83d\ude"#, "ab"),
            (r#""ab\ud83d\"#, "ab"),
            (r#""ab\ud83d\ude00"#, r"ab\ud83d\ude00"),
            (r#""ab\\"#, r"ab\\"),
        ] {
            assert_eq!(readings(text).last().unwrap().0, kept, "{text}");
        }
    }
}
