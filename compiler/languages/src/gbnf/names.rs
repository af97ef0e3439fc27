//! The names of a grammar's rules, and the call graph.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::ast::Ast;
use super::codes;
use super::findings::Findings;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Expr, RuleId};
use grammarc_grammar::suggest::nearest;

/// Most calls of one undefined rule that its error points at. Further calls are not shown.
const MAX_PLACES: usize = 4;

/// A rule that is called but not defined.
struct Unknown<'a> {
    name: &'a str,
    /// The places of the first calls of the undefined rule, at most 4.
    calls: Vec<Range<usize>>,
}

/// The rules of a grammar by name, and the calls between rules.
pub(super) struct Names<'a> {
    /// Maps each name to its rule. If several rules have the name, to the first.
    pub(super) rules: FxHashMap<&'a str, RuleId>,
    /// The names of all rules in source order, for suggestions in errors.
    names: Vec<&'a str>,
    /// The rules called so far by the rule that is being read.
    called: Vec<RuleId>,
    /// For each rule read so far, the rules that it calls, one entry for each call.
    pub(super) calls: Vec<Vec<RuleId>>,
    /// Undefined rules in the order of their first calls.
    unknown: Vec<Unknown<'a>>,
    /// Maps each undefined name to its index in `unknown`.
    unknown_index: FxHashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    /// Collects the names of all rules, and reports each rule that is defined twice.
    pub(super) fn new(ast: &'a Ast, errors: &mut Findings) -> Self {
        let mut rules = FxHashMap::default();
        for (index, rule) in ast.rules.iter().enumerate() {
            let id = RuleId::new(index);
            let first = *rules.entry(rule.name.as_str()).or_insert(id);
            if first != id {
                let first = &ast.rules[first.index()];
                errors.push(
                    Diagnostic::error(
                        codes::DUPLICATE_RULE,
                        format!("the rule `{}` is defined twice", rule.name),
                    )
                    .with_label(rule.span.clone(), "defined again here")
                    .with_label(first.span.clone(), "first defined here")
                    .with_help("rename or remove one, or join them with `|`"),
                );
            }
        }
        Self {
            rules,
            names: ast.rules.iter().map(|rule| rule.name.as_str()).collect(),
            called: Vec::new(),
            calls: Vec::with_capacity(ast.rules.len()),
            unknown: Vec::new(),
            unknown_index: FxHashMap::default(),
        }
    }

    /// Returns the start rule `name`. If it is not defined, reports an error and returns `None`.
    pub(super) fn start(&self, ast: &Ast, name: &str, errors: &mut Findings) -> Option<RuleId> {
        if let Some(&start) = self.rules.get(name) {
            return Some(start);
        }
        let mut finding =
            Diagnostic::error(codes::MISSING_ROOT, format!("there is no start rule `{name}`"));
        if let Some(first) = ast.rules.first() {
            finding = finding.with_label(first.span.clone(), "the first rule");
        }
        let help = match (nearest(name, self.names.iter().copied()), ast.rules.first()) {
            (Some(near), _) => format!("did you mean `{near}`? name it as the start rule"),
            (None, Some(first)) => {
                format!("add `{name} ::= {}`, or name another start rule", first.name)
            }
            (None, None) => format!("the grammar has no rules; write `{name} ::= body`"),
        };
        errors.push(finding.with_help(help));
        None
    }

    /// Returns a call of the rule `name`, and records the call for the rule that is being read. For an undefined name,
    /// returns an expression that accepts nothing.
    pub(super) fn call(&mut self, name: &'a str, span: &Range<usize>) -> Expr {
        if let Some(&rule) = self.rules.get(name) {
            self.called.push(rule);
            return Expr::Call(rule);
        }
        let next = self.unknown.len();
        let index = *self.unknown_index.entry(name).or_insert(next);
        if index == next {
            self.unknown.push(Unknown { name, calls: Vec::new() });
        }
        let calls = &mut self.unknown[index].calls;
        if calls.len() < MAX_PLACES {
            calls.push(span.clone());
        }
        Expr::Never
    }

    /// Ends the rule that is being read, and stores its calls.
    pub(super) fn finish_rule(&mut self) {
        self.calls.push(std::mem::take(&mut self.called));
    }

    /// Returns, for each rule, whether the start rule reaches it through calls.
    pub(super) fn reached(&self, start: RuleId) -> Vec<bool> {
        let mut reached = vec![false; self.calls.len()];
        let mut worklist = vec![start];
        while let Some(rule) = worklist.pop() {
            if !std::mem::replace(&mut reached[rule.index()], true) {
                worklist.extend(&self.calls[rule.index()]);
            }
        }
        reached
    }

    /// Reports an error for each rule that is called but not defined, until the limit on errors.
    pub(super) fn report_unknown(&mut self, errors: &mut Findings) {
        for Unknown { name, calls } in std::mem::take(&mut self.unknown) {
            if errors.are_full() {
                return;
            }
            let help = match nearest(name, self.names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "define it: `{name} ::= body`; text to be matched stands in double quotes"
                ),
            };
            let finding =
                Diagnostic::error(codes::UNKNOWN_RULE, format!("the rule `{name}` is not defined"))
                    .with_help(help);
            let finding = calls.into_iter().enumerate().fold(finding, |finding, (nth, call)| {
                finding.with_label(call, if nth == 0 { "called here" } else { "and here" })
            });
            errors.push(finding);
        }
    }
}
