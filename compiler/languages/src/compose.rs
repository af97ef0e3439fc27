//! Compositions: one grammar of several sources, of any languages, in sequence or as alternatives.
//!
//! ```
//! # use grammarc_grammar::{budget::Budget, diagnostics::Source};
//! # use grammarc_languages::{FrontEnd, compose::Composition};
//! # use grammarc_languages::{gbnf::GbnfOptions, regex::PatternOptions};
//! let name = Composition::source(FrontEnd::Regex(PatternOptions::exact()), Source::new("name", "[a-z]+"));
//! let rest = Source::new("rest", "root ::= \"=\" [0-9]");
//! let rest = Composition::source(FrontEnd::Gbnf(GbnfOptions::default()), rest);
//! let lowered = Composition::sequence([name, rest]).lower(&Budget::new()).expect("both are right");
//! ```
//!
//! The grammar has a text of its own, written as in GBNF: `@"name" @"rest"`. A finding in a source points into that
//! source ([`Diagnostic::source`]). Each source is lowered separately, so its texts do not depend on its neighbours.
//!
//! Cost: the cost of lowering the sources, and a copy of their rules.

use std::fmt::Write as _;
use std::ops::Range;

use super::FrontEnd;
use super::inner::{Outer, Place};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::controls::ControlTokens;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Expr, Lowered, Origin};

/// Most levels of compositions inside each other. A deeper composition is an error, which bounds the recursion.
pub const MAX_NESTING: usize = 200;

/// The name of the text that describes a composition, in diagnostics.
const NAME: &str = "<composition>";

/// Sources of any languages, combined in sequence or as alternatives.
#[derive(Clone, Debug)]
pub struct Composition {
    part: Part,
    name: Option<String>,
    /// The number of levels of compositions, this one included.
    height: usize,
}

#[derive(Clone, Debug)]
enum Part {
    Source(Box<FrontEnd>, Source),
    Sequence(Vec<Composition>),
    Or(Vec<Composition>),
}

impl Composition {
    /// Returns a composition of a single source.
    pub fn source(front_end: FrontEnd, source: Source) -> Self {
        Self { part: Part::Source(Box::new(front_end), source), name: None, height: 1 }
    }

    /// Returns a composition whose texts are those of the parts, one after another. Without parts, only the empty text.
    pub fn sequence(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::of(parts, Part::Sequence)
    }

    /// Returns a composition whose texts are those of any part. Without parts, no text at all.
    pub fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::of(parts, Part::Or)
    }

    /// Sets the name of the composition, for its rule and the report. By default it is the name of the source.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    fn of(parts: impl IntoIterator<Item = Self>, part: impl FnOnce(Vec<Self>) -> Part) -> Self {
        let parts: Vec<Self> = parts.into_iter().collect();
        let height = 1 + parts.iter().map(|part| part.height).max().unwrap_or(0);
        Self { part: part(parts), name: None, height }
    }

    /// Lowers the composition for all vocabularies: no string denotes a special token.
    ///
    /// # Errors
    ///
    /// Returns all errors of the sources. Also fails beyond [`MAX_NESTING`] levels, or if the budget is spent.
    pub fn lower(&self, budget: &Budget) -> Result<Lowered, Vec<Diagnostic>> {
        self.lower_for(&ControlTokens::default(), budget)
    }

    /// Lowers the composition for vocabularies with the special tokens `controls`. See [`FrontEnd::lower_for`].
    ///
    /// # Errors
    ///
    /// See [`Composition::lower`].
    pub fn lower_for(
        &self,
        controls: &ControlTokens,
        budget: &Budget,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        if self.height > MAX_NESTING {
            let text = format!("compositions stand within each other more than {MAX_NESTING} deep");
            return Err(vec![Diagnostic::error("composition::nested-too-deep", text)]);
        }
        let mut outer = Outer::default();
        let root = outer.builder.declare("root");
        let mut composing =
            Composing { controls, budget, outer, text: String::new(), errors: Vec::new() };
        let expr = composing.expr(self);
        let Composing { mut outer, text, errors, .. } = composing;
        if !errors.is_empty() {
            return Err(errors);
        }
        let origin = Origin { span: Some(0..text.len()), pointer: None };
        outer.builder.define(root, expr, origin);
        let Outer { builder, report, findings, literals } = outer;
        let source = Source::new(NAME, text);
        Ok(Lowered { source, grammar: builder.finish(root), report, findings, literals })
    }
}

struct Composing<'a> {
    controls: &'a ControlTokens,
    budget: &'a Budget,
    outer: Outer,
    /// The text that describes the composition, as far as it has been lowered.
    text: String,
    errors: Vec<Diagnostic>,
}

impl Composing<'_> {
    fn expr(&mut self, composition: &Composition) -> Expr {
        let start = self.text.len();
        let expr = match &composition.part {
            Part::Source(front_end, source) => {
                let name = composition.name.as_deref().unwrap_or(&source.name);
                let _ = write!(self.text, "@{name:?}");
                return self.source(front_end, source, name, start..self.text.len());
            }
            Part::Sequence(parts) => Expr::seq(self.exprs(parts, " ")),
            Part::Or(parts) => Expr::alt(self.exprs(parts, " | ")),
        };
        let Some(name) = &composition.name else { return expr };
        let rule = self.outer.builder.declare(name.as_str());
        let origin = Origin { span: Some(start..self.text.len()), pointer: None };
        self.outer.builder.define(rule, expr, origin);
        Expr::Call(rule)
    }

    fn exprs(&mut self, parts: &[Composition], between: &str) -> Vec<Expr> {
        self.text.push('(');
        let mut exprs = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                self.text.push_str(between);
            }
            exprs.push(self.expr(part));
        }
        self.text.push(')');
        exprs
    }

    fn source(
        &mut self,
        front_end: &FrontEnd,
        source: &Source,
        name: &str,
        place: Range<usize>,
    ) -> Expr {
        let within = |found: Vec<Diagnostic>| {
            found.into_iter().map(|finding| finding.in_source(source)).collect::<Vec<_>>()
        };
        match front_end.lower_for(source.clone(), self.controls, self.budget) {
            Ok(mut lowered) => {
                lowered.findings = within(lowered.findings);
                let pointer = Some(format!("{name}#"));
                let span = |_: &Range<usize>| place.clone();
                Expr::Call(self.outer.add(lowered, &Place { span: &span, pointer }))
            }
            Err(errors) => {
                self.errors.extend(within(errors));
                Expr::Never
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Language;
    use grammarc_grammar::ir::recognize::recognizes;

    fn part(language: Language, name: &str, text: &str) -> Composition {
        Composition::source(FrontEnd::new(language).expect("it is built"), Source::new(name, text))
    }

    fn parts() -> [Composition; 3] {
        [
            part(
                Language::JsonSchema,
                "s.json",
                r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false}"#,
            ),
            part(Language::Regex, "word", "[a-z]{2,}"),
            part(Language::Gbnf, "g.gbnf", "root ::= \"(\" root? \")\""),
        ]
    }

    #[test]
    fn parts_stand_one_after_another_and_side_by_side() {
        let [schema, word, brackets] = parts();
        let end = Composition::or([word, brackets.clone()]).named("end");
        let all = Composition::sequence([brackets, schema, end]);
        let lowered = all.lower(&Budget::new()).unwrap();
        assert_eq!(&*lowered.source.text, r#"(@"g.gbnf" @"s.json" (@"word" | @"g.gbnf"))"#);
        for (text, is_one) in [
            (r#"(()){"n":1}ab"#, true),
            (r#"(){"n": 1}()"#, true),
            (r#"(){"n":1}"#, false),
            (r#"{"n":1}ab"#, false),
            (r#"(){"n":1}ab()"#, false),
        ] {
            assert_eq!(recognizes(&lowered.grammar, text.as_bytes()), is_one, "{text}");
        }
        let named = lowered.grammar.rules.iter().find(|rule| rule.name == "end");
        let place = named.and_then(|rule| rule.origin.span.clone()).unwrap();
        assert_eq!(&lowered.source.text[place], r#"(@"word" | @"g.gbnf")"#);
        let mut pointers = lowered.report.entries().map(|entry| entry.pointer.to_owned());
        assert!(pointers.any(|pointer| pointer == "s.json#/properties/n/type"));
        let none = Composition::or([]).lower(&Budget::new()).unwrap();
        assert!(!recognizes(&none.grammar, b""));
        let empty = Composition::sequence([]).lower(&Budget::new()).unwrap();
        assert!(recognizes(&empty.grammar, b"") && !recognizes(&empty.grammar, b"a"));
    }

    #[test]
    fn errors_of_all_parts_point_into_them() {
        let [schema, ..] = parts();
        let bad =
            [part(Language::Regex, "bad", "a(b"), part(Language::Gbnf, "worse", "root ::= x")];
        let all = Composition::sequence([schema, Composition::or(bad)]);
        let errors = all.lower(&Budget::new()).unwrap_err();
        let outer = Source::new(NAME, "");
        let shown: Vec<_> = errors
            .iter()
            .map(|error| {
                let source = error.source(&outer);
                (&*source.name, &source.text[error.labels[0].span.clone()])
            })
            .collect();
        assert_eq!(shown, [("bad", "("), ("worse", "x")]);
        let deep = (0..MAX_NESTING).fold(parts()[1].clone(), |part, _| Composition::or([part]));
        assert_eq!(deep.lower(&Budget::new()).unwrap_err()[0].code, "composition::nested-too-deep");
    }
}
