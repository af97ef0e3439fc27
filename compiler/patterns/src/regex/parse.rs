//! Parses a pattern to the HIR of regex-syntax, with limits on the cost.
//!
//! regex-syntax bounds nesting, and its HIR does not unroll counted repetitions. It does not bound the size of Unicode
//! classes: each `\w` in the text becomes 6 KB of ranges, and `(?i)` visits every character of a class. So the length
//! of the text and the classes are limited here. Classes are counted on the syntax tree before it is translated.

use std::ops::Range;

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{
    self, AssertionKind, Ast, ClassSetItem, Flag, FlagsItemKind, GroupKind, Visitor,
};
use regex_syntax::hir::Hir;
use regex_syntax::hir::translate::TranslatorBuilder;

use super::PatternError;
use crate::dialects;
use crate::dialects::{Dialect, Foreign};

/// Greatest length of a pattern in bytes. A longer pattern is an error. The HIR takes up to 200 bytes for each byte.
const MAX_LENGTH: usize = 256 << 10;

/// Most cost units of a pattern's classes, as [`ClassMeter`] counts them; more are an error. The limit allows 5,000
/// classes such as `\w`, which take 30 MB. If case is ignored, it allows classes of 80 million characters in total,
/// which take about a second to fold.
const MAX_CLASS_UNITS: usize = 20_000;

/// Greatest depth of groups, repetitions and classes. Deeper nesting is an error, which bounds the recursion over the
/// HIR.
const MAX_NESTING: u32 = 200;

/// Parses a pattern to an HIR that matches only whole characters. Fails on wrong syntax, and on text, nesting or
/// classes beyond the limits.
pub(super) fn parse(pattern: &str) -> Result<Hir, PatternError> {
    if pattern.len() > MAX_LENGTH {
        return Err(PatternError::TooLong { length: pattern.len(), limit: MAX_LENGTH });
    }
    let ast = ParserBuilder::new()
        .nest_limit(MAX_NESTING)
        .build()
        .parse(pattern)
        .map_err(|error| syntax_error(&error, pattern))?;
    ast::visit(&ast, ClassMeter::default())?;
    TranslatorBuilder::new().utf8(true).build().translate(pattern, &ast).map_err(|error| {
        PatternError::Syntax {
            message: error.kind().to_string(),
            span: range(error.span()),
            other: None,
        }
    })
}

/// Adds the place of the responsible assertion to an error of the automaton's construction. Other errors stay as they
/// are.
pub(super) fn locate(error: PatternError, pattern: &str) -> PatternError {
    let assertion = |words_only| {
        let ast = ParserBuilder::new().nest_limit(MAX_NESTING).build().parse(pattern).ok()?;
        ast::visit(&ast, AssertionFinder { words_only, found: None }).ok()?
    };
    match error {
        PatternError::UnicodeWordBoundary { span } => {
            PatternError::UnicodeWordBoundary { span: assertion(true).unwrap_or(span) }
        }
        PatternError::TooLarge { limit, .. } => {
            let span = assertion(true).or_else(|| assertion(false)).unwrap_or(0..pattern.len());
            PatternError::TooLarge { limit, span }
        }
        other => other,
    }
}

fn range(span: &ast::Span) -> Range<usize> {
    span.start.offset..span.end.offset
}

/// Whether a pattern has lookaround, so that [`ecma`](crate::ecma) reads it. False for a pattern of more than 256 KiB.
pub fn looks_around(pattern: &str) -> bool {
    // A syntax tree takes a hundred times as many bytes as its pattern.
    if pattern.len() > MAX_LENGTH {
        return false;
    }
    let parsed = ParserBuilder::new().nest_limit(MAX_NESTING).build().parse(pattern);
    parsed.is_err_and(|error| *error.kind() == ast::ErrorKind::UnsupportedLookAround)
}

fn syntax_error(error: &ast::Error, pattern: &str) -> PatternError {
    let (message, span) = (error.kind().to_string(), range(error.span()));
    if let ast::ErrorKind::NestLimitExceeded(limit) = *error.kind() {
        return PatternError::NestedTooDeep { limit, span: span.start..span.start + 1 };
    }
    if let Some(Foreign { span, what, help }) = dialects::foreign(pattern, Dialect::Regex) {
        return PatternError::Foreign { what, help, span };
    }
    match *error.kind() {
        ast::ErrorKind::UnsupportedBackreference => PatternError::Unsupported { message, span },
        _ => PatternError::Syntax { message, span, other: error.auxiliary_span().map(range) },
    }
}

/// Sums the cost of a pattern's character classes, before they are built. Four units are about 6 KB of ranges, and one
/// unit is also the case folding of 4,096 characters.
#[derive(Default)]
struct ClassMeter {
    units: usize,
    /// Whether the flag `i` has occurred. Flags precede the text that they apply to.
    insensitive: bool,
}

impl ClassMeter {
    /// Adds the cost of a class of at most `characters` characters. `many` says that it has many ranges and not one.
    /// Fails beyond the limit.
    fn count(
        &mut self,
        characters: usize,
        many: bool,
        span: &ast::Span,
    ) -> Result<(), PatternError> {
        let folding = if self.insensitive { characters / 4096 } else { 0 };
        self.units += folding + if many { 4 } else { 0 };
        if self.units > MAX_CLASS_UNITS {
            return Err(PatternError::ClassesTooLarge { span: range(span) });
        }
        Ok(())
    }

    fn flags(&mut self, flags: &ast::Flags) {
        let insensitive = FlagsItemKind::Flag(Flag::CaseInsensitive);
        self.insensitive |= flags.items.iter().any(|item| item.kind == insensitive);
    }
}

/// The number of Unicode code points.
const ALL: usize = 0x11_0000;

impl Visitor for ClassMeter {
    type Output = ();
    type Err = PatternError;

    fn finish(self) -> Result<(), PatternError> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), PatternError> {
        match ast {
            Ast::Flags(set) => self.flags(&set.flags),
            Ast::Group(group) => {
                if let GroupKind::NonCapturing(flags) = &group.kind {
                    self.flags(flags);
                }
            }
            Ast::ClassUnicode(class) => return self.count(ALL, true, &class.span),
            Ast::ClassPerl(class) => return self.count(0, true, &class.span),
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), PatternError> {
        match item {
            ClassSetItem::Unicode(class) => self.count(ALL, true, &class.span),
            ClassSetItem::Perl(class) => self.count(ALL, true, &class.span),
            ClassSetItem::Range(range) => {
                let characters = (range.end.c as usize).saturating_sub(range.start.c as usize);
                self.count(characters, false, &range.span)
            }
            _ => Ok(()),
        }
    }
}

/// Finds the first assertion in a pattern. With `words_only`, anchors of texts and lines are skipped.
struct AssertionFinder {
    words_only: bool,
    found: Option<Range<usize>>,
}

impl Visitor for AssertionFinder {
    type Output = Option<Range<usize>>;
    type Err = PatternError;

    fn finish(self) -> Result<Self::Output, PatternError> {
        Ok(self.found)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), PatternError> {
        if let Ast::Assertion(assertion) = ast {
            let anchor = matches!(
                assertion.kind,
                AssertionKind::StartLine
                    | AssertionKind::EndLine
                    | AssertionKind::StartText
                    | AssertionKind::EndText
            );
            if self.found.is_none() && !(anchor && self.words_only) {
                self.found = Some(range(&assertion.span));
            }
        }
        Ok(())
    }
}
