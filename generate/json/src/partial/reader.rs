//! Reads JSON text in parts and produces events: a state machine for RFC 8259.
//!
//! Cost: linear in the new text. Only the incomplete token is stored. Characters are read one by
//! one, and passed on in runs.

use serde_json::{Number, Value};

/// The error for a text that is not the beginning of a JSON text, or that has a key twice in one object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}, at byte {at}")]
pub struct PartialError {
    /// Byte offset of the error.
    pub at: usize,
    /// Description of the error.
    pub message: String,
}

/// Maximum depth of nested containers, equal to that of the strict parser. Deeper text is an error.
const DEPTH: usize = 127;

/// An event of the JSON reader.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Read {
    Open {
        is_object: bool,
    },
    Close,
    Key(String),
    /// The opening quote of a string value was read.
    Begin,
    /// The next part of a string value, in whole characters.
    Text(String),
    /// The closing quote of a string value was read.
    End,
    /// A number or a literal was read completely.
    Scalar(Value),
}

/// What may come next between two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Value,
    /// A value or the end of the array, after `[`.
    ValueOrEnd,
    /// A key, after a comma in an object.
    Key,
    /// A key or the end of the object, after `{`.
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Nothing,
}

/// The token that is not complete yet.
#[derive(Clone, Debug)]
enum Token {
    None,
    /// A string. `text` is decoded and not passed on yet; `escape` is the start of an incomplete
    /// escape.
    String {
        is_key: bool,
        text: String,
        escape: String,
    },
    Number(String),
    Literal(String),
}

/// A reader of JSON text that arrives in parts.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    next: Next,
    token: Token,
    /// For each open container, whether it is an object.
    stack: Vec<bool>,
    /// Number of bytes that were read.
    at: usize,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self { next: Next::Value, token: Token::None, stack: Vec::new(), at: 0 }
    }

    /// Returns the number of bytes that were read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Reads the next part of the text, and appends the events to `reads`. Fails if no JSON text
    /// starts with the text so far.
    pub(super) fn push(&mut self, part: &str, reads: &mut Vec<Read>) -> Result<(), PartialError> {
        for c in part.chars() {
            self.character(c, reads)?;
            self.at += c.len_utf8();
        }
        if let Token::String { is_key: false, text, .. } = &mut self.token
            && !text.is_empty()
        {
            reads.push(Read::Text(std::mem::take(text)));
        }
        Ok(())
    }

    /// Ends the text, which completes a number at its end. Fails if the value is incomplete.
    pub(super) fn finish(&mut self, reads: &mut Vec<Read>) -> Result<(), PartialError> {
        self.end_bare(reads)?;
        match self.next {
            Next::Nothing => Ok(()),
            _ => Err(self.wrong("the text ended before its value did")),
        }
    }

    fn wrong(&self, message: impl Into<String>) -> PartialError {
        PartialError { at: self.at, message: message.into() }
    }

    fn character(&mut self, c: char, reads: &mut Vec<Read>) -> Result<(), PartialError> {
        match &mut self.token {
            Token::String { .. } => self.in_string(c, reads),
            Token::Number(text) if matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E') => {
                text.push(c);
                Ok(())
            }
            Token::Literal(text) if c.is_ascii_alphanumeric() => {
                text.push(c);
                let text = text.clone();
                let known = ["true", "false", "null"].iter().any(|word| word.starts_with(&text));
                if known { Ok(()) } else { Err(self.wrong(format!("`{text}` is no literal"))) }
            }
            Token::Number(_) | Token::Literal(_) => {
                self.end_bare(reads)?;
                self.between(c, reads)
            }
            Token::None => self.between(c, reads),
        }
    }

    /// Completes a number or a literal. Fails if its text is neither.
    fn end_bare(&mut self, reads: &mut Vec<Read>) -> Result<(), PartialError> {
        let value = match std::mem::replace(&mut self.token, Token::None) {
            Token::Number(text) => match serde_json::from_str::<Number>(&text) {
                Ok(number) => Value::Number(number),
                Err(_) => return Err(self.wrong(format!("`{text}` is no number"))),
            },
            Token::Literal(text) => match text.as_str() {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                "null" => Value::Null,
                _ => return Err(self.wrong(format!("`{text}` is no literal"))),
            },
            other => {
                self.token = other;
                return Ok(());
            }
        };
        reads.push(Read::Scalar(value));
        self.end_value();
        Ok(())
    }

    fn end_value(&mut self) {
        self.next = if self.stack.is_empty() { Next::Nothing } else { Next::CommaOrEnd };
    }

    fn between(&mut self, c: char, reads: &mut Vec<Read>) -> Result<(), PartialError> {
        if matches!(c, ' ' | '\t' | '\n' | '\r') {
            return Ok(());
        }
        match (self.next, c) {
            (Next::Value | Next::ValueOrEnd, '{' | '[') => {
                let is_object = c == '{';
                if self.stack.len() == DEPTH {
                    return Err(self.wrong(format!("it is nested more than {DEPTH} deep")));
                }
                self.stack.push(is_object);
                reads.push(Read::Open { is_object });
                self.next = if is_object { Next::KeyOrEnd } else { Next::ValueOrEnd };
            }
            (Next::Value | Next::ValueOrEnd, '"') => {
                reads.push(Read::Begin);
                self.token =
                    Token::String { is_key: false, text: String::new(), escape: String::new() };
            }
            (Next::Value | Next::ValueOrEnd, '-' | '0'..='9') => {
                self.token = Token::Number(c.to_string());
            }
            (Next::Value | Next::ValueOrEnd, 't' | 'f' | 'n') => {
                self.token = Token::Literal(c.to_string());
            }
            (Next::Key | Next::KeyOrEnd, '"') => {
                self.token =
                    Token::String { is_key: true, text: String::new(), escape: String::new() };
            }
            (Next::Colon, ':') => self.next = Next::Value,
            (Next::CommaOrEnd, ',') => {
                let in_object = self.stack.last() == Some(&true);
                self.next = if in_object { Next::Key } else { Next::Value };
            }
            (Next::CommaOrEnd | Next::KeyOrEnd | Next::ValueOrEnd, '}' | ']')
                if self.stack.last() == Some(&(c == '}')) =>
            {
                self.stack.pop();
                reads.push(Read::Close);
                self.end_value();
            }
            (Next::Nothing, _) => return Err(self.wrong("there is more behind the value")),
            _ => return Err(self.wrong(format!("`{}` cannot stand here", c.escape_default()))),
        }
        Ok(())
    }

    fn in_string(&mut self, c: char, reads: &mut Vec<Read>) -> Result<(), PartialError> {
        let at = self.at;
        let wrong = |message: &str| PartialError { at, message: message.to_owned() };
        let Token::String { is_key, text, escape } = &mut self.token else { return Ok(()) };
        if !escape.is_empty() {
            escape.push(c);
            match decoded(escape).map_err(wrong)? {
                Escape::Open => {}
                Escape::Char(decoded) => {
                    text.push(decoded);
                    escape.clear();
                }
                Escape::Half => {
                    text.push(char::REPLACEMENT_CHARACTER);
                    let behind = escape.split_off(UNIT);
                    escape.clear();
                    // The text after the escape contains at most one further escape, so this
                    // recursion is bounded.
                    return behind.chars().try_for_each(|c| self.in_string(c, reads));
                }
            }
            return Ok(());
        }
        match c {
            '\\' => escape.push(c),
            '"' => {
                let (is_key, text) = (*is_key, std::mem::take(text));
                self.token = Token::None;
                if is_key {
                    reads.push(Read::Key(text));
                    self.next = Next::Colon;
                    return Ok(());
                }
                if !text.is_empty() {
                    reads.push(Read::Text(text));
                }
                reads.push(Read::End);
                self.end_value();
            }
            '\0'..='\x1F' => return Err(wrong("a control character is escaped in a string")),
            _ => text.push(c),
        }
        Ok(())
    }
}

/// Length in bytes of the escape of one UTF-16 unit: `\u0000`.
const UNIT: usize = 6;

/// The result of decoding an escape, which may be incomplete.
enum Escape {
    /// More text is needed to decode the escape.
    Open,
    /// The escape denotes this character.
    Char(char),
    /// The escape is half of a surrogate pair, and its other half does not follow.
    /// [`parse`](crate::parse) describes how it is decoded.
    Half,
}

/// Decodes an escape that starts with a backslash and has at least one further byte. Fails if JSON
/// has no such escape.
fn decoded(escape: &str) -> Result<Escape, &'static str> {
    let simple = |c| Ok(Escape::Char(c));
    match escape.as_bytes()[1] {
        b'"' => simple('"'),
        b'\\' => simple('\\'),
        b'/' => simple('/'),
        b'b' => simple('\u{8}'),
        b'f' => simple('\u{c}'),
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'u' => {
            let digits = &escape[2..];
            let (first, second) = digits.split_at_checked(4).unwrap_or((digits, ""));
            if !first.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err("an escape has four hexadecimal digits");
            }
            if first.len() < 4 {
                return Ok(Escape::Open);
            }
            let high = u32::from_str_radix(first, 16).unwrap_or_default();
            if let Some(c) = char::from_u32(high) {
                return Ok(Escape::Char(c));
            }
            let Some(digits) = second.strip_prefix("\\u") else {
                let begins = "\\u".starts_with(second) && high < 0xDC00;
                return Ok(if begins { Escape::Open } else { Escape::Half });
            };
            if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err("an escape has four hexadecimal digits");
            }
            if digits.len() < 4 {
                return Ok(Escape::Open);
            }
            let low = u32::from_str_radix(digits, 16).unwrap_or_default();
            if high >= 0xDC00 || !(0xDC00..0xE000).contains(&low) {
                return Ok(Escape::Half);
            }
            let c = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            Ok(char::from_u32(c).map_or(Escape::Half, Escape::Char))
        }
        _ => Err("there is no such escape"),
    }
}
