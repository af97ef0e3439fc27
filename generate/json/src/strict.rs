//! A strict parser for JSON according to RFC 8259, which also rejects duplicate keys in an object.
//!
//! The RFC allows an escape of half a surrogate pair (`"\ud83d"`), which is not a character. In the
//! value, it becomes U+FFFD, as UTF-16 decoders do. The text is unchanged.
//!
//! `serde_json` parses the text, limits its depth, and keeps the last of two equal keys. Which one
//! was intended is unknown. So a second pass over the text, which is then known to be JSON, reports
//! duplicate keys. Linear in the text.

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use serde_json::Value;

/// A text is not JSON, or has a duplicate key in an object.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The text is not JSON, or is nested more than 128 levels deep.
    #[error("{source}")]
    Syntax {
        /// The error of the JSON parser, with line and column.
        source: serde_json::Error,
        /// Byte offset of the error.
        at: usize,
    },
    /// A key occurs twice in one object.
    #[error("the key {key:?} occurs twice in one object, the second time at byte {at}")]
    DuplicateKey {
        /// The duplicate key.
        key: String,
        /// Byte offset of the key's second occurrence.
        at: usize,
    },
}

impl ParseError {
    /// Returns the byte offset of the error.
    pub fn at(&self) -> usize {
        match self {
            Self::Syntax { at, .. } | Self::DuplicateKey { at, .. } => *at,
        }
    }

    /// Whether the text ended before its value was complete.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Syntax { source, .. } if source.is_eof())
    }
}

/// Parses a JSON text strictly.
///
/// ```
/// assert_eq!(grammarc_json::parse("[1, 2]")?[1], 2);
/// assert!(grammarc_json::parse(r#"{"a": 1, "a": 2}"#).is_err());
/// # Ok::<(), grammarc_json::ParseError>(())
/// ```
///
/// # Errors
///
/// The text is not JSON, is nested more than 128 levels deep, or has a duplicate key in an object.
pub fn parse(text: &str) -> Result<Value, ParseError> {
    parse_characters(&whole_characters(text))
}

/// Parses a JSON text. Unlike [`parse`], rejects an escape of half a surrogate pair. Schemas are
/// parsed so, because no text could match such a string.
pub(crate) fn parse_characters(text: &str) -> Result<Value, ParseError> {
    let value = serde_json::from_str(text)
        .map_err(|source| ParseError::Syntax { at: offset(text, &source), source })?;
    match duplicate(text) {
        Some((key, at)) => Err(ParseError::DuplicateKey { key, at }),
        None => Ok(value),
    }
}

/// Replaces each escape of half a surrogate pair by `\ufffd`. Byte offsets do not change.
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

/// Converts the line and column of a serde_json error to a byte offset. Its columns count bytes
/// from 1; column 0 is the end of the previous line.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let before = error.line().saturating_sub(1);
    let start = match before {
        0 => 0,
        _ => memchr::memchr_iter(b'\n', text.as_bytes()).nth(before - 1).map_or(0, |at| at + 1),
    };
    (start + error.column().saturating_sub(1)).min(text.len())
}

/// Returns the first duplicate key in an object of a JSON text, and the byte offset of its second
/// occurrence. `None` if there is none.
fn duplicate(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    // The keys of each open object; `None` for an array.
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

/// Returns the content of a JSON string literal (with quotes), with its escapes resolved.
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
        // Two keys whose values cannot be distinguished count as one duplicate key.
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
