//! Regular expressions, in the syntax of the `regex` crate.
//!
//! ```text
//! text -> Hir -> Hir without anchors -> Expr            structural, counted repetition kept as it is
//!                                    \> automaton       where an assertion about neighbours is left
//! ```
//!
//! The whole text must match, so greediness means nothing, and `^` and `$` at the ends say what holds anyway. Patterns
//! are Unicode: they match whole UTF-8 characters and never part of one.
//!
//! Most patterns are lowered part by part, in time linear in the pattern: `[a-z]{1,1000000}` stays a repetition, which the network counts instead of copying. Assertions that depend on what stands next to them, such as
//! `\b` or an anchor inside, cannot be lowered part by part; such a pattern becomes one automaton by way of
//! regex-automata, under a limit on memory. Lookahead and lookbehind are ECMA-262's affair ([`ecma`]), with the classes
//! of this dialect: digits and words are Unicode here.

mod anchors;
mod automaton;
mod error;
mod parse;
mod structural;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use regex_syntax::hir::Hir;

pub use error::PatternError;
pub use parse::looks_around;

use super::{dialects, ecma};
use grammarc_grammar::automata::{Dfa, StateBudget};
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::report::Report;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Expr, GrammarBuilder, Literals, Lowered, Origin};

/// Most states of the automaton of a pattern with lookaround.
const MAX_STATES: usize = 50_000;

/// The part of a text that the pattern must match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extent {
    /// The whole text.
    #[default]
    Whole,
    /// Some part of the text, as JSON Schema has it.
    Part,
}

/// The options of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternOptions {
    /// The part of a text that the pattern must match.
    pub extent: Extent,
    /// Most bytes that each stage of building an automaton may use.
    pub size_limit: usize,
    /// Whether the source is a text file: one line end at its end is no part of the pattern then.
    pub text_file: bool,
}

/// How the pattern stands in its text is no part of what it matches.
impl Hash for PatternOptions {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { extent, size_limit, text_file: _ } = self;
        (extent, size_limit).hash(state);
    }
}

impl Default for PatternOptions {
    fn default() -> Self {
        Self { extent: Extent::Whole, size_limit: 16 << 20, text_file: true }
    }
}

impl PatternOptions {
    /// Options for a pattern that is the whole source, with any line end at its end.
    pub fn exact() -> Self {
        Self { text_file: false, ..Self::default() }
    }
}

/// The grammar of a pattern, a single rule. In a text file, one line end at the end of the source is the text file's and no part of
/// the pattern; `\n` is.
///
/// # Errors
///
/// A [`PatternError`] as a diagnostic, or that the budget is spent.
pub fn lower(
    source: Source,
    options: &PatternOptions,
    budget: &Budget,
) -> Result<Lowered, Vec<Diagnostic>> {
    budget.begin(Phase::Reading);
    budget.check_in_source()?;
    let pattern = pattern_of(&source.text, options);
    let span = 0..pattern.len();
    let expr = match expr_within(pattern, options, StateBudget::new(MAX_STATES, budget)) {
        Ok(Expr::Never) => Err(PatternError::MatchesNothing { span: span.clone() }),
        other => other,
    }
    .map_err(|error| vec![error.diagnostic()])?;
    budget.check_in_source()?;
    let mut grammar = GrammarBuilder::new();
    let root = grammar.declare("pattern");
    grammar.define(root, expr, Origin { span: Some(span), pointer: None });
    let grammar = grammar.finish(root);
    let delimited = dialects::delimited(pattern).then(|| {
        let text = "the slashes of the pattern are part of the text";
        Diagnostic::warning("regex::delimited", text)
            .with_label(0..pattern.len(), "")
            .with_help(dialects::DELIMITED)
    });
    let (report, findings) = (Report::default(), delimited.into_iter().collect());
    Ok(Lowered { source, grammar, report, findings, literals: Literals::default() })
}

/// The pattern of a source text: all of it, but for one line end at the end of a text file.
pub fn pattern_of<'t>(text: &'t str, options: &PatternOptions) -> &'t str {
    let line = text.strip_suffix('\n').filter(|_| options.text_file);
    line.map_or(text, |line| line.strip_suffix('\r').unwrap_or(line))
}

/// The expression of a pattern: [`Expr::Never`] where it matches nothing.
///
/// # Errors
///
/// See [`PatternError`].
pub fn expr_of_pattern(pattern: &str, options: &PatternOptions) -> Result<Expr, PatternError> {
    expr_within(pattern, options, StateBudget::of(MAX_STATES))
}

fn expr_within(
    pattern: &str,
    options: &PatternOptions,
    allowed: StateBudget<'_>,
) -> Result<Expr, PatternError> {
    if looks_around(pattern) && options.extent == Extent::Whole {
        let dfa = ecma::whole(pattern, allowed).map_err(|error| PatternError::Lookaround {
            message: error.to_string(),
            help: error.help().to_owned(),
            span: error.span,
        })?;
        return Ok(if dfa == Dfa::never() { Expr::Never } else { Expr::Regular(dfa.into()) });
    }
    let hir = resolved(pattern, options)?;
    if hir.properties().look_set().is_empty() {
        return Ok(structural::lower(&hir));
    }
    let dfa = automaton::build(&hir, options.size_limit).map_err(|e| parse::locate(e, pattern))?;
    Ok(if dfa == Dfa::never() { Expr::Never } else { Expr::Regular(dfa.into()) })
}

/// The automaton of a pattern. Every state can reach an accepting one, unless the pattern matches nothing.
///
/// # Errors
///
/// See [`PatternError`]; [`PatternError::TooLarge`] where a repetition is counted into the thousands, for an automaton
/// spells it out.
pub fn dfa_of_pattern(pattern: &str, options: &PatternOptions) -> Result<Dfa, PatternError> {
    let hir = resolved(pattern, options)?;
    automaton::build(&hir, options.size_limit).map_err(|error| parse::locate(error, pattern))
}

/// The pattern as one that must match the whole text, with the anchors gone that its place in the text decides.
fn resolved(pattern: &str, options: &PatternOptions) -> Result<Hir, PatternError> {
    let hir = parse::parse(pattern)?;
    let hir = match options.extent {
        Extent::Whole => hir,
        Extent::Part => anchors::within_any_text(&hir),
    };
    Ok(anchors::resolve(&hir))
}
