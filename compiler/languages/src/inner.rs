//! Inner sources: sources within a source, such as a schema in a structural tag or a pattern in a grammar.
//!
//! An inner source is lowered on its own, by the front end of its language. [`Outer`] takes the result: the rules
//! become rules of the outer grammar, and all places become places of the outer text. A [`Place`] describes where the
//! inner text is. It is a part of the outer text, or decoded from a string literal.

use std::fmt::Write as _;
use std::ops::Range;

use super::sources::{NamedSource, Sources};
use grammarc_grammar::diagnostics::report::Report;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{GrammarBuilder, Literals, Lowered, Origin, RuleId};

/// Error: an inner source (of another language) in a source that was lowered by a front end without the others.
const NOT_READ: &str = "source::not-read";

/// Lowers inner sources: sources of any language within a source of another.
pub(crate) trait Reader {
    /// Lowers a text in the language `language` that is part of the outer source. Places in the result are places in
    /// that text.
    ///
    /// # Errors
    ///
    /// Returns the errors of the inner source.
    fn inline(
        &self,
        language: &str,
        source: Source,
        sources: &Sources,
    ) -> Result<Lowered, Vec<Diagnostic>>;

    /// Lowers a source that the outer source refers to by name. Findings and errors point into the named source.
    ///
    /// # Errors
    ///
    /// Returns the errors of the named source, or that it refers to itself.
    fn named(
        &self,
        name: &str,
        named: &NamedSource,
        sources: &Sources,
    ) -> Result<Lowered, Vec<Diagnostic>>;
}

/// Refuses all inner sources (of other languages). A front end uses it if the other front ends are not available.
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

/// Where an inner source (of another language) is in the outer source.
pub(crate) struct Place<'a> {
    /// Maps a range of bytes of the inner text to a range of bytes of the outer text.
    pub(crate) span: &'a dyn Fn(&Range<usize>) -> Range<usize>,
    /// The prefix of JSON pointers into the inner source: the pointer to that source, or its name.
    pub(crate) pointer: Option<String>,
}

impl Place<'_> {
    /// Moves the places of a diagnostic to the outer source. A diagnostic of a source with its own text stays as it is.
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

    /// Moves the places of diagnostics to the outer source.
    pub(crate) fn diagnostics(&self, inner: Vec<Diagnostic>) -> Vec<Diagnostic> {
        inner.into_iter().map(|diagnostic| self.diagnostic(diagnostic)).collect()
    }

    fn origin(&self, origin: Origin) -> Origin {
        let span = origin.span.map(|span| (self.span)(&span));
        Origin { span, pointer: self.pointer(origin.pointer) }
    }

    /// Adds the pointer to the inner source (of another language) before a pointer within it. A pointer with a URI or a
    /// name stays as it is.
    fn pointer(&self, inner: Option<String>) -> Option<String> {
        match (&self.pointer, inner) {
            (Some(outer), Some(inner)) if is_inside(&inner) => Some(format!("{outer}{inner}")),
            (outer, inner) => inner.or_else(|| outer.clone()),
        }
    }
}

/// Whether a pointer is relative to its own document. Other pointers begin with a URI or a name.
fn is_inside(pointer: &str) -> bool {
    pointer.is_empty() || pointer.starts_with('/')
}

/// A grammar under construction from several sources, with their reports and findings.
#[derive(Debug, Default)]
pub(crate) struct Outer {
    /// The rules of the grammar so far.
    pub(crate) builder: GrammarBuilder,
    /// The report so far: for each keyword, whether the grammar enforces it exactly.
    pub(crate) report: Report,
    /// The warnings and notes so far.
    pub(crate) findings: Vec<Diagnostic>,
    /// The strings of the sources that match exactly their own text, with their places.
    pub(crate) literals: Literals,
}

impl Outer {
    /// Adds the grammar, report and findings of an inner source (of another language). Returns the start rule of its
    /// grammar.
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
