//! Simplifies nested repetitions, and repetitions of nullable expressions.
//!
//! The automaton of `(e{0,9}){0,9}` has a copy of `e` for each of 81 positions. A text of a few bytes
//! can be divided at nearly all of them. So repetitions are rewritten by these rules before anything
//! is built:
//!
//! ```text
//! e{m,n}                 e{0,n}         where e may be empty
//! (e{a,b}){m,n}          e{ma,nb}       where every number between the ends is a sum
//! (e{0,b} | f)*          (e | f)*       and e{1,b} likewise
//! (e f)*                 (e | f)*       where both may be empty
//! ```
//!
//! In the second rule, the repetition has `ka` to `kb` copies of `e` for each `k` from `m` to `n`.
//! There is no gap if `(k + 1)a <= kb + 1`. If that holds for `k = m`, it holds for all larger `k`.
//! The other rules are the star normal form of A. Brüggemann-Klein, "Regular expressions into
//! finite automata", TCS 120(2), 1993. A call of a rule whose expression is a repetition is inlined
//! for this purpose.
//!
//! Cost: O(size of the expressions), times the depth to which repetitions are nested.

use std::borrow::Cow;
use std::sync::Arc;

use crate::budget::Budget;
use crate::ir::facts::{self, Facts};
use crate::ir::{Expr, ExprGraph, Grammar, Rule, RuleKind, Survey};

/// The most calls and nested repetitions that are followed to find an inner repetition. Beyond
/// that, the expression stays as it is.
const MOST_THROUGH: usize = 8;

/// Simplifies nested repetitions, and repetitions of expressions that may be empty, in all rules.
/// Returns the grammar unchanged if none can be simplified. `survey` and `facts` (with the
/// nullability of each rule) have to be those of the grammar.
///
/// Callees come before their callers, so an inlined rule is already simplified. A recursive call is
/// inlined once, with the expression from before the simplification.
pub fn simplify<'g>(
    grammar: &'g Grammar,
    survey: &Survey,
    facts: &[Facts],
    budget: &Budget,
) -> Cow<'g, Grammar> {
    let mut pass = Pass { grammar, facts, budget, simpler: vec![None; grammar.rules.len()] };
    let mut is_simpler = false;
    for &rule in survey.groups().flat_map(|group| group.rules) {
        let rule = rule as usize;
        let Rule { kind, expr, .. } = &grammar.rules[rule];
        // The runtime identifies the items of a distinct rule by its calls, so these have to stay.
        if !matches!(kind, RuleKind::Distinct | RuleKind::Item) {
            pass.simpler[rule] = pass.simplified(expr);
            is_simpler |= pass.simpler[rule].is_some();
        }
    }
    if !is_simpler {
        return Cow::Borrowed(grammar);
    }
    let mut simpler = grammar.clone();
    for (rule, expr) in simpler.rules.iter_mut().zip(pass.simpler) {
        rule.expr = expr.unwrap_or_else(|| std::mem::replace(&mut rule.expr, Expr::Never));
    }
    Cow::Owned(simpler)
}

/// Simplifies the repetitions in the rules of one grammar.
struct Pass<'a> {
    /// The grammar before the pass.
    grammar: &'a Grammar,
    /// For each rule, its [`Facts`], such as whether it derives the empty string.
    facts: &'a [Facts],
    /// The budget of the compilation.
    budget: &'a Budget,
    /// For each rule, its simplified expression. `None` while the rule has not been simplified, or
    /// if it cannot be.
    simpler: Vec<Option<Expr>>,
}

impl Pass<'_> {
    /// Returns an expression of the same strings with simpler repetitions. Returns `None` if no
    /// repetition can be simplified, or if the budget is spent.
    fn simplified(&self, expr: &Expr) -> Option<Expr> {
        self.budget.spend(1).ok()?;
        match expr {
            Expr::Seq(parts) => Some(Expr::seq(self.all(parts)?)),
            Expr::Alt(choices) => Some(Expr::alt(self.all(choices)?)),
            Expr::And(parts) => Some(Expr::And(self.all(parts)?)),
            Expr::Not(body) => Some(Expr::Not(Box::new(self.simplified(body)?))),
            Expr::Repeat { body, min, max } => self.repeated(body, *min, *max),
            Expr::Graph(graph) => {
                let parts = self.all(graph.parts())?;
                let mut graph = ExprGraph::clone(graph);
                graph.parts_mut().clone_from_slice(&parts);
                Some(Expr::Graph(Arc::new(graph)))
            }
            Expr::Never
            | Expr::Empty
            | Expr::Bytes(_)
            | Expr::Literal(_)
            | Expr::Token(_)
            | Expr::Call(_)
            | Expr::Regular(_)
            | Expr::Texts(_) => None,
        }
    }

    /// Returns the expressions of a list, each with simpler repetitions where possible. Returns
    /// `None` if none of them can be simplified.
    fn all(&self, parts: &[Expr]) -> Option<Vec<Expr>> {
        let simpler: Vec<Option<Expr>> = parts.iter().map(|part| self.simplified(part)).collect();
        if simpler.iter().all(Option::is_none) {
            return None;
        }
        let parts = simpler.into_iter().zip(parts);
        Some(parts.map(|(simpler, part)| simpler.unwrap_or_else(|| part.clone())).collect())
    }

    /// Returns `body{min,max}` in simplified form. Returns `None` if it cannot be simplified.
    fn repeated(&self, body: &Expr, mut min: u32, mut max: Option<u32>) -> Option<Expr> {
        let mut simpler = self.simplified(body);
        let mut is_simpler = simpler.is_some();
        for _ in 0..MOST_THROUGH {
            let body = simpler.as_ref().unwrap_or(body);
            let (inner, bounds) = match self.through(body) {
                Expr::Repeat { body: inner, min: a, max: b } => (inner, (*a, *b)),
                _ => break,
            };
            let a = if self.is_nullable(inner) { 0 } else { bounds.0 };
            let Some((least, most)) = multiplied(a, bounds.1, min, max) else { break };
            let inner = Expr::clone(inner);
            (simpler, min, max, is_simpler) = (Some(inner), least, most, true);
        }
        let body = simpler.as_ref().unwrap_or(body);
        if min > 0 && self.is_nullable(body) {
            (min, is_simpler) = (0, true);
        }
        if (min, max) == (0, None)
            && let Some(inner) = self.starred(body)
        {
            return Some(inner.star());
        }
        is_simpler.then(|| body.clone().repeat(min, max))
    }

    /// If `expr` is a call of a rule whose expression is a repetition, returns that repetition.
    /// Follows up to [`MOST_THROUGH`] calls from rule to rule. Returns any other expression
    /// unchanged.
    fn through<'e>(&'e self, mut expr: &'e Expr) -> &'e Expr {
        let whole = expr;
        for _ in 0..MOST_THROUGH {
            let Expr::Call(rule) = expr else { break };
            let (known, rule) = (&self.simpler[rule.index()], self.grammar.rule(*rule));
            if rule.kind != RuleKind::Plain {
                return whole;
            }
            expr = known.as_ref().unwrap_or(&rule.expr);
        }
        if matches!(expr, Expr::Repeat { .. }) { expr } else { whole }
    }

    /// Returns a simpler expression whose repetition by `*` has the same strings as `expr*`.
    /// Returns `None` if there is none.
    fn starred(&self, expr: &Expr) -> Option<Expr> {
        match expr {
            Expr::Repeat { body, min, .. } if *min <= 1 => {
                Some(self.starred(body).unwrap_or_else(|| Expr::clone(body)))
            }
            Expr::Empty => Some(Expr::Never),
            Expr::Alt(choices) => self.any_starred(choices, false),
            Expr::Seq(parts) if parts.iter().all(|part| self.is_nullable(part)) => {
                self.any_starred(parts, true)
            }
            _ => None,
        }
    }

    /// Returns an alternation of the choices, each simplified for use under `*` where possible.
    /// Returns `None` if no choice can be simplified, unless `anyway` is true.
    fn any_starred(&self, choices: &[Expr], anyway: bool) -> Option<Expr> {
        let simpler: Vec<Option<Expr>> =
            choices.iter().map(|choice| self.starred(choice)).collect();
        if !anyway && simpler.iter().all(Option::is_none) {
            return None;
        }
        let choices = simpler.into_iter().zip(choices);
        Some(Expr::alt(choices.map(|(simpler, choice)| simpler.unwrap_or_else(|| choice.clone()))))
    }

    /// Whether an expression derives the empty string.
    fn is_nullable(&self, expr: &Expr) -> bool {
        facts::of_expr(expr, self.facts).nullable
    }
}

/// Returns the bounds of `(e{a,b}){m,n}` as a single repetition of `e`. An upper bound of `None` is
/// no maximum. Returns `None` if some number between the bounds cannot be reached, or if a bound
/// overflows.
fn multiplied(a: u32, b: Option<u32>, m: u32, n: Option<u32>) -> Option<(u32, Option<u32>)> {
    let is_exact = match (b, n) {
        (_, Some(n)) if n == m => true,
        // With 0 to `n` repetitions, the gap is between 0 and `a`.
        _ if m == 0 => a <= 1,
        (None, _) => true,
        (Some(b), _) => u64::from(m) * u64::from(b - a) >= u64::from(a.saturating_sub(1)),
    };
    // For a fixed count `m = n`, every number between the bounds can be reached.
    let least = m.checked_mul(a)?;
    let most = match (b, n) {
        (Some(b), Some(n)) => Some(n.checked_mul(b).filter(|&most| most < u32::MAX)?),
        _ => None,
    };
    is_exact.then_some((least, most))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::ir::recognize::recognizes;
    use crate::ir::{GrammarBuilder, Origin, RuleId};

    /// Returns a grammar of a rule `root` with the given expression, and of a few rules that `root`
    /// may call.
    fn grammar(root: Expr) -> Grammar {
        let mut builder = GrammarBuilder::new();
        let start = builder.declare("root");
        let rules = ["many", "through", "some", "kept"].map(|name| builder.declare(name));
        builder.define(start, root, Origin::default());
        let [many, through, some, kept] = rules;
        builder.define(many, Expr::byte(b'a').star(), Origin::default());
        builder.define(through, Expr::Call(many), Origin::default());
        builder.define(some, Expr::literal("ab").repeat(1, Some(2)), Origin::default());
        builder.define_kept(kept, Expr::byte(b'b').star(), Origin::default());
        builder.finish(start)
    }

    fn simpler(grammar: &Grammar) -> Cow<'_, Grammar> {
        let budget = Budget::new();
        let survey = Survey::new(grammar, &budget);
        let facts = facts::of_rules(grammar, &survey, &budget);
        simplify(grammar, &survey, &facts, &budget)
    }

    fn any_expr() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![
            Just(Expr::Empty),
            Just(Expr::byte(b'a')),
            Just(Expr::literal("ab")),
            Just(Expr::byte(b'b')),
            (1usize..5).prop_map(|rule| Expr::Call(RuleId::new(rule))),
        ];
        leaf.prop_recursive(5, 24, 3, |inner| {
            let parts = || prop::collection::vec(inner.clone(), 1..4);
            let bounds = (0u32..4, prop::option::of(0u32..4));
            prop_oneof![
                1 => parts().prop_map(Expr::seq),
                1 => parts().prop_map(Expr::alt),
                3 => (inner.clone(), bounds).prop_map(|(body, (min, more))| {
                    body.repeat(min, more.map(|more| min + more))
                }),
            ]
        })
    }

    fn texts(longest: u32) -> impl Iterator<Item = Vec<u8>> {
        (0..=longest).flat_map(|length| {
            (0..2u32.pow(length))
                .map(move |bits| (0..length).map(|at| b"ab"[(bits >> at & 1) as usize]).collect())
        })
    }

    #[test]
    fn a_repetition_of_a_rule_that_repeats_itself_is_looked_through_once() {
        let mut builder = GrammarBuilder::new();
        let root = builder.declare("root");
        let body = Expr::seq([Expr::byte(b'a'), Expr::Call(root).repeat(0, Some(2))]);
        builder.define(root, body.star(), Origin::default());
        let grammar = builder.finish(root);
        let simpler = simpler(&grammar);
        for text in texts(6) {
            assert_eq!(recognizes(&simpler, &text), recognizes(&grammar, &text));
        }
    }

    proptest! {
        #[test]
        fn simpler_repetitions_have_the_same_strings(root in any_expr()) {
            let grammar = grammar(root);
            let simpler = simpler(&grammar);
            for text in texts(7) {
                prop_assert_eq!(
                    recognizes(&simpler, &text),
                    recognizes(&grammar, &text),
                    "{:?}",
                    String::from_utf8_lossy(&text)
                );
            }
        }

        #[test]
        fn bounds_are_multiplied_where_there_is_no_gap(
            (a, more) in (0u32..5, prop::option::of(0u32..4)),
            (m, times) in (0u32..5, prop::option::of(0u32..4)),
        ) {
            const MOST: u32 = 60;
            let (b, n) = (more.map(|more| a + more), times.map(|times| m + times));
            prop_assume!(b != Some(0) && n != Some(0));
            let sums = (m..=n.unwrap_or(MOST)).flat_map(|k| {
                let most = b.map_or(if k == 0 { 0 } else { MOST }, |b| k * b);
                k * a..=most
            });
            let sums: BTreeSet<u32> = sums.filter(|&sum| sum < MOST).collect();
            let ends = sums.first().copied().zip(sums.last().copied());
            let gapless = ends.filter(|(first, last)| sums.iter().copied().eq(*first..=*last));
            let found = multiplied(a, b, m, n);
            prop_assert_eq!(found.is_some(), gapless.is_some(), "{:?}", sums);
            if let (Some((least, most)), Some(ends)) = (found, gapless) {
                prop_assert_eq!((least, most.unwrap_or(MOST).min(MOST - 1)), ends);
            }
        }
    }

    #[test]
    fn nested_repetitions_are_one() {
        let letter = || Expr::byte(b'x');
        let star = letter().star();
        let deep = (0..6).fold(letter(), |expr, _| expr.repeat(0, Some(4)));
        for (expr, expected) in [
            (star.clone().repeat(0, Some(99)), star.clone()),
            (star.clone().repeat(0, Some(99)).repeat(0, Some(99)), star.clone()),
            (deep, letter().repeat(0, Some(4096))),
            (letter().optional().plus(), star.clone()),
            (letter().plus().optional(), star.clone()),
            (letter().repeat(2, Some(4)).repeat(1, Some(3)), letter().repeat(2, Some(12))),
            (letter().repeat(2, Some(2)).repeat(3, Some(3)), letter().repeat(6, Some(6))),
            (Expr::seq([star.clone(), Expr::byte(b'y').optional()]).star(), {
                Expr::alt([letter(), Expr::byte(b'y')]).star()
            }),
        ] {
            assert_eq!(simpler(&grammar(expr.clone())).rules[0].expr, expected, "{expr:?}");
        }
        let many = Expr::Call(RuleId::new(2)).repeat(3, Some(5));
        assert_eq!(simpler(&grammar(many)).rules[0].expr, Expr::byte(b'a').star());
        for same in
            [letter().repeat(2, Some(3)).star(), letter().repeat(3, Some(3)).repeat(1, Some(2))]
        {
            assert!(matches!(simpler(&grammar(same)), Cow::Borrowed(_)));
        }
    }
}
