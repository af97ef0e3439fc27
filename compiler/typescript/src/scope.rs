//! The shared state of all passes over types: environments of type parameters, the current depth, and the findings.

use std::ops::Range;

use oxc_ast::ast::TSType;
use oxc_span::GetSpan;
use rustc_hash::FxHashMap;

use super::codes;
use super::declarations::{Declarations, range};
use super::schema_source::Node;
use super::tags::{self, Tag};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::{Diagnostic, Severity};

/// Most levels of types inside each other. A deeper type is an error. A JSON document may have 128 levels, and a type
/// takes up to four of them.
const MAX_NESTING: usize = 30;

/// Most errors that are reported for a source. Further ones are dropped.
pub(super) const MAX_ERRORS: usize = 50;

/// Steps of the budget that one type costs: an estimate of its share of the work.
pub(super) const STEPS_A_TYPE: usize = 1 << 6;

/// An environment: maps each type parameter of a declaration to its argument.
pub(super) type Env<'a> = FxHashMap<&'a str, Ty<'a>>;

/// A type: a syntax node with the environment that gives its type parameters their arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ty<'a> {
    pub(super) node: &'a TSType<'a>,
    /// The index of the environment in [`Scope::envs`].
    pub(super) env: usize,
}

/// The shared state of all passes over the types of a source.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    text: &'a str,
    pub(super) declarations: &'a Declarations<'a>,
    /// All environments, which map type parameters to arguments. The first has no type parameters.
    pub(super) envs: Vec<Env<'a>>,
    depth: usize,
    budget: &'a Budget,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) findings: Vec<Diagnostic>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(
        text: &'a str,
        declarations: &'a Declarations<'a>,
        errors: Vec<Diagnostic>,
        budget: &'a Budget,
    ) -> Self {
        let envs = vec![Env::default()];
        Self { text, declarations, envs, depth: 0, budget, errors, findings: Vec::new() }
    }

    /// Whether the pass has to stop, because the budget is spent or 50 errors are reported.
    pub(super) fn is_over(&self) -> bool {
        self.budget.spend(STEPS_A_TYPE).is_err() || self.errors.len() >= MAX_ERRORS
    }

    pub(super) fn error(&mut self, error: Diagnostic) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// Reports a type without JSON values, or one that only TypeScript's checker could resolve. Returns the schema
    /// `false`.
    pub(super) fn unsupported(&mut self, span: Range<usize>, what: &str, help: &str) -> Node {
        let error = Diagnostic::error(
            codes::UNSUPPORTED,
            format!("{what} can't be read as a type of JSON values"),
        );
        self.error(error.with_label(span.clone(), "").with_help(help));
        Node::value(false, &span)
    }

    pub(super) fn span(&self, ty: Ty<'a>) -> Range<usize> {
        range(ty.node.span())
    }

    /// Enters a nested type. Returns false if the type is nested too deep, which is reported, or if the budget is
    /// spent.
    /// [`leave`](Self::leave) must follow in either case.
    pub(super) fn enter(&mut self, span: &Range<usize>) -> bool {
        self.depth += 1;
        if self.budget.spend(STEPS_A_TYPE).is_err() {
            return false;
        }
        if self.depth > MAX_NESTING {
            let text = format!("types are nested more than {MAX_NESTING} deep, or in a circle");
            let error = Diagnostic::error(codes::NESTED_TOO_DEEP, text);
            let error = error.with_label(span.clone(), "one too many");
            self.error(error.with_help("give the inner part a name of its own"));
            return false;
        }
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Calls `work` within a nested type. Returns the default value if a limit is exceeded.
    pub(super) fn within<R: Default>(
        &mut self,
        span: &Range<usize>,
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let result = if self.enter(span) { work(self) } else { R::default() };
        self.leave();
        result
    }

    /// Returns the tags of the documentation comment before the syntax node at byte offset `at`. Wrong tags are
    /// reported.
    pub(super) fn tags(&mut self, at: u32) -> Vec<Tag> {
        match self.declarations.comment(at) {
            Some(comment) => {
                let mut found = Vec::new();
                let tags = tags::read(&self.text[comment.clone()], comment.start, &mut found);
                for finding in found {
                    match finding.severity {
                        Severity::Error => self.error(finding),
                        _ if self.findings.contains(&finding) => {}
                        _ => self.findings.push(finding),
                    }
                }
                tags
            }
            None => Vec::new(),
        }
    }

    pub(super) fn no_object(&mut self, span: &Range<usize>) {
        let text = "a type of objects is needed here";
        let error = Diagnostic::error(codes::UNSUPPORTED, text).with_label(span.clone(), "");
        self.error(error.with_help("write an interface, or a type in braces"));
    }
}
