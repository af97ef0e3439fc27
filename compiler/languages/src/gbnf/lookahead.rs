//! Checks lookahead assertions `(=...)` at the ends of rules, a feature of XGrammar's notation.
//!
//! An assertion states how the text after a rule begins. XGrammar's masks use it to decide tokens across the end of the
//! rule early; its matcher ignores it. Masks here need no such hint, so assertions change nothing.
//!
//! Each assertion is compared with the FOLLOW set of its rule, a least fixpoint over all calls. There is a note if the
//! assertion may begin with all bytes of the set, and a warning if it may begin with some. If it may begin with none,
//! there is an error.

use std::ops::Range;

use super::codes;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::facts::{Alphabet, Alphabets, Facts};
use grammarc_grammar::ir::{ByteSet, Expr, Grammar, Survey};

/// A lookahead assertion `(=...)` at the end of a rule.
pub(super) struct Assertion {
    /// The index of the assertion's rule in the source.
    pub(super) rule: usize,
    pub(super) expr: Expr,
    pub(super) span: Range<usize>,
}

/// Compares each assertion with the text that may follow its rule. Returns notes and warnings first, and errors for
/// assertions that never hold second.
pub(super) fn check(
    assertions: &[Assertion],
    grammar: &Grammar,
    budget: &Budget,
) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let (mut notes, mut errors) = (Vec::new(), Vec::new());
    if assertions.is_empty() {
        return (notes, errors);
    }
    let survey = Survey::new(grammar, budget);
    let mut walk = Walk {
        grammar,
        survey: &survey,
        alphabets: Alphabets::default(),
        calls: Vec::new(),
        budget,
    };
    for (at, rule) in grammar.rules.iter().enumerate() {
        walk.expr(&rule.expr, at, ByteSet::EMPTY, true);
    }
    let mut follow = vec![ByteSet::EMPTY; grammar.rules.len()];
    let mut changes = true;
    while changes && budget.spend(walk.calls.len()).is_ok() {
        changes = false;
        for &(caller, callee, after, is_last) in &walk.calls {
            let more = if is_last { follow[caller] } else { ByteSet::EMPTY };
            let all = follow[callee].union(after).union(more);
            changes |= std::mem::replace(&mut follow[callee], all) != all;
        }
    }
    for Assertion { rule, expr, span } in assertions {
        let facts = walk.facts(expr);
        let others = follow[*rule].minus(facts.bytes.first);
        let name = &grammar.rules[*rule].name;
        if others.is_empty() || facts.nullable {
            let text =
                format!("what follows `{name}` begins so anyway: the assertion changes no text");
            notes
                .push(Diagnostic::note(codes::LOOKAHEAD, text).with_label(span.clone(), "ignored"));
            continue;
        }
        let byte =
            others.iter().next().map_or(String::new(), |byte| byte.escape_ascii().to_string());
        let text = format!(
            "what follows `{name}` may begin with `{byte}`, and the assertion says otherwise"
        );
        if !follow[*rule].intersect(facts.bytes.first).is_empty() {
            let finding =
                Diagnostic::warning(codes::LOOKAHEAD, text).with_label(span.clone(), "ignored");
            notes.push(finding.with_help("leave the assertion out: here it makes nothing faster"));
            continue;
        }
        let finding = Diagnostic::error(codes::LOOKAHEAD, text).with_label(span.clone(), "");
        errors.push(
            finding.with_help("leave the assertion out, or write what may follow as alternatives"),
        );
    }
    (notes, errors)
}

struct Walk<'g> {
    grammar: &'g Grammar,
    survey: &'g Survey,
    alphabets: Alphabets,
    /// For each call: the caller, the callee, the bytes that may follow within the caller, and whether the caller may
    /// end after the call.
    calls: Vec<(usize, usize, ByteSet, bool)>,
    budget: &'g Budget,
}

impl Walk<'_> {
    fn facts(&mut self, expr: &Expr) -> Facts<Alphabet> {
        self.alphabets.of_expr(expr, self.grammar, self.survey, self.budget)
    }

    fn expr(&mut self, expr: &Expr, rule: usize, after: ByteSet, is_last: bool) {
        match expr {
            Expr::Call(callee) => self.calls.push((rule, callee.index(), after, is_last)),
            Expr::Seq(parts) => {
                let (mut after, mut is_last) = (after, is_last);
                for part in parts.iter().rev() {
                    self.expr(part, rule, after, is_last);
                    let facts = self.facts(part);
                    if facts.nullable {
                        after = after.union(facts.bytes.first);
                    } else {
                        (after, is_last) = (facts.bytes.first, false);
                    }
                }
            }
            Expr::Repeat { body, max, .. } => {
                let again = match max {
                    Some(1) => ByteSet::EMPTY,
                    _ => self.facts(body).bytes.first,
                };
                self.expr(body, rule, after.union(again), is_last);
            }
            // Any text may follow a tag of a dispatch.
            Expr::Graph(_) => {
                for part in expr.children() {
                    self.expr(part, rule, ByteSet::FULL, true);
                }
            }
            other => {
                for part in other.children() {
                    self.expr(part, rule, after, is_last);
                }
            }
        }
    }
}
