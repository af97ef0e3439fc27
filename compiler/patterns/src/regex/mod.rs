//! Patterns in the syntax of the `regex` crate.
//!
//! ```text
//! text -> Hir -> Hir without anchors -> Expr            structural, counted repetition kept as it is
//!                                    \> automaton       where an assertion about neighbours is left
//! ```
//!
//! The whole text must match, so greediness has no effect, and `^` and `$` at the ends are redundant. Patterns are
//! Unicode: they match whole UTF-8 characters and never part of one.
//!
//! Most patterns are lowered part by part, in time linear in the pattern. `[a-z]{1,1000000}` stays a repetition,
//! which the network counts instead of copying. Assertions that depend on their neighbours, such as `\b` or an inner
//! anchor, cannot be lowered part by part. Such a pattern becomes one automaton, built by regex-automata under a
//! limit on memory. Lookahead and lookbehind are left to [`ecma`], with the classes of this dialect: digits and words
//! are Unicode here.
//!
//! Tests: `tests.rs` against regex-automata; `tests/tests/peer`.

mod anchors;
mod automaton;
mod error;
mod parse;
mod structural;
#[cfg(test)]
mod tests;

use regex_syntax::hir::Hir;

pub use error::PatternError;
pub use parse::looks_around;

use super::{dialects, ecma};
use grammarc_grammar::automata::{Dfa, StateBudget};
use grammarc_grammar::budget::{Budget, Phase};
use grammarc_grammar::diagnostics::report::Report;
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_grammar::ir::{Expr, GrammarBuilder, Literals, Lowered, Origin};

/// Most states of the automaton of a pattern with lookaround. A larger automaton is an error.
const MAX_STATES: usize = 50_000;

/// The part of a text that a pattern must match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extent {
    /// The pattern must match the whole text: `^` and `$` at its ends are implied.
    #[default]
    Whole,
    /// The pattern must match some part of the text, as in JSON Schema.
    Part,
}

/// The options of a pattern in the syntax of the `regex` crate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PatternOptions {
    /// The part of a text that the pattern must match.
    pub extent: Extent,
    /// Most bytes of memory that each stage of building an automaton may use; 16 MiB by default. Beyond it,
    /// [`PatternError::TooLarge`].
    pub size_limit: usize,
    /// Whether the source is a text file. Then one line end at its end is not part of the pattern.
    pub text_file: bool,
}

impl Default for PatternOptions {
    fn default() -> Self {
        Self { extent: Extent::Whole, size_limit: 16 << 20, text_file: true }
    }
}

impl PatternOptions {
    /// Returns the options for a source that is the pattern as a whole, including a line end at its end.
    pub fn exact() -> Self {
        Self { text_file: false, ..Self::default() }
    }
}

/// Lowers a pattern to a grammar of a single rule. In a text file, one line end at the end of the source is not part of
/// the pattern; the escape `\n` always is.
///
/// # Errors
///
/// Returns a [`PatternError`] as a diagnostic, or a diagnostic that the budget is spent.
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

/// Returns the pattern of a source text: the whole text, without one line end at the end if the source is a text file.
pub fn pattern_of<'t>(text: &'t str, options: &PatternOptions) -> &'t str {
    let line = text.strip_suffix('\n').filter(|_| options.text_file);
    line.map_or(text, |line| line.strip_suffix('\r').unwrap_or(line))
}

/// Lowers a pattern to an expression. If the pattern matches nothing, the expression is [`Expr::Never`].
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

/// Builds the automaton of a pattern. Every state can reach an accepting one, unless the pattern matches nothing.
/// Lookaround is not supported here.
///
/// # Errors
///
/// See [`PatternError`]. In particular [`PatternError::TooLarge`] if a repetition counts into the thousands, since an
/// automaton unrolls repetitions.
pub fn dfa_of_pattern(pattern: &str, options: &PatternOptions) -> Result<Dfa, PatternError> {
    let hir = resolved(pattern, options)?;
    automaton::build(&hir, options.size_limit).map_err(|error| parse::locate(error, pattern))
}

/// Parses a pattern to an HIR that must match the whole text. Anchors that can be resolved are removed.
fn resolved(pattern: &str, options: &PatternOptions) -> Result<Hir, PatternError> {
    let hir = parse::parse(pattern)?;
    let hir = match options.extent {
        Extent::Whole => hir,
        Extent::Part => anchors::within_any_text(&hir),
    };
    Ok(anchors::resolve(&hir))
}
