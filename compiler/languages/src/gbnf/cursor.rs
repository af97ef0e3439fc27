//! A position in the lexemes of a source, shared by the parser of rules and that of macros.

use std::ops::Range;

use super::ast::MAX_NESTING;
use super::codes;
use super::findings::Findings;
use super::lexer::{Lexeme, LexemeKind};
use grammarc_grammar::diagnostics::Diagnostic;

/// Marks an abandoned rule. The error is already reported.
pub(super) struct Abandoned;

/// A position in the lexemes, with the errors found so far.
pub(super) struct Cursor<'a> {
    /// The source.
    pub(super) text: &'a str,
    pub(super) lexemes: &'a [Lexeme],
    /// Index of the current lexeme.
    pub(super) at: usize,
    /// The open parentheses, outermost first.
    pub(super) open: Vec<Range<usize>>,
    pub(super) findings: Findings,
}

impl<'a> Cursor<'a> {
    /// Returns the current lexeme.
    pub(super) fn peek(&self) -> Option<&'a Lexeme> {
        self.lexemes.get(self.at)
    }

    /// Returns the kind of the lexeme `ahead` lexemes behind the current one.
    pub(super) fn kind(&self, ahead: usize) -> Option<&'a LexemeKind> {
        self.lexemes.get(self.at + ahead).map(|lexeme| &lexeme.kind)
    }

    /// Whether the current lexeme is this mark.
    pub(super) fn peek_mark(&self, mark: u8) -> bool {
        self.kind(0) == Some(&LexemeKind::Mark(mark))
    }

    /// Skips the current lexeme if it is this mark, and returns whether it was.
    pub(super) fn eat_mark(&mut self, mark: u8) -> bool {
        let found = self.peek_mark(mark);
        self.at += usize::from(found);
        found
    }

    /// Returns the text of a lexeme.
    pub(super) fn text_of(&self, lexeme: &Lexeme) -> &'a str {
        &self.text[lexeme.span.clone()]
    }

    /// Returns the end of the last lexeme read.
    pub(super) fn end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |last| self.lexemes[last].span.end)
    }

    /// Reports an error for which the rule is given up.
    pub(super) fn fail(&mut self, error: Diagnostic) -> Abandoned {
        self.findings.push(error);
        Abandoned
    }

    /// Opens a parenthesis, unless too many are open.
    pub(super) fn open(&mut self, span: &Range<usize>) -> Result<(), Abandoned> {
        self.open.push(span.clone());
        if self.open.len() > MAX_NESTING { Err(self.too_deep(span)) } else { Ok(()) }
    }

    /// Reports a group or repetition beyond the limit on nesting.
    pub(super) fn too_deep(&mut self, span: &Range<usize>) -> Abandoned {
        let error = Diagnostic::error(
            codes::NESTED_TOO_DEEP,
            format!("groups and repetitions are nested more than {MAX_NESTING} deep"),
        )
        .with_label(span.clone(), "one too many")
        .with_help("give the inner part a rule of its own");
        self.fail(error)
    }

    /// Returns the message for a lexeme that cannot stand here. `None` is the end of the source.
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
