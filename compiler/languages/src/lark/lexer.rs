//! Splits a Lark source into lexemes, up to the first text that is no lexeme.
//!
//! The JSON of a directive belongs to the directive's lexeme, so nothing in it is read as Lark. Line ends are lexemes,
//! since a definition ends with its line. Cost: linear.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::codes;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;

/// A lexeme of a Lark source, with its place in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lexeme {
    pub(super) kind: LexemeKind,
    pub(super) span: Range<usize>,
}

/// The kind of a [`Lexeme`] of a Lark source.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LexemeKind {
    /// A name: letters, digits, `-` and `_`.
    Name,
    /// A number: an optional minus sign, digits, and an optional decimal point with digits after it.
    Number,
    /// A string in double quotes, with its escapes resolved.
    Literal { text: String, insensitive: bool },
    /// A regular expression: the places of the pattern, between the slashes, and of the flags after them.
    Regex { pattern: Range<usize>, flags: Range<usize> },
    /// A token or set of tokens, `<...>`.
    Token,
    /// A reference `@name`, which is not supported.
    Reference,
    /// A directive `%name`, with the place of its JSON if it takes JSON.
    Directive { json: Option<Range<usize>> },
    /// One or more line ends, which end a definition.
    LineEnd,
    /// A punctuation mark, such as `:` or `->`.
    Mark,
}

/// Steps of the budget that one lexeme costs, besides one step for each of its bytes.
const STEPS_A_LEXEME: usize = 1 << 3;

/// The punctuation marks. A longer mark precedes its prefixes, since the first match is taken.
const MARKS: [&str; 20] = [
    "->", "::", "..", ":", "=", ",", ".", "(", ")", "{", "}", "[", "]", "~", "|", "&", "+", "*",
    "?", "!",
];

/// The directives that are followed by JSON.
const WITH_JSON: [&str; 4] = ["%json", "%regex", "%llguidance", "%grammar_options"];

/// Splits a source into lexemes. Once the budget is spent, the result is a prefix.
///
/// # Errors
///
/// The first text that is no lexeme, as an error with its place.
pub(super) fn lex(text: &str, budget: &Budget) -> Result<Vec<Lexeme>, Diagnostic> {
    let mut lexer = Lexer { text, at: 0 };
    // A byte order mark, which some editors write, is not part of the grammar.
    lexer.eat("\u{feff}");
    let mut lexemes: Vec<Lexeme> = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let Some(next) = lexer.rest().chars().next() else { return Ok(lexemes) };
        let kind = lexer.lexeme(next)?;
        if budget.spend(STEPS_A_LEXEME + lexer.at - start).is_err() {
            return Ok(lexemes);
        }
        lexemes.push(Lexeme { kind, span: start..lexer.at });
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Moves to the next character for which `of_kind` is false, or to the end of the text.
    fn skip_while(&mut self, of_kind: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !of_kind(c)).unwrap_or(rest.len());
    }

    fn skip_blanks(&mut self) {
        loop {
            self.skip_while(|c| c == ' ' || c == '\t');
            if !self.rest().starts_with('#') && !self.rest().starts_with("//") {
                return;
            }
            self.skip_while(|c| c != '\n');
        }
    }

    fn lexeme(&mut self, next: char) -> Result<LexemeKind, Diagnostic> {
        match next {
            '\r' | '\n' => {
                self.skip_while(|c| matches!(c, '\r' | '\n' | ' ' | '\t'));
                Ok(LexemeKind::LineEnd)
            }
            '"' => self.string(),
            '/' => self.regex(),
            '<' => self.token(),
            '%' => self.directive(),
            '@' => {
                self.at += 1;
                self.skip_while(is_name);
                Ok(LexemeKind::Reference)
            }
            '0'..='9' => Ok(self.number()),
            '-' if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => Ok(self.number()),
            c if c.is_ascii_alphabetic() || c == '_' => {
                self.skip_while(is_name);
                Ok(LexemeKind::Name)
            }
            _ => match MARKS.iter().find(|mark| self.rest().starts_with(**mark)) {
                Some(mark) => {
                    self.at += mark.len();
                    Ok(LexemeKind::Mark)
                }
                None => Err(self.unexpected(next)),
            },
        }
    }

    fn number(&mut self) -> LexemeKind {
        self.at += 1;
        self.skip_while(|c| c.is_ascii_digit());
        let rest = self.rest();
        // Two points belong to a range of repetitions.
        if rest.starts_with('.') && !rest.starts_with("..") {
            self.at += 1;
            self.skip_while(|c| c.is_ascii_digit());
        }
        LexemeKind::Number
    }

    fn unexpected(&self, next: char) -> Diagnostic {
        let help = match next {
            '\'' | '‘' | '’' | '“' | '”' => "strings stand in double quotes: \"text\"",
            '$' => "a reference is a name alone",
            _ => {
                "text to be matched stands in double quotes, and a comment starts with `#` or `//`"
            }
        };
        let text = format!("unexpected character `{}`", next.escape_debug());
        Diagnostic::error(codes::UNEXPECTED_CHARACTER, text)
            .with_label(self.at..self.at + next.len_utf8(), "not part of the syntax")
            .with_help(help)
    }

    /// Returns the error for a lexeme that begins here and has no end. Its label covers the rest of the line.
    fn unterminated(&self, what: &str, help: &str) -> Diagnostic {
        let line = self.rest().split(['\r', '\n']).next().unwrap_or_default();
        Diagnostic::error(codes::UNTERMINATED, format!("the {what} has no end"))
            .with_label(self.at..self.at + line.len(), format!("the {what} starts here"))
            .with_help(help)
    }

    fn string(&mut self) -> Result<LexemeKind, Diagnostic> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = start + at + 1;
                    let insensitive = self.eat("i");
                    return Ok(LexemeKind::Literal { text, insensitive });
                }
                '\n' => break,
                '\0'..'\x20' | '\x7f' => {
                    let text = "a control character stands in a string";
                    let escape = format!("write it as `\\x{:02x}`", character as u32);
                    return Err(self.bad_string(text, start + at..start + at + 1, escape));
                }
                '\\' => match escape(&self.rest()[at..]) {
                    Some((character, length)) => {
                        text.push(character);
                        characters.nth(length - 2);
                    }
                    None => {
                        let escaped =
                            self.rest()[at + 1..].chars().next().map_or(0, char::len_utf8);
                        let span = start + at..start + at + 1 + escaped;
                        let help = "the escapes are those of JSON, `\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX`, and `\\xXX`";
                        return Err(self.bad_string("unknown escape", span, help.to_owned()));
                    }
                },
                other => text.push(other),
            }
        }
        Err(self.unterminated("string", "close it with `\"` on the same line"))
    }

    fn bad_string(&self, text: &str, span: Range<usize>, help: String) -> Diagnostic {
        Diagnostic::error(codes::BAD_STRING, text).with_label(span, "").with_help(help)
    }

    fn regex(&mut self) -> Result<LexemeKind, Diagnostic> {
        let start = self.at;
        let mut is_escaped = false;
        for (at, character) in self.rest().char_indices().skip(1) {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '/' => {
                    let pattern = start + 1..start + at;
                    self.at = start + at + 1;
                    let flags = self.at;
                    self.skip_while(|c| "imslux".contains(c));
                    return Ok(LexemeKind::Regex { pattern, flags: flags..self.at });
                }
                _ => {}
            }
        }
        Err(self.unterminated("regular expression", "close it with `/`; a slash in it is `\\/`"))
    }

    fn token(&mut self) -> Result<LexemeKind, Diagnostic> {
        let help = "a token is written `<text>` or `<[id]>`, without white space";
        let length = self.rest()[1..].find(|c: char| c == '<' || c == '>' || c.is_whitespace());
        match length.map(|length| &self.rest()[..length + 2]) {
            Some(token) if token.ends_with('>') && token.len() > 2 => {
                self.at += token.len();
                Ok(LexemeKind::Token)
            }
            _ => Err(self.unterminated("token", help)),
        }
    }

    fn directive(&mut self) -> Result<LexemeKind, Diagnostic> {
        let start = self.at;
        self.at += 1;
        self.skip_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if !WITH_JSON.contains(&&self.text[start..self.at]) {
            return Ok(LexemeKind::Directive { json: None });
        }
        self.skip_while(|c| c.is_ascii_whitespace());
        let from = self.at;
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<IgnoredAny>();
        let outcome = values.next();
        let length = values.byte_offset();
        match outcome {
            Some(Ok(_)) => {
                self.at += length;
                Ok(LexemeKind::Directive { json: Some(from..self.at) })
            }
            failed => {
                let message = failed.and_then(Result::err);
                let message = message.map_or("there is none".to_owned(), |error| error.to_string());
                let directive = &self.text[start..from].trim_end();
                let text = format!("`{directive}` takes JSON: {message}");
                Err(Diagnostic::error(codes::BAD_JSON, text)
                    .with_label(start..start + directive.len(), "the JSON behind this")
                    .with_help("close every brace and quote of the JSON"))
            }
        }
    }
}

/// Returns the character that the escape at the start of a text denotes, and the length of the escape in bytes. `None`
/// if the escape is unknown or malformed.
fn escape(text: &str) -> Option<(char, usize)> {
    let number = |digits: Range<usize>| {
        let digits = text.get(digits).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let character = match text[1..].chars().next()? {
        'x' => return Some((char::from_u32(number(2..4)?)?, 4)),
        'u' => {
            let high = number(2..6)?;
            if let 0xD800..=0xDBFF = high {
                let low = text.get(6..8).filter(|u| *u == "\\u").and_then(|_| number(8..12))?;
                let low = low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
                return Some((char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + low)?, 12));
            }
            return Some((char::from_u32(high)?, 6));
        }
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        c @ ('"' | '\\' | '/') => c,
        _ => return None,
    };
    Some((character, 2))
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}
