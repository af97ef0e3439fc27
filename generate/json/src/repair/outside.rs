//! Text outside of a document: finds where the document may start, and classifies the text after it
//! and incomplete parts at the end.

use crate::extract::{MOST as MOST_STARTS, fences, reasoning_end};
use crate::scan::{container_end, is_space, skip_space};

use super::costs::{self, Cost};
use super::quotes::{Quote, quote_at};
use super::wide::any_mark;

/// Returns the byte offsets at which the document may start, each with its cost, without
/// duplicates.
pub(super) fn starts(source: &str) -> Vec<(usize, Cost)> {
    let bytes = source.as_bytes();
    let mark = if source.starts_with('\u{feff}') { 3 } else { 0 };
    let first = skip_space(bytes, mark);
    let mut found = vec![(first, 0)];
    let mut add = |at: usize, cost: Cost| {
        if !found.iter().any(|(known, _)| *known == at) {
            found.push((at, cost));
        }
    };
    let reasoned = reasoning_end(source);
    if reasoned > 0 {
        add(skip_space(bytes, reasoned), costs::OUTSIDE);
    }
    for fence in fences(source, reasoned) {
        let at = skip_space(bytes, fence.inside.start);
        let from = if fence.is_json { at } else { reasoned };
        add(at, costs::OUTSIDE + weight(&source[reasoned.min(from)..at], fence.is_json));
    }
    let mut at = reasoned;
    for _ in 0..MOST_STARTS {
        let Some(next) = memchr::memchr2(b'{', b'[', &bytes[at..]) else { break };
        let start = at + next;
        let before = &source[reasoned.max(mark)..start];
        if start != first {
            add(start, costs::OUTSIDE + weight(before, false));
        }
        at = container_end(bytes, start).unwrap_or(start + 1);
    }
    found
}

/// Returns the cost of removing a text, in addition to [`costs::OUTSIDE`]. The cost depends on
/// whether the text may contain data. `is_before_json` states that a block marked as JSON follows.
pub(super) fn weight(text: &str, is_before_json: bool) -> Cost {
    let braces = memchr::memchr2(b'{', b'}', text.as_bytes()).is_some();
    let brackets = memchr::memchr2(b'[', b']', text.as_bytes()).is_some();
    match (braces, brackets) {
        // A block that is marked as JSON is what the text before it announces.
        (true, _) if is_before_json => costs::OUTSIDE_BRACKETS,
        (true, _) => costs::OUTSIDE_DATA,
        (false, true) if has_literals_alone(text) => costs::OUTSIDE_DATA,
        (false, true) => costs::OUTSIDE_BRACKETS,
        (false, false) if looks_like_members(text) => costs::OUTSIDE_DATA,
        (false, false) => 0,
    }
}

/// Whether all words of a text are JSON literals. In brackets, such words are items and not prose.
fn has_literals_alone(text: &str) -> bool {
    let mut words =
        text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| matches!(word, "true" | "false" | "null"))
}

/// Whether a text contains a quote before a colon, which is the end of a key.
fn looks_like_members(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'"', bytes).any(|at| bytes.get(skip_space(bytes, at + 1)) == Some(&b':'))
}

/// The kind of text after a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suffix {
    /// There is only white space.
    Nothing,
    /// There are only superfluous closing brackets and commas.
    Closers,
    /// There is other text.
    Text,
}

/// Classifies the text from `at` to the end. Returns its kind and the cost of removing it.
pub(super) fn suffix(source: &str, at: usize) -> (Suffix, Cost) {
    let rest = source[at..].trim_start();
    if rest.is_empty() {
        return (Suffix::Nothing, 0);
    }
    let closers = rest.trim_start_matches(|c: char| {
        matches!(c, '}' | ']' | ',' | ';') || c.is_ascii_whitespace()
    });
    let cut = rest.len() - closers.len();
    let price = if cut == 0 { 0 } else { costs::EXTRA_CLOSERS };
    if closers.is_empty() {
        return (Suffix::Closers, if rest == ";" { costs::OUTSIDE } else { price });
    }
    // Harmless text after a document is `)` or `);` after a call, a fence, or prose. Prose starts
    // on a line of its own or after a fence. Text that may be the rest of a string is not. Such
    // text follows directly and contains quotes, or has an odd number of quotes. A single quote is
    // just superfluous.
    let is_glued = cut == 0
        && rest.len() == source.len() - at
        && (rest.starts_with(['\'', '`']) || (rest.contains('"') && !rest.starts_with('<')));
    let is_alone = rest.trim_end().len() == 1 || rest.starts_with("```");
    let is_odd = memchr::memchr_iter(b'"', closers.as_bytes()).count() % 2 == 1;
    let is_rest = !is_alone && (is_glued || is_odd);
    // A value after a comma is not harmless either.
    let is_value = rest[..cut].contains(',')
        && (closers.starts_with(['"', '\'', '-'])
            || closers.starts_with(|first: char| first.is_ascii_digit())
            || ["true", "false", "null", "True", "False", "None"]
                .iter()
                .any(|literal| closers.starts_with(literal)));
    let weight = if is_rest || is_value { costs::OUTSIDE_DATA } else { weight(closers, false) };
    (Suffix::Text, price + costs::OUTSIDE + weight)
}

/// Whether the text of the document ends at `at`: at the end of the source or at a closing fence.
pub(super) fn is_end(source: &[u8], at: usize) -> bool {
    at >= source.len() || source[at..].starts_with(b"```")
}

/// The kind of incomplete part at the end of the text, after a complete value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// A comma, without a following item.
    Comma,
    /// A missing or incomplete item: a number or a literal.
    Item,
    /// An incomplete member: a key, and possibly the start of its value.
    Member,
}

/// Returns the kind of incomplete part that the text from `at` on consists of. `None` if it is
/// none. With `strings`, an open string counts as incomplete.
pub(super) fn tail(source: &[u8], at: usize, in_object: bool, strings: bool) -> Option<Tail> {
    let end = source.len();
    let mut from = skip_space(source, at);
    let after_mark = |at: usize, mark: u8| {
        any_mark(source, at).filter(|(found, _)| *found == mark).map(|(_, len)| at + len)
    };
    let comma = after_mark(from, b',');
    if let Some(comma) = comma {
        from = skip_space(source, comma);
    }
    if from == end {
        return comma.map(|_| Tail::Comma);
    }
    if !in_object {
        return scalar(source, from, strings).then_some(Tail::Item);
    }
    let colon = match quote_at(source, from) {
        Some((quote, width)) => match closed(source, from + width, quote) {
            // An incomplete key contains no brackets or quotes, because these would be dropped with
            // it.
            None => {
                let is_key = source[from + width..]
                    .iter()
                    .all(|byte| !matches!(byte, b'{' | b'}' | b'[' | b']' | b'"'));
                return is_key.then_some(Tail::Member);
            }
            Some(close) => skip_space(source, close),
        },
        None => {
            let is_name =
                |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-');
            let name = source[from..].iter().take_while(|byte| is_name(byte)).count();
            if name == 0 {
                return None;
            }
            skip_space(source, from + name)
        }
    };
    if colon == end {
        return Some(Tail::Member);
    }
    let value = skip_space(source, after_mark(colon, b':')?);
    (value == end || scalar(source, value, strings)).then_some(Tail::Member)
}

/// Returns the offset after the next closing quote of a kind. `None` if there is none.
fn closed(source: &[u8], mut at: usize, quote: Quote) -> Option<usize> {
    while let Some(&byte) = source.get(at) {
        if byte == b'\\' {
            at += 2;
            continue;
        }
        match quote_at(source, at) {
            Some((close, width)) if close == quote => return Some(at + width),
            _ => at += 1,
        }
    }
    None
}

/// Whether the rest of the text is one number or literal, possibly incomplete. With `strings`, an
/// open string also counts.
fn scalar(source: &[u8], at: usize, strings: bool) -> bool {
    if let Some((quote, width)) = quote_at(source, at) {
        return strings && closed(source, at + width, quote).is_none();
    }
    let rest = &source[at..];
    let number = matches!(rest[0], b'-' | b'0'..=b'9')
        && rest.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let literal = ["true", "false", "null", "True", "False", "None"]
        .iter()
        .any(|word| word.len() > rest.len() && word.as_bytes().starts_with(rest));
    number || literal
}

/// Returns the offset after the white space at `at` that JSON does not allow. Returns `at` if there
/// is none.
pub(super) fn other_space(source: &str, at: usize) -> usize {
    let rest = &source[at..];
    let is_other = |c: char| {
        (c.is_whitespace() && !(c.is_ascii() && is_space(c as u8)))
            || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
    };
    at + rest.len() - rest.trim_start_matches(is_other).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_cheap_and_data_is_dear() {
        assert_eq!(starts("Sure: {\"a\": 1"), [(0, 0), (6, 1)]);
        assert!(starts("{\"a\": 1} {\"b\": 2").contains(&(9, 61)));
        assert_eq!(suffix("{} thanks", 2), (Suffix::Text, 1));
        assert_eq!(suffix("{}]} ", 2), (Suffix::Closers, 4));
        assert_eq!(suffix("{} {\"a\": 1}", 2), (Suffix::Text, 61));
        assert_eq!(suffix("{}\n", 2), (Suffix::Nothing, 0));
        assert_eq!(suffix("{}\"", 2), (Suffix::Text, 1));
        assert_eq!(suffix("[], null", 2), (Suffix::Text, 65));
        assert!(starts("[[null]],null,[null").contains(&(14, 61)));
        assert!(starts("as in [1], [a]: [null").contains(&(16, 6)));
        assert_eq!(suffix("{} as \"said\"", 2), (Suffix::Text, 1));
        assert_eq!(suffix("{} b\",", 2), (Suffix::Text, 61));
        assert_eq!(suffix("{}\", n", 2), (Suffix::Text, 61));
    }

    #[test]
    fn tails_are_what_is_not_whole() {
        let member = |text: &str| tail(text.as_bytes(), 0, true, false);
        for text in [
            "，\"a\"：1",
            ", \"a",
            ", \"a\"",
            ", \"a\":",
            ", \"a\": 1",
            ", \"a\": tru",
            ", ab",
            "\"a\": -",
        ] {
            assert_eq!(member(text), Some(Tail::Member), "{text}");
        }
        for text in [
            ", \"a\": \"b\"",
            ", 'a\"}",
            ", \"a\": true",
            ", \"a\": \"b",
            ", \"a\": {",
            ", \"a\": 1,",
        ] {
            assert_eq!(member(text), None, "{text}");
        }
        assert_eq!(member(", "), Some(Tail::Comma));
        assert_eq!(member("，"), Some(Tail::Comma));
        assert_eq!(tail(b", 12", 0, false, false), Some(Tail::Item));
        assert_eq!(tail(b", \"a", 0, false, false), None);
        assert_eq!(tail(b", \"a", 0, false, true), Some(Tail::Item));
    }
}
