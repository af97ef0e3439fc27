//! Splits a GBNF source into lexemes.
//!
//! The lexer records an error and continues, so one run reports all of them. Strings and classes may run over line
//! ends, as in llama.cpp; an unterminated one ends with its line. Line ends are no lexemes: each lexeme knows whether
//! it is the first of its line.
//!
//! Cost: linear in the source. Each unterminated string or class adds a scan to the end, and the limit on errors bounds
//! their number.

use std::ops::Range;

use super::ast::{Class, InnerKind};
use super::codes;
use super::delimited::{Delimited, delimited};
use super::escape::Escape;
use super::findings::Findings;
use super::options::Notation;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::TokenRef;

/// A lexeme of a GBNF source, with its place in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lexeme {
    pub(super) kind: LexemeKind,
    pub(super) span: Range<usize>,
    /// Whether the lexeme is the first of its line: a line end or the start of the source precedes it.
    pub(super) first_of_line: bool,
}

/// The kind of a [`Lexeme`] of a GBNF source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LexemeKind {
    /// A run of letters, digits, `-` and `_`: a rule's name, or a number inside braces.
    Name,
    /// The definition mark `::=`.
    Define,
    /// A string, with its escapes resolved.
    Literal(String),
    /// A character class, `[...]`.
    Class(Class),
    /// A token reference, `<...>`, or with `negated` all other tokens, `!<...>`.
    Token { token: TokenRef, negated: bool },
    /// An inner source, which is a source of another language.
    Inner(InnerKind),
    /// A punctuation mark: `| ( ) { } , . * + ? =`.
    Mark(u8),
}

/// Steps of the budget that one lexeme costs, besides one step for each of its bytes.
pub(super) const STEPS_A_LEXEME: usize = 1 << 3;

/// Splits a source into lexemes. Errors are added to `findings`, and lexing continues. Once the budget is spent or the
/// limit on errors is reached, the result is a prefix.
pub(super) fn lex(
    text: &str,
    notation: Notation,
    findings: &mut Findings,
    budget: &Budget,
) -> Vec<Lexeme> {
    let over_line_end = None;
    let mut lexer =
        Lexer { text, at: 0, notation, open: 0, first_of_line: true, over_line_end, findings };
    // A byte order mark, which some editors write, is not part of the grammar.
    lexer.eat("\u{feff}");
    let mut lexemes = Vec::new();
    while !lexer.findings.are_full() {
        lexer.skip_blanks();
        let first_of_line = std::mem::replace(&mut lexer.first_of_line, false);
        let start = lexer.at;
        let Some(next) = lexer.peek() else { break };
        let kind = lexer.lexeme(next);
        if budget.spend(STEPS_A_LEXEME + lexer.at - start).is_err() {
            break;
        }
        if let Some(kind) = kind {
            lexemes.push(Lexeme { kind, span: start..lexer.at, first_of_line });
        } else {
            lexer.first_of_line |= first_of_line;
        }
    }
    lexemes
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    notation: Notation,
    /// The number of open parentheses in the current rule.
    open: usize,
    first_of_line: bool,
    /// The first string or class that spans a line end. If a later quote is missing, an error points here as the likely
    /// cause.
    over_line_end: Option<Range<usize>>,
    findings: &'a mut Findings,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Skips characters for which `of_kind` is true.
    fn skip_while(&mut self, of_kind: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !of_kind(c)).unwrap_or(rest.len());
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\r' | '\n') => {
                    self.at += 1;
                    self.first_of_line = true;
                }
                Some('#') => self.skip_while(|c| c != '\r' && c != '\n'),
                _ => return,
            }
        }
    }

    fn lexeme(&mut self, next: char) -> Option<LexemeKind> {
        match next {
            '"' => Some(self.string()),
            '[' => Some(self.class()),
            '<' => self.token(false),
            '!' if self.rest().starts_with("!<") => {
                self.at += 1;
                self.token(true)
            }
            '@' => self.inner(),
            '|' | '(' | ')' | '{' | '}' | ',' | '.' | '*' | '+' | '?' => {
                self.at += 1;
                self.open = match next {
                    '(' => self.open + 1,
                    ')' => self.open.saturating_sub(1),
                    _ => self.open,
                };
                Some(LexemeKind::Mark(next as u8))
            }
            c if is_name(c) => {
                // In XGrammar's notation a name may contain points.
                let points = self.notation == Notation::Xgrammar;
                self.skip_while(|c| is_name(c) || points && c == '.');
                Some(LexemeKind::Name)
            }
            _ if self.eat("::=") => {
                self.open = 0;
                Some(LexemeKind::Define)
            }
            // The `=` of an assertion, or of a macro's named argument.
            '=' if self.open > 0 => {
                self.at += 1;
                Some(LexemeKind::Mark(b'='))
            }
            _ => {
                self.unexpected(next);
                None
            }
        }
    }

    fn unexpected(&mut self, first: char) {
        let start = self.at;
        // A run of non-ASCII characters, such as prose in another script, is one error.
        self.skip_while(|c| !c.is_ascii());
        if self.at == start {
            self.bump();
        }
        let help = match first {
            '\'' | '‘' | '’' | '“' | '”' => "strings stand in double quotes: \"text\"",
            ':' | '=' => "a rule is written `name ::= body`",
            '/' | ';' => "a comment starts with `#`",
            '!' => "`!` stands before a token reference: `!<text>` or `!<[id]>`",
            ']' | '>' => "its partner is missing",
            '\\' => "escapes stand in strings and character classes",
            '&' | '-' | '~' => "GBNF has no intersection, difference or complement",
            _ => "text to be matched stands in double quotes, and a comment starts with `#`",
        };
        self.findings.push(
            Diagnostic::error(
                codes::UNEXPECTED_CHARACTER,
                format!("unexpected character `{}`", first.escape_debug()),
            )
            .with_label(start..self.at, "not part of the syntax")
            .with_help(help),
        );
    }

    fn string(&mut self) -> LexemeKind {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                Some('"') => {
                    self.at += 1;
                    self.note_line_ends(start);
                    return LexemeKind::Literal(text);
                }
                Some(_) => text.extend(self.character()),
                None => {
                    self.unterminated(start, codes::UNTERMINATED_STRING, "string", '"');
                    return LexemeKind::Literal(String::new());
                }
            }
        }
    }

    fn class(&mut self) -> LexemeKind {
        let start = self.at;
        self.at += 1;
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        loop {
            let from = self.at;
            match self.peek() {
                Some(']') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {}
                None => {
                    self.unterminated(start, codes::UNTERMINATED_CLASS, "character class", ']');
                    ranges = vec![('\0', char::MAX)];
                    break;
                }
            }
            let lo = self.character();
            let rest = self.rest();
            // A `-` makes a range unless it is the last character of the class.
            let hi = if rest.starts_with('-') && rest.len() > 1 && !rest.starts_with("-]") {
                self.at += 1;
                self.character()
            } else {
                lo
            };
            match (lo, hi) {
                (Some(lo), Some(hi)) if lo <= hi => ranges.push((lo, hi)),
                (Some(lo), Some(hi)) => {
                    self.reversed_range(from..self.at, lo, hi);
                    ranges.push((hi, lo));
                }
                // The bad escape is reported. A placeholder keeps the class from being reported as empty, too.
                _ => ranges.push(('\0', '\0')),
            }
        }
        self.note_line_ends(start);
        if ranges.is_empty() && !(negated && self.notation == Notation::Xgrammar) {
            self.empty_class(start..self.at, negated);
        }
        LexemeKind::Class(Class { negated, ranges })
    }

    /// Reads one character of a string or class, with its escape resolved. `None` after a bad escape, which is
    /// reported, and at the end of the text.
    fn character(&mut self) -> Option<char> {
        if self.peek() != Some('\\') {
            return self.bump();
        }
        let start = self.at;
        let escape = Escape::read(self.rest(), self.notation == Notation::Xgrammar);
        self.at += escape.length;
        match escape.character {
            Ok(character) => Some(character),
            Err(mistake) => {
                self.findings.push(mistake.diagnostic(start..self.at));
                None
            }
        }
    }

    fn token(&mut self, negated: bool) -> Option<LexemeKind> {
        let start = self.at;
        let line = self.rest().split(['\r', '\n']).next().unwrap_or_default();
        let Some(length) = line.find('>') else {
            self.at += line.len();
            self.findings.push(
                Diagnostic::error(codes::UNTERMINATED_TOKEN, "the token reference has no `>`")
                    .with_label(start..self.at, "")
                    .with_help("a token is written `<text>` or `<[id]>`, on one line"),
            );
            return None;
        };
        let reference = line[..=length].to_owned();
        self.at += reference.len();
        let token = match reference.strip_prefix("<[") {
            // The brackets belong to the token's text: `<think>` names the token `<think>`.
            None => TokenRef::Text(reference),
            Some(id) => match id.strip_suffix("]>").map(str::parse) {
                Some(Ok(id)) => TokenRef::Id(id),
                _ => {
                    self.findings.push(
                        Diagnostic::error(codes::BAD_TOKEN_ID, "the token id is not a number")
                            .with_label(start..self.at, "")
                            .with_help("a token id is written `<[1000]>`, from 0 to 4294967295"),
                    );
                    TokenRef::Id(0)
                }
            },
        };
        Some(LexemeKind::Token { token, negated })
    }

    /// Reads the inner source (of another language) that starts with the `@` at the current byte. `None` after an
    /// error.
    fn inner(&mut self) -> Option<LexemeKind> {
        let start = self.at;
        self.at += 1;
        if self.peek() == Some('"') {
            let LexemeKind::Literal(name) = self.string() else { return None };
            return Some(LexemeKind::Inner(InnerKind::Named(name)));
        }
        let name = self.at;
        self.skip_while(is_name);
        let language = self.text[name..self.at].to_owned();
        self.skip_while(|c| c.is_ascii_whitespace());
        let (error, label, help) = match self.peek() {
            Some('{' | '[' | '/') if !language.is_empty() => {
                if let Some(Delimited { text, end }) = delimited(self.text, self.at) {
                    self.at = end;
                    return Some(LexemeKind::Inner(InnerKind::Inline { language, text }));
                }
                let line = self.text[start..].find(['\r', '\n']);
                self.at = line.map_or(self.text.len(), |length| start + length);
                (
                    format!("the source of language `{language}` has no end"),
                    "it begins here",
                    "close it with the partner of the sign that it begins with",
                )
            }
            _ => (
                "`@` begins no source of another language".to_owned(),
                "",
                "write `@json-schema{...}`, `@regex/.../`, or `@\"name\"` for a source that is handed over by \
                 its name",
            ),
        };
        self.findings.push(
            Diagnostic::error(codes::BAD_INNER_SOURCE, error)
                .with_label(start..self.at.max(start + 1), label)
                .with_help(help),
        );
        None
    }

    fn note_line_ends(&mut self, start: usize) {
        if self.over_line_end.is_none() && self.text[start..self.at].contains('\n') {
            self.over_line_end = Some(start..self.at);
        }
    }

    fn unterminated(&mut self, start: usize, code: &'static str, what: &str, closing: char) {
        let line_end = self.text[start..].find(['\r', '\n']).map_or(self.text.len(), |n| start + n);
        self.at = line_end;
        let mut finding = Diagnostic::error(code, format!("the {what} has no closing `{closing}`"))
            .with_label(start..line_end, format!("the {what} starts here"));
        if let Some(span) = &self.over_line_end {
            finding = finding
                .with_label(span.clone(), "this one runs over a line end; its end may be missing");
        }
        self.findings.push(finding.with_help(format!("close it with `{closing}`")));
    }

    fn reversed_range(&mut self, span: Range<usize>, lo: char, hi: char) {
        self.findings.push(
            Diagnostic::error(codes::REVERSED_RANGE, "the range ends before it starts")
                .with_label(span, format!("U+{:04X} comes after U+{:04X}", lo as u32, hi as u32))
                .with_help(
                    "swap the ends; for a plain `-` put it last in the class, or write `\\-`",
                ),
        );
    }

    fn empty_class(&mut self, span: Range<usize>, negated: bool) {
        let help = if negated {
            "`.` is any character; for a plain `^` write \"^\""
        } else {
            "`\"\"` is the empty string; for a plain `[` or `]` write `\\[` or `\\]`"
        };
        self.findings.push(
            Diagnostic::error(codes::EMPTY_CLASS, "the character class is empty")
                .with_label(span, "")
                .with_help(help),
        );
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}
