//! Strings: finds all readings of a string at a position of the source.
//!
//! After an opening quote, a string may end at each closing quote of its kind; earlier ones are
//! then part of it. If the closing quote is missing, the string ends before a separator, at the end
//! of a line, or with the text. Without an opening quote, this quote or both quotes are missing.
//! Each reading has a cost. The scan stops when all further readings would exceed the limit. Quotes
//! of other strings look like delimiters, and passing two of them is too expensive.

use std::ops::Range;

use crate::scan::{is_space, skip_space, trim_space};

use super::costs::{self, Cost, Styles};
use super::escapes::{escape_len, is_raw};
use super::layout::Layout;
use super::quotes::{Quote, closes, next_len, prefix_len, quote_at, triple};
use super::wide;
use super::words::{is_bare, is_before_string, is_between_numbers};

/// Maximum number of ends that are tried for one string. Further ends are ignored.
const ENDS: usize = 64;

/// What a string lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// The string has both quotes.
    None,
    /// The string lacks its closing quote.
    Close,
    /// The string lacks its opening quote.
    Open,
    /// The string lacks both quotes.
    Both,
    /// The string lacks its rest, because the text ends within it.
    Rest,
}

/// One reading of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StringReading {
    /// Byte range of the content, without the quotes.
    pub(super) content: (u32, u32),
    /// Byte offset after the closing quote.
    pub(super) end: u32,
    pub(super) quote: Quote,
    pub(super) lack: Lack,
    /// Whether the content includes closing quotes of the string's own kind.
    pub(super) inner: bool,
}

impl StringReading {
    /// Returns the reading of a word without quotes as a string.
    pub(super) fn bare(start: usize, end: usize) -> Self {
        let (content, end) = ((start as u32, end as u32), end as u32);
        Self { content, end, quote: Quote::Bare, lack: Lack::Both, inner: false }
    }
}

/// A reading of a string, its cost without that of its styles, and its styles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Priced {
    pub(super) reading: StringReading,
    pub(super) cost: Cost,
    pub(super) styles: Styles,
}

/// Returns the end of the double-quoted string at `at` if it is valid JSON. `None` otherwise.
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

/// Returns the length of the prefix of a Python string before the quote at `at`. The prefix has to
/// follow a separator or white space. 0 if there is none.
fn prefix_before(source: &[u8], start: usize, at: usize) -> usize {
    let is_prefix = |len: &usize| {
        let first = at - len;
        let before = source[first - 1];
        prefix_len(source, first) == *len && (is_space(before) || b",:{[".contains(&before))
    };
    (1..=2).take_while(|len| at > start + len).find(is_prefix).unwrap_or(0)
}

/// Whether a quote (at the byte range `at..end`) is where JSON has quotes: next to a separator, a
/// bracket or another quote.
fn delimits(source: &[u8], start: usize, at: usize, end: usize) -> bool {
    let opener = at - prefix_before(source, start, at);
    let before = trim_space(source, start, opener).checked_sub(1).filter(|&at| at >= start);
    let before =
        before.is_none_or(|at| matches!(source[at], b',' | b':' | b'{' | b'[' | b'"' | b'\''));
    let after = skip_space(source, end);
    let is_quote = |at: usize| source.get(at).is_some_and(|byte| matches!(byte, b'"' | b'\''));
    // Two strings are joined by `+`, as in a program.
    let joins = |plus: usize, quote: usize| source.get(plus) == Some(&b'+') && is_quote(quote);
    let plus = trim_space(source, start, at);
    let joined = joins(after, skip_space(source, after + 1))
        || (plus > start + 1
            && joins(plus - 1, trim_space(source, start, plus - 1).saturating_sub(1)));
    // A full-width character is plain text unless it separates two strings.
    let is_wide = wide::mark(source, after)
        .is_some_and(|(_, len)| quote_at(source, skip_space(source, after + len)).is_some());
    before
        || joined
        || is_wide
        // The end of a line is more likely the end of a string than within one.
        || source[end..after].contains(&b'\n')
        || [b"#".as_slice(), b"//", b"/*"].iter().any(|mark| source[after..].starts_with(mark))
        || source.get(after).is_none_or(|byte| matches!(byte, b',' | b':' | b'}' | b']' | b'"'))
}

/// Whether a quote is between two letters or digits, as in `O"Neil`.
fn is_within_word(source: &[u8], at: usize, end: usize) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    source[..at].last().is_some_and(is_part) && source.get(end).is_some_and(is_part)
}

/// Facts about the characters of a string that were scanned so far.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    styles: Styles,
    inner: Cost,
    /// Byte offset after the last unescaped quote within the string.
    quote: usize,
    /// Whether an unescaped quote within the string is next to white space or punctuation.
    is_apart: bool,
    /// Whether the string contains a backslash that is not part of an escape.
    is_raw: bool,
}

/// Appends all readings of the quoted string at `at`, at a cost of at most `most`. Returns the
/// number of bytes that were scanned.
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
        // Two quotes that look like delimiters are the end of this string and the start of another.
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
            // This backslash is the last one of a path: `C:\Users\`.
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
                // If a value follows a quote, the value is not part of the string.
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
    // A string that contains quotes of another string has lost its closing quote, and was not left
    // open. The same holds for a string with quotes before the closing bracket of a document.
    let is_closed = matches!(source.trim_ascii_end().last(), Some(b'}' | b']'));
    if seen.inner == 0 || (seen.inner < costs::INNER_DELIMITER && !is_closed) {
        add(end, source.len(), Lack::Rest, costs::OPEN_STRING, seen);
    }
    source.len() - at
}

/// Returns the reading of a string in triple quotes. `None` if it is not closed.
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

/// Returns the end of the content of a string whose closing quote is missing before a separator.
/// The content includes white space before the separator. It does not if the white space contains a
/// line end, or if the document writes white space between quotes and such separators.
fn content_end(source: &[u8], layout: &Layout, start: usize, separator: usize) -> usize {
    let end = trim_space(source, start, separator);
    let byte = source[separator];
    if end == separator || byte == b'\n' || source[end..separator].contains(&b'\n') {
        return end;
    }
    if layout.is_spaced(byte) { end } else { separator }
}

/// Returns the end of the last complete character before the end of the text. Half of an escape and
/// half of a surrogate pair are incomplete.
fn whole_end(source: &[u8], start: usize) -> usize {
    let end = source.len();
    // An escape has at most six bytes, and a surrogate pair twelve.
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

/// Returns the end of the text before a closing fence on a line of its own. Returns `end` if there
/// is no such fence.
fn fence_before(source: &[u8], start: usize, end: usize) -> usize {
    let trimmed = trim_space(source, start, end);
    match source[start..trimmed].strip_suffix(b"```") {
        Some(before) if before.last() == Some(&b'\n') => trim_space(source, start, trimmed - 3),
        _ => end,
    }
}

/// Appends the readings of a string whose opening quote or both quotes are missing. Returns the
/// number of bytes that were scanned. `text` states that the grammar accepts strings here, but no
/// numbers.
pub(super) fn unquoted(
    source: &[u8],
    at: usize,
    most: Cost,
    text: bool,
    found: &mut Vec<Priced>,
) -> usize {
    // Python's bytes, regular expressions and templates are not words.
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
            // The quotes “ and „ open strings.
            if matches!(source.get(from..from + 3), Some([0xe2, 0x80, 0x9c | 0x9e | 0x9f])) {
                return from - at;
            }
            let cost = costs::QUOTE
                + costs::UNOPENED_SEPARATOR * separators
                + costs::UNOPENED_BRACKET * brackets
                + if opens { 2 } else { 0 }
                // A quote after a separator opens another string.
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
