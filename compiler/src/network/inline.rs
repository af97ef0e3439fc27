//! Which rules are written into their callers.
//!
//! Inlining is what determinism comes from: two alternatives that begin alike are one path only where both are in one
//! automaton. A rule is inlined where it does not lead back to itself, is of no kind that stays a rule, and either is small, or is
//! called once and not so large that the caller could no longer be built. Calls inside repeated bodies count as they stand; a body that grows too large becomes a rule of its own
//! when its repetition is built.

use crate::graph::components_by;
use crate::ir::{Expr, Grammar, RuleId, RuleKind};

/// Rules of at most this many expression nodes are written into every caller.
const SMALL: usize = 24;

/// Rules of at most this many expression nodes are written into their only caller.
const LARGE: usize = 4_000;

/// How deep rules are written into rules that are written into rules: the construction recurses this deep.
const DEPTH: usize = 64;

/// For each rule, whether it is written into its callers.
pub(super) fn plan(grammar: &Grammar) -> Vec<bool> {
    let count = grammar.rules.len();
    let calls = grammar.calls();
    let component = components_by(count, |rule| calls[rule].len(), |rule, at| calls[rule][at]);
    let mut members = vec![0u32; count];
    component.iter().for_each(|&id| members[id as usize] += 1);
    let mut uses = vec![0u32; count];
    grammar.rules.iter().for_each(|rule| count_uses(&rule.expr, 1, &mut uses));

    // Callees first, so that a rule's size is known before that of its callers.
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&rule| component[rule]);
    let mut inlined = vec![false; count];
    let mut sizes = vec![0usize; count];
    let mut depths = vec![0usize; count];
    for rule in order {
        let inner = calls[rule].iter().filter(|&&callee| inlined[callee]);
        depths[rule] = inner.map(|&callee| depths[callee] + 1).max().unwrap_or(0);
        sizes[rule] = calls[rule]
            .iter()
            .filter(|&&callee| inlined[callee])
            .fold(grammar.rules[rule].expr.size(), |size, &callee| {
                size.saturating_add(sizes[callee])
            });
        let recursive = members[component[rule] as usize] > 1 || calls[rule].contains(&rule);
        inlined[rule] = !recursive
            && grammar.rules[rule].kind == RuleKind::Plain
            && depths[rule] < DEPTH
            && sizes[rule] <= if uses[rule] <= 1 { LARGE } else { SMALL }
            && !matches!(grammar.rules[rule].expr, Expr::Never);
    }
    inlined
}

/// Whether a rule is written into every caller for its size, wherever it is called.
pub(super) fn is_small(grammar: &Grammar, rule: RuleId) -> bool {
    grammar.rule(rule).expr.size() <= SMALL
}

/// Adds how often an expression's calls stand in the automata that are built of it: those of a graph with marks stand in
/// two copies.
fn count_uses(expr: &Expr, times: u32, uses: &mut [u32]) {
    if let Expr::Call(rule) = expr {
        let uses = &mut uses[rule.index()];
        *uses = uses.saturating_add(times);
        return;
    }
    let copies = match expr {
        Expr::Graph(graph) if graph.marks() != 0 => 2,
        _ => 1,
    };
    let times = times.saturating_mul(copies);
    expr.children().iter().for_each(|part| count_uses(part, times, uses));
}
