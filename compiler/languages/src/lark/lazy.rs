//! A warning about lazy repetitions (`.*?`) in the regular expressions of terminals.
//!
//! In a search, a lazy repetition prefers the shorter match. A terminal is a set of strings, and the lexer takes the
//! longest allowed one. So `/a.*?b/` and `/a.*b/` are the same terminal. To end at the shortest match, a rule has the
//! attributes `lazy` and `suffix`.

use std::ops::Range;

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, Ast, Visitor};

use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;

/// Returns a warning about the first lazy repetition of a regular expression, with its place in bytes of `pattern`.
/// `None` if there is none, or the pattern has a syntax error.
pub(super) fn warning(pattern: &str) -> Option<(Diagnostic, Range<usize>)> {
    // A cheap test first: every lazy repetition contains one of these operators, and most patterns contain none.
    if !["*?", "+?", "??", "}?"].iter().any(|lazy| pattern.contains(lazy)) {
        return None;
    }
    let ast = Parser::new().parse(pattern).ok()?;
    let span = ast::visit(&ast, First(None)).unwrap_or_default()?;
    let operator = &pattern[span.clone()];
    let greedy = operator.strip_suffix('?').unwrap_or(operator);
    let text = format!(
        "`{operator}` is the same as `{greedy}` in a terminal, which takes the longest text that is allowed"
    );
    let help = "to end at the first match, give the rule the attribute: `name[lazy]: /.../`, or `name[suffix=\"END\"]: /.*/`";
    Some((Diagnostic::warning(codes::LAZY_REPETITION, text).with_help(help), span))
}

/// The place of the operator of the first lazy repetition, in bytes of the pattern.
struct First(Option<Range<usize>>);

impl Visitor for First {
    type Output = Option<Range<usize>>;
    type Err = ();

    fn finish(self) -> Result<Self::Output, ()> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
        if let Ast::Repetition(repetition) = ast
            && !repetition.greedy
        {
            let span = repetition.op.span;
            let place = span.start.offset..span.end.offset;
            self.0 = self.0.take().filter(|first| first.start < place.start).or(Some(place));
        }
        Ok(())
    }
}
