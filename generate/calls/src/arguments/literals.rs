//! Converts the arguments of a call in Python to JSON, lexeme by lexeme.
//!
//! ```text
//! city="Oslo", days=3, exact=True   ─►   "city":"Oslo","days":3,"exact":true
//! ```
//!
//! Literals state their types, so no schema is needed, and the lexemes of arrays and dictionaries are those of JSON. Only
//! keys, names and strings differ. Cost: linear in the text.

use memchr::memchr2;
use serde_json::Value;

/// A lexeme: the number of bytes that it takes, and its JSON.
pub(super) struct Lexeme {
    pub(super) length: usize,
    pub(super) json: String,
}

/// Returns the first lexeme of a text. `None` if more text is needed: then `searched` is the number of bytes that are
/// known to be within the lexeme, and 0 otherwise.
pub(super) fn next(text: &str, searched: &mut usize) -> Option<Lexeme> {
    let first = text.chars().next()?;
    let found = match first {
        '"' | '\'' => string(text, first, searched),
        _ if first.is_whitespace() => {
            Some(Lexeme { length: first.len_utf8(), json: String::new() })
        }
        '[' | ']' | '{' | '}' | ',' | ':' => Some(Lexeme { length: 1, json: first.to_string() }),
        _ => run(text, searched),
    }?;
    *searched = 0;
    Some(found)
}

/// Returns the string literal at the start of a text.
fn string(text: &str, quote: char, searched: &mut usize) -> Option<Lexeme> {
    let mut at = (*searched).max(1);
    loop {
        let rest = text.as_bytes().get(at..)?;
        let Some(found) = memchr2(quote as u8, b'\\', rest) else {
            *searched = text.len();
            return None;
        };
        at += found;
        if text.as_bytes()[at] == quote as u8 {
            let json = Value::from(unescaped(&text[1..at])).to_string();
            return Some(Lexeme { length: at + 1, json });
        }
        *searched = at;
        // The escaped character is skipped, which may be the quote.
        text.as_bytes().get(at + 1)?;
        at += 2;
    }
}

/// Returns the key with its `=`, or the number or name at the start of a text.
fn run(text: &str, searched: &mut usize) -> Option<Lexeme> {
    let is_end = |c: char| c.is_whitespace() || ",=:[]{}\"'".contains(c);
    let from = (*searched).min(text.len());
    let Some(found) = text[from..].find(is_end) else {
        *searched = text.len();
        return None;
    };
    let end = from + found;
    let own = &text[..end];
    match text[end..].starts_with('=') {
        true => Some(Lexeme { length: end + 1, json: Value::from(own).to_string() + ":" }),
        false => Some(Lexeme { length: end, json: word(own) }),
    }
}

/// Returns the JSON of a number or name, or of a word that is neither. Of an empty text, the empty text.
pub(super) fn word(text: &str) -> String {
    match text {
        "" => String::new(),
        "None" => "null".to_owned(),
        "True" => "true".to_owned(),
        "False" => "false".to_owned(),
        _ => match grammarc_json::parse(text) {
            Ok(_) => text.to_owned(),
            Err(_) => Value::from(text).to_string(),
        },
    }
}

/// Returns the text that a string literal denotes, by the rules of Python. A surrogate becomes U+FFFD.
fn unescaped(literal: &str) -> String {
    let mut text = String::with_capacity(literal.len());
    let mut rest = literal;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let Some(escaped) = behind.chars().next() else {
            rest = &rest[at..];
            break;
        };
        let after = &behind[escaped.len_utf8()..];
        let (c, length) = match escaped {
            'n' => (Some('\n'), 0),
            'r' => (Some('\r'), 0),
            't' => (Some('\t'), 0),
            'b' => (Some('\u{8}'), 0),
            'f' => (Some('\u{c}'), 0),
            'a' => (Some('\u{7}'), 0),
            'v' => (Some('\u{b}'), 0),
            '\\' | '\'' | '"' => (Some(escaped), 0),
            'x' => coded(after, 16, 2, 2),
            'u' => coded(after, 16, 4, 4),
            'U' => coded(after, 16, 8, 8),
            '0'..='7' => {
                let (c, length) = coded(behind, 8, 1, 3);
                (c, length.saturating_sub(1))
            }
            _ => (None, 0),
        };
        match c {
            Some(c) => text.push(c),
            None => {
                text.push('\\');
                text.push(escaped);
            }
        }
        rest = &after[length..];
    }
    text + rest
}

/// Returns the character of the code at the start of a text, and its number of digits: from `least` to `most` digits of
/// this radix. `None` if there are fewer.
fn coded(text: &str, radix: u32, least: usize, most: usize) -> (Option<char>, usize) {
    let length = text.chars().take(most).take_while(|c| c.is_digit(radix)).count();
    if length < least {
        return (None, 0);
    }
    let code = u32::from_str_radix(&text[..length], radix).ok();
    (code.map(|code| char::from_u32(code).unwrap_or('\u{fffd}')), length)
}
