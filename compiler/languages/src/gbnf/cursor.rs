//! A cursor over the lexemes of a source, shared by the parser of rules and the parser of macros.

use std::ops::Range;

use super::ast::MAX_NESTING;
use super::codes;
use super::findings::Findings;
use super::lexer::{Lexeme, LexemeKind};
use grammarc_grammar::diagnostics::Diagnostic;

/// Says that the current rule was given up after an error, which is already reported. Parsing
/// resumes at the next definition.
pub(super) struct Abandoned;

/// A cursor over the lexemes of a source, with the errors found so far.
pub(super) struct Cursor<'a> {
    /// The text of the source.
    pub(super) text: &'a str,
    pub(super) lexemes: &'a [Lexeme],
    /// Index of the current lexeme.
    pub(super) at: usize,
    /// The places of the open parentheses, outermost first.
    pub(super) open: Vec<Range<usize>>,
    pub(super) findings: Findings,
}

impl<'a> Cursor<'a> {
    /// Returns the current lexeme without consuming it. `None` at the end of the source.
    pub(super) fn peek(&self) -> Option<&'a Lexeme> {
        self.lexemes.get(self.at)
    }

    /// Returns the kind of the lexeme that is `ahead` lexemes after the current one. `None` beyond
    /// the end of the source.
    pub(super) fn kind(&self, ahead: usize) -> Option<&'a LexemeKind> {
        self.lexemes.get(self.at + ahead).map(|lexeme| &lexeme.kind)
    }

    /// Whether the current lexeme is the punctuation mark `mark`.
    pub(super) fn peek_mark(&self, mark: u8) -> bool {
        self.kind(0) == Some(&LexemeKind::Mark(mark))
    }

    /// Consumes the current lexeme if it is the punctuation mark `mark`. Returns whether it was.
    pub(super) fn eat_mark(&mut self, mark: u8) -> bool {
        let found = self.peek_mark(mark);
        self.at += usize::from(found);
        found
    }

    /// Returns the text of a lexeme.
    pub(super) fn text_of(&self, lexeme: &Lexeme) -> &'a str {
        &self.text[lexeme.span.clone()]
    }

    /// Returns the end of the last consumed lexeme, in bytes.
    pub(super) fn end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |last| self.lexemes[last].span.end)
    }

    /// Reports an error, and returns the sign that the current rule is given up.
    pub(super) fn fail(&mut self, error: Diagnostic) -> Abandoned {
        self.findings.push(error);
        Abandoned
    }

    /// Records an open parenthesis. Fails if more than 200 are open.
    pub(super) fn open(&mut self, span: &Range<usize>) -> Result<(), Abandoned> {
        self.open.push(span.clone());
        if self.open.len() > MAX_NESTING { Err(self.too_deep(span)) } else { Ok(()) }
    }

    /// Reports a group or repetition that is nested more than 200 levels deep.
    pub(super) fn too_deep(&mut self, span: &Range<usize>) -> Abandoned {
        let error = Diagnostic::error(
            codes::NESTED_TOO_DEEP,
            format!("groups and repetitions are nested more than {MAX_NESTING} deep"),
        )
        .with_label(span.clone(), "one too many")
        .with_help("give the inner part a rule of its own");
        self.fail(error)
    }

    /// Returns the message for a lexeme in a wrong place. `None` denotes the end of the source.
    pub(super) fn unexpected(&self, lexeme: Option<&Lexeme>) -> String {
        match lexeme {
            Some(lexeme) => match &lexeme.kind {
                LexemeKind::Name => format!("unexpected name `{}`", self.text_of(lexeme)),
                LexemeKind::Literal(_) => "unexpected string".to_owned(),
                LexemeKind::Inner(_) => "unexpected source of another language".to_owned(),
                LexemeKind::Class(_) => "unexpected character class".to_owned(),
                LexemeKind::Token { .. } => "unexpected token reference".to_owned(),
                LexemeKind::Define | LexemeKind::Mark(_) => {
                    format!("unexpected `{}`", self.text_of(lexeme))
                }
            },
            None => "unexpected end of the grammar".to_owned(),
        }
    }
}
