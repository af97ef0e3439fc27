//! Sources within a source: a schema in a structural tag, a pattern in a grammar.
//!
//! An inner source is lowered on its own by the front end of its language. [`Outer`] takes the result: the rules become
//! rules of the outer grammar, and all places become places of the outer text. A [`Place`] describes the position of
//! the inner text. It is a part of the outer text, or decoded from a string literal.

use std::fmt::Write as _;
use std::ops::Range;

use super::sources::{NamedSource, Sources};
use grammarc_grammar::diagnostics::report::Report;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{GrammarBuilder, Literals, Lowered, Origin, RuleId};

/// A front end that knows no other was called by itself.
const NOT_READ: &str = "source::not-read";

/// Reads sources of any language that stand within the sources of a front end.
pub(crate) trait Reader {
    /// Lowers a text that is part of the outer source. Places are of that text.
    ///
    /// # Errors
    ///
    /// The errors of the source.
    fn inline(
        &self,
        language: &str,
        source: Source,
        sources: &Sources,
    ) -> Result<Lowered, Vec<Diagnostic>>;

    /// Lowers a source that the outer one refers to by name. Findings and errors name it.
    ///
    /// # Errors
    ///
    /// The errors of the source, or that it contains itself.
    fn named(
        &self,
        name: &str,
        named: &NamedSource,
        sources: &Sources,
    ) -> Result<Lowered, Vec<Diagnostic>>;
}

/// Refuses sources of other languages: for a front end without the others.
#[derive(Debug)]
pub(crate) struct NoInnerSources;

impl NoInnerSources {
    fn refuse(source: &Source) -> Vec<Diagnostic> {
        let text = "sources of other languages are not read here";
        let error = Diagnostic::error(NOT_READ, text).with_label(0..source.text.len(), "");
        let help = "lower the source by `FrontEnd::lower`, which knows all languages";
        vec![error.with_help(help)]
    }
}

impl Reader for NoInnerSources {
    fn inline(&self, _: &str, source: Source, _: &Sources) -> Result<Lowered, Vec<Diagnostic>> {
        Err(Self::refuse(&source))
    }

    fn named(&self, _: &str, named: &NamedSource, _: &Sources) -> Result<Lowered, Vec<Diagnostic>> {
        let errors = Self::refuse(&named.source).into_iter();
        Err(errors.map(|error| error.in_source(&named.source)).collect())
    }
}

/// Place of an inner source in the outer one.
pub(crate) struct Place<'a> {
    /// Maps a range of the inner text to a range of the outer text.
    pub(crate) span: &'a dyn Fn(&Range<usize>) -> Range<usize>,
    /// The JSON pointer to the inner source, if the outer one is JSON.
    pub(crate) pointer: Option<String>,
}

impl Place<'_> {
    /// Moves a finding to the outer source, unless its source has a text of its own.
    pub(crate) fn diagnostic(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if diagnostic.within().is_some() {
            return diagnostic;
        }
        for label in &mut diagnostic.labels {
            label.span = (self.span)(&label.span);
        }
        diagnostic.pointer = self.pointer(diagnostic.pointer);
        diagnostic
    }

    /// Moves errors to the outer source.
    pub(crate) fn diagnostics(&self, inner: Vec<Diagnostic>) -> Vec<Diagnostic> {
        inner.into_iter().map(|diagnostic| self.diagnostic(diagnostic)).collect()
    }

    fn origin(&self, origin: Origin) -> Origin {
        let span = origin.span.map(|span| (self.span)(&span));
        Origin { span, pointer: self.pointer(origin.pointer) }
    }

    /// Prefixes a pointer of the inner source with the pointer to that source.
    fn pointer(&self, inner: Option<String>) -> Option<String> {
        match (&self.pointer, inner) {
            (Some(outer), Some(inner)) if is_inside(&inner) => Some(format!("{outer}{inner}")),
            (outer, inner) => inner.or_else(|| outer.clone()),
        }
    }
}

/// Whether a pointer is into its own document. Other pointers begin with a URI or a name.
fn is_inside(pointer: &str) -> bool {
    pointer.is_empty() || pointer.starts_with('/')
}

/// A grammar under construction from several sources, with the findings.
#[derive(Debug, Default)]
pub(crate) struct Outer {
    /// The rules.
    pub(crate) builder: GrammarBuilder,
    /// The exactness report.
    pub(crate) report: Report,
    /// Warnings and notes.
    pub(crate) findings: Vec<Diagnostic>,
    /// Strings that match exactly their own text.
    pub(crate) literals: Literals,
}

impl Outer {
    /// Adds the grammar of an inner source, and returns its start rule.
    pub(crate) fn add(&mut self, inner: Lowered, place: &Place<'_>) -> RuleId {
        let Lowered { source: _, grammar, report, findings, literals } = inner;
        let outer = place.pointer.as_deref().unwrap_or_default();
        for entry in report.entries() {
            let outer = if is_inside(entry.pointer) { outer } else { "" };
            let pointer = |text: &mut String| _ = write!(text, "{outer}{}", entry.pointer);
            self.report.add(pointer, entry.keyword, entry.verdict, entry.reason.to_owned().into());
        }
        self.findings.extend(place.diagnostics(findings));
        for (text, span) in literals.iter() {
            self.literals.add(text, &(place.span)(span));
        }
        self.builder.graft(grammar, &|origin| place.origin(origin))
    }
}
