//! A strict parser: JSON as RFC 8259 has it, without repeated keys in an object.
//!
//! The RFC allows an escape of half a surrogate pair (`"\ud83d"`), which is not a character. It is U+FFFD in the
//! value, as in decoders of UTF-16, and stays in the text.
//!
//! `serde_json` parses the text, limits its depth, and keeps the last of two equal keys. Since the intended one is
//! unknown, a second pass over the text, known to be JSON then, reports equal keys. Linear in the text.

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use serde_json::Value;

/// An error for a text that is not JSON, or in which a key occurs twice.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The text is not JSON, or nested more than 128 deep.
    #[error("{source}")]
    Syntax {
        /// The parser's error, with line and column.
        source: serde_json::Error,
        /// The place, in bytes.
        at: usize,
    },
    /// An object has a key twice.
    #[error("the key {key:?} occurs twice in one object, the second time at byte {at}")]
    DuplicateKey {
        /// The key.
        key: String,
        /// The start of the second key, in bytes.
        at: usize,
    },
}

impl ParseError {
    /// Returns the place of the error, in bytes.
    pub fn at(&self) -> usize {
        match self {
            Self::Syntax { at, .. } | Self::DuplicateKey { at, .. } => *at,
        }
    }

    /// Whether the text ended before its value did.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Syntax { source, .. } if source.is_eof())
    }
}

/// Parses a JSON text.
///
/// ```
/// assert_eq!(grammarc_json::parse("[1, 2]")?[1], 2);
/// assert!(grammarc_json::parse(r#"{"a": 1, "a": 2}"#).is_err());
/// # Ok::<(), grammarc_json::ParseError>(())
/// ```
///
/// # Errors
///
/// The text is not JSON, is nested more than 128 deep, or has a key twice in one object.
pub fn parse(text: &str) -> Result<Value, ParseError> {
    parse_characters(&whole_characters(text))
}

/// Parses a text in which half of a surrogate pair is an error, as in a schema: no text could match it.
pub(crate) fn parse_characters(text: &str) -> Result<Value, ParseError> {
    let value = serde_json::from_str(text)
        .map_err(|source| ParseError::Syntax { at: offset(text, &source), source })?;
    match duplicate(text) {
        Some((key, at)) => Err(ParseError::DuplicateKey { key, at }),
        None => Ok(value),
    }
}

/// Returns the text with `\ufffd` for each escape of half a surrogate pair. Offsets do not change.
pub(crate) fn whole_characters(text: &str) -> Cow<'_, str> {
    const REPLACEMENT: &str = "\\ufffd";
    let unit = |at: usize| {
        let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut whole, mut from, mut at) = (String::new(), 0, 0);
    while let Some(found) = memchr::memchr(b'\\', text.as_bytes().get(at..).unwrap_or_default()) {
        at += found;
        at += match unit(at) {
            Some(0xd800..0xdc00) if matches!(unit(at + 6), Some(0xdc00..0xe000)) => 12,
            Some(0xd800..0xe000) => {
                whole.push_str(&text[from..at]);
                whole.push_str(REPLACEMENT);
                from = at + REPLACEMENT.len();
                REPLACEMENT.len()
            }
            _ => 2,
        };
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    whole.push_str(&text[from..]);
    Cow::Owned(whole)
}

/// Converts serde_json's line and column to an offset. Its columns are bytes, from 1, or 0 for the end of the line
/// before.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before = error.line().saturating_sub(1);
    let start = match before {
        0 => 0,
        _ => memchr::memchr_iter(b'\n', text.as_bytes()).nth(before - 1).map_or(0, |at| at + 1),
    };
    (start + error.column().saturating_sub(1)).min(text.len())
}

/// Returns the first key that occurs twice in an object of a JSON text, and its offset.
fn duplicate(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    // The keys of each open object; none for an array.
    let mut open: Vec<Option<FxHashSet<Cow<'_, str>>>> = Vec::new();
    let mut key_next = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' => {
                open.push(Some(FxHashSet::default()));
                key_next = true;
            }
            b'[' => {
                open.push(None);
                key_next = false;
            }
            b'}' | b']' => {
                open.pop();
                key_next = false;
            }
            b',' => key_next = matches!(open.last(), Some(Some(_))),
            b'"' => {
                let end = crate::scan::string_end(bytes, at);
                if key_next && let Some(Some(keys)) = open.last_mut() {
                    let key = decoded(&text[at..end]);
                    if keys.contains(&key) {
                        return Some((key.into_owned(), at));
                    }
                    keys.insert(key);
                    key_next = false;
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the characters of a JSON string with its quotes.
pub(crate) fn decoded(literal: &str) -> Cow<'_, str> {
    if literal.contains('\\') {
        return Cow::Owned(serde_json::from_str(&whole_characters(literal)).unwrap_or_default());
    }
    Cow::Borrowed(literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_twice_in_whatever_spelling() {
        for (text, at) in [
            (r#"{"a":1,"a":2}"#, 7),
            (r#"{"a":1,"\u0061":2}"#, 7),
            (r#"[{"x":{"é":[],"b":"a","é":0}}]"#, 23),
        ] {
            let error = parse(text).unwrap_err();
            assert!(matches!(error, ParseError::DuplicateKey { .. }), "{text}");
            assert_eq!(error.at(), at, "{text}");
        }
        for text in [r#"[{"a":1},{"a":1}]"#, r#"{"a":{"a":"a"}}"#, r#"{"a":["a","a"],"b":"a"}"#] {
            parse(text).unwrap();
        }
    }

    #[test]
    fn half_of_a_surrogate_pair_is_a_replacement_character() {
        for (text, value) in [
            (r#"["\ud800"]"#, "\u{fffd}"),
            (r#"["\uDFFFx"]"#, "\u{fffd}x"),
            (r#"["\ud83d\ude00"]"#, "😀"),
            (r#"["\ud83d\ud83d\ude00"]"#, "\u{fffd}😀"),
            (r#"["\ude00\ud83d"]"#, "\u{fffd}\u{fffd}"),
            (r#"["\\ud800"]"#, "\\ud800"),
            (r#"["\ud800\n"]"#, "\u{fffd}\n"),
        ] {
            assert_eq!(parse(text).unwrap()[0], value, "{text}");
        }
        // Two keys that cannot be kept apart are one key twice.
        let error = parse(r#"{"\ud800": 1, "\ud801": 2}"#).unwrap_err();
        assert!(matches!(error, ParseError::DuplicateKey { .. }) && error.at() == 14, "{error}");
        assert!(parse(r#"["\ud80"]"#).is_err() && parse(r#"["\ud80é"]"#).is_err());
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(parse("[1,\n 2,\n x]").unwrap_err().at(), 9);
        assert!(parse("[1, 2").unwrap_err().is_end());
        assert!(!parse("[1 2]").unwrap_err().is_end());
        assert!(parse("[NaN]").is_err() && parse("[Infinity]").is_err());
    }
}
