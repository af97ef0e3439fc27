//! One pass over all expressions of a grammar: the call graph, the sizes of expressions, and the
//! presence of rare kinds of expressions. The network needs all of this before it builds a rule. It
//! is collected here, so that expressions are visited once.
//!
//! Cost: O(size of the expressions).

use super::{Expr, Grammar};
use crate::budget::Budget;
use crate::graph::{Lists, by_component};

/// The results of one pass over the expressions of a grammar: the calls between rules, the sizes of
/// expressions, and whether rare kinds of expressions occur.
pub struct Survey {
    /// For each rule, the indices of the rules that it calls, in order and with repetition.
    pub calls: Lists,
    /// For each rule, the [size](Expr::size) of its expression in nodes.
    pub sizes: Vec<usize>,
    /// For each rule, the depth of its expression: the number of nested levels below the top.
    pub heights: Vec<usize>,
    /// For each rule, the number of calls of the rule in the automata that are built from all
    /// expressions. A call in a graph with required keys or counters counts twice.
    pub uses: Vec<u32>,
    /// Whether some expression is an intersection or a complement.
    pub has_operands: bool,
    /// Whether some expression matches whole tokens by id.
    pub has_tokens: bool,
    /// Whether some repetition may be simplified: its body looks like a repetition, or like an
    /// expression that derives the empty string. A quick approximate test, in which a call counts
    /// as a repetition.
    pub has_repetitions: bool,
    /// For each rule, the number of its strongly connected component in the call graph. Callees
    /// have lower numbers than their callers.
    component: Vec<u32>,
    /// The indices of all rules in the order of their components: callees before their callers.
    order: Vec<u32>,
}

impl Survey {
    /// Visits all expressions of a grammar once, and collects the calls, sizes and rare kinds of
    /// expressions. If the budget is spent, the result is invalid.
    pub fn new(grammar: &Grammar, budget: &Budget) -> Self {
        let count = grammar.rules.len();
        let mut this = Self {
            calls: Lists::with_capacity(count),
            sizes: Vec::with_capacity(count),
            heights: Vec::with_capacity(count),
            uses: vec![0; count],
            has_operands: false,
            has_tokens: false,
            has_repetitions: false,
            component: Vec::new(),
            order: Vec::new(),
        };
        for rule in &grammar.rules {
            let (size, height) = this.look_at(&rule.expr, 1, budget);
            this.sizes.push(size);
            this.heights.push(height);
            this.calls.end();
        }
        this.component = this.calls.components();
        this.order = by_component(&this.component);
        this
    }

    /// Records the calls and the rare kinds of expressions in `expr`. Each call counts `times`
    /// times. Returns the size of the expression in nodes, and its depth.
    fn look_at(&mut self, expr: &Expr, times: u32, budget: &Budget) -> (usize, usize) {
        if budget.spend(1).is_err() {
            return (0, 0);
        }
        let mut copies = 1;
        match expr {
            Expr::Call(rule) => {
                self.calls.push(rule.index());
                let uses = &mut self.uses[rule.index()];
                *uses = uses.saturating_add(times);
            }
            Expr::Token(_) => self.has_tokens = true,
            Expr::And(_) | Expr::Not(_) => self.has_operands = true,
            Expr::Repeat { body, .. } => self.has_repetitions |= may_be_repeated(body),
            Expr::Graph(graph) if graph.has_registers() => copies = 2,
            _ => {}
        }
        let times = times.saturating_mul(copies);
        let (mut size, mut height) = (expr.own_size(), 0);
        for part in expr.children() {
            let (more, below) = self.look_at(part, times, budget);
            (size, height) = (size + more, height.max(below + 1));
        }
        (size, height)
    }

    /// Returns the strongly connected components of the call graph (rules that call each other),
    /// callees before their callers.
    pub fn groups(&self) -> impl Iterator<Item = RuleGroup<'_>> {
        let id = |rule: &u32| self.component[*rule as usize];
        self.order.chunk_by(move |one, other| id(one) == id(other)).map(|rules| {
            let calls = self.calls.of(rules[0] as usize);
            RuleGroup { rules, is_recursive: rules.len() > 1 || calls.contains(&rules[0]) }
        })
    }
}

/// A strongly connected component of the call graph: one rule, or several rules that call each
/// other directly or through others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleGroup<'a> {
    /// The indices of the component's rules, in ascending order.
    pub rules: &'a [u32],
    /// Whether the rules call each other, or the only rule calls itself.
    pub is_recursive: bool,
}

/// Whether `body`, the body of a repetition, looks like a repetition, or like an expression that
/// derives the empty string. A quick approximate test of the top two levels of the body, in which a
/// call counts as a repetition.
fn may_be_repeated(body: &Expr) -> bool {
    let is_repeated = |part: &Expr| matches!(part, Expr::Repeat { .. } | Expr::Call(_));
    match body {
        Expr::Seq(parts) => parts.iter().all(is_repeated),
        Expr::Alt(choices) => choices.iter().any(|part| is_repeated(part) || *part == Expr::Empty),
        other => is_repeated(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{GrammarBuilder, Origin};

    #[test]
    fn callees_come_first_and_recursion_is_reported() {
        let mut builder = GrammarBuilder::new();
        let rules = ["a", "b", "c", "d"].map(|name| builder.declare(name));
        let call = |rule: usize| Expr::Call(rules[rule]);
        let exprs = [
            Expr::seq([call(1), Expr::literal("xy"), call(1)]),
            Expr::alt([call(2), Expr::Empty]),
            Expr::alt([Expr::seq([Expr::literal("z"), call(1)]), call(3)]),
            Expr::Not(Box::new(Expr::literal("abc"))),
        ];
        let sizes: Vec<usize> = exprs.iter().map(Expr::size).collect();
        for (rule, expr) in rules.into_iter().zip(exprs) {
            builder.define(rule, expr, Origin::default());
        }
        let survey = Survey::new(&builder.finish(rules[0]), &Budget::new());
        assert_eq!(survey.sizes, sizes);
        assert_eq!(survey.uses, [0, 3, 1, 1]);
        assert!(survey.has_operands && !survey.has_tokens);
        let groups = survey.groups().map(|group| (group.rules, group.is_recursive));
        assert!(groups.eq([(&[3][..], false), (&[1, 2], true), (&[0], false)]));
    }
}
