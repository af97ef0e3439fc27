//! Lowers inner sources of any language, for front ends whose sources contain them.
//!
//! Languages with inner sources would depend on all other languages, and on each other. So a front end takes a
//! [`Reader`] instead. The only full implementation is [`Nested`]: it finds the front end of a language by name, and
//! passes itself on. A source that refers to itself is an error, and so is one more than [`MAX_LEVELS`] levels deep,
//! which bounds the stack.

use serde_json::{Map, Value};

use super::deny::denied;
use super::front_end::FrontEnd;
use super::inner::Reader;
use super::settings::{Language, Settings};
use super::sources::{NamedSource, Sources};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::Lowered;

/// Most levels of sources within sources. A deeper source is an error, which bounds the recursion.
const MAX_LEVELS: usize = 8;

/// Error: an unknown language, or a wrong option, of an inner source.
const UNKNOWN: &str = "source::unknown-language";
/// Error: sources nested more than 8 levels deep.
const TOO_DEEP: &str = "source::nested-too-deep";
/// Error: a named source that refers to itself, directly or through others.
const CIRCLE: &str = "source::circle";

/// Lowers the inner sources (of other languages) of one source, and passes itself on to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nested<'a> {
    controls: &'a ControlTokens,
    budget: &'a Budget,
    /// The names of the surrounding named sources, the innermost first. `None` if there are none.
    path: Option<&'a NamePath<'a>>,
    levels: usize,
}

/// A linked list of the names of named sources that contain each other.
#[derive(Debug)]
struct NamePath<'a> {
    name: &'a str,
    outer: Option<&'a NamePath<'a>>,
}

impl<'a> Nested<'a> {
    /// Returns the reader for a source that is within no other source.
    pub(super) fn outermost(controls: &'a ControlTokens, budget: &'a Budget) -> Self {
        Self { controls, budget, path: None, levels: 0 }
    }

    fn read(
        &self,
        language: &str,
        options: &Map<String, Value>,
        source: Source,
        sources: &Sources,
        path: Option<&NamePath<'_>>,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        let whole = 0..source.text.len();
        let refuse = |code, text: String, help: &str| {
            Err(vec![Diagnostic::error(code, text).with_label(whole.clone(), "").with_help(help)])
        };
        if self.levels >= MAX_LEVELS {
            let text =
                format!("sources stand within each other more than {MAX_LEVELS} levels deep");
            return refuse(TOO_DEEP, text, "bring the rules of some of them into one source");
        }
        let Some(language) = Language::named(language) else {
            let known = Language::ALL.map(Language::name).join(", ");
            let text = format!("there is no language `{language}`");
            return refuse(UNKNOWN, text, &format!("the languages are {known}"));
        };
        let Settings { mut front_end, deny } = match Settings::of(language, options.clone()) {
            Ok(settings) => settings,
            Err(error) => return refuse(UNKNOWN, error.to_string(), "see the language's options"),
        };
        if let Some(own) = front_end.sources().filter(|own| own.is_empty()) {
            own.clone_from(sources);
        }
        let inner = Nested { path, levels: self.levels + 1, ..*self };
        let lowered = front_end.lower_within(source, self.controls, &inner, self.budget)?;
        let denied = denied(&lowered.source, &lowered.report, &deny);
        if denied.is_empty() { Ok(lowered) } else { Err(denied) }
    }
}

impl Reader for Nested<'_> {
    fn inline(
        &self,
        language: &str,
        source: Source,
        sources: &Sources,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        self.read(language, &Map::new(), source, sources, self.path)
    }

    fn named(
        &self,
        name: &str,
        named: &NamedSource,
        sources: &Sources,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        let mut path = self.path;
        while let Some(NamePath { name: passed, outer }) = path {
            if *passed == name {
                let text = format!("the source {name:?} is within itself");
                let help = "rules of one source may call each other; sources may not";
                return Err(vec![Diagnostic::error(CIRCLE, text).with_help(help)]);
            }
            path = *outer;
        }
        let NamedSource { language, options, source } = named;
        let path = NamePath { name, outer: self.path };
        let lowered = self.read(language, options, source.clone(), sources, Some(&path));
        let here = |found: Vec<Diagnostic>| {
            found.into_iter().map(|finding| finding.in_source(source)).collect::<Vec<_>>()
        };
        match lowered {
            Ok(lowered) => Ok(Lowered { findings: here(lowered.findings), ..lowered }),
            Err(errors) => Err(here(errors)),
        }
    }
}

impl FrontEnd {
    /// Lowers a source for all vocabularies: no string denotes a special token. The cost counts against `budget`, which
    /// the compilation continues to use.
    ///
    /// # Errors
    ///
    /// Returns the errors of the source, or that the budget is spent.
    pub fn lower(&self, source: Source, budget: &Budget) -> Result<Lowered, Vec<Diagnostic>> {
        self.lower_for(source, &ControlTokens::default(), budget)
    }

    /// Lowers a source for vocabularies with the special tokens `controls`. In some languages, the text of such a token
    /// in a string denotes the token.
    ///
    /// # Errors
    ///
    /// Returns the errors of the source, or that the budget is spent.
    pub fn lower_for(
        &self,
        source: Source,
        controls: &ControlTokens,
        budget: &Budget,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        let nested = Nested::outermost(controls, budget);
        self.lower_within(source, controls, &nested, budget)
    }
}
