//! One pass over all expressions of a grammar: the call graph, sizes, and the presence of rare kinds of expressions.
//! Everything that the network needs to know of a grammar in advance is collected here, so expressions are visited
//! once.
//!
//! Cost: O(size of the expressions).

use super::{Expr, Grammar};
use crate::budget::Budget;
use crate::graph::{Lists, by_component};

/// The results of the survey of a grammar's rules.
pub struct Survey {
    /// The rules that each rule calls, in order and with repetition.
    pub calls: Lists,
    /// The [size](Expr::size) of each rule's expression.
    pub sizes: Vec<usize>,
    /// The depth of each rule's expression.
    pub heights: Vec<usize>,
    /// By rule, the number of its calls in the automata built from the expressions. Calls in a graph with required
    /// keys count twice.
    pub uses: Vec<u32>,
    /// Whether there is an intersection or a complement.
    pub has_operands: bool,
    /// Whether there are tokens matched by id.
    pub has_tokens: bool,
    /// Whether the body of some repetition may be a repetition itself, or nullable.
    pub has_repetitions: bool,
    /// By rule, the number of its strongly connected component, callees before callers.
    component: Vec<u32>,
    /// The rules in the order of their components.
    order: Vec<u32>,
}

impl Survey {
    /// The survey of a grammar; of no use if the budget is spent.
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

    /// Records the parts of an expression that occurs `times` times. Returns its size and its height.
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

    /// The strongly connected components of the call graph, callees before callers.
    pub fn groups(&self) -> impl Iterator<Item = RuleGroup<'_>> {
        let id = |rule: &u32| self.component[*rule as usize];
        self.order.chunk_by(move |one, other| id(one) == id(other)).map(|rules| {
            let calls = self.calls.of(rules[0] as usize);
            RuleGroup { rules, is_recursive: rules.len() > 1 || calls.contains(&rules[0]) }
        })
    }
}

/// A strongly connected component of the call graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleGroup<'a> {
    /// Indices of its rules, ascending.
    pub rules: &'a [u32],
    /// Whether its rules call each other, or its only rule itself.
    pub is_recursive: bool,
}

/// Whether the body of a repetition may be a repetition itself, or nullable: a cheap upper bound.
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
