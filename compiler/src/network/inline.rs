//! The rules that are written into their callers.
//!
//! Inlining is what determinism comes from: two alternatives that begin alike are one path only where both are in one
//! automaton. A rule is inlined where it does not lead back to itself, is of no kind that stays a rule, and either is small, or is
//! called once and not so large that the caller could no longer be built. Calls inside repeated bodies count as they stand; a body that grows too large becomes a rule of its own
//! when its repetition is built.

use crate::ir::{Expr, Grammar, RuleId, RuleKind, Survey};

/// Rules of at most this many expression nodes are written into every caller.
const SMALL: usize = 24;

/// Rules of at most this many expression nodes are written into their only caller.
const LARGE: usize = 4_000;

/// How deep rules are written into rules that are written into rules.
const DEPTH: usize = 64;

/// How deep the expression of a rule that is written into others may be nested, with what is written into it: the
/// construction recurses this deep, and as deep as the front end allows in the rule that it begins with.
const HEIGHT: usize = 200;

/// For each rule, whether it is written into its callers.
pub(super) fn plan(grammar: &Grammar, survey: &Survey) -> Vec<bool> {
    let count = grammar.rules.len();
    // Callees first, so that a rule's size is known before that of its callers.
    let mut inlined = vec![false; count];
    let mut sizes = vec![0usize; count];
    let mut depths = vec![0usize; count];
    let mut heights = vec![0usize; count];
    for (group, is_recursive) in survey.groups() {
        for &rule in group {
            let rule = rule as usize;
            let calls = survey.calls.of(rule).iter().map(|&callee| callee as usize);
            let inner = || calls.clone().filter(|&callee| inlined[callee]);
            depths[rule] = inner().map(|callee| depths[callee] + 1).max().unwrap_or(0);
            let inlined_height = inner().map(|callee| heights[callee] + 1).max().unwrap_or(0);
            heights[rule] = survey.heights[rule] + inlined_height;
            let add = |size: usize, callee: usize| size.saturating_add(sizes[callee]);
            sizes[rule] = inner().fold(survey.sizes[rule], add);
            inlined[rule] = !is_recursive
                && grammar.rules[rule].kind == RuleKind::Plain
                && depths[rule] < DEPTH
                && heights[rule] <= HEIGHT
                && sizes[rule] <= if survey.uses[rule] <= 1 { LARGE } else { SMALL }
                && !matches!(grammar.rules[rule].expr, Expr::Never);
        }
    }
    inlined
}

/// Whether a rule is written into every caller for its size, wherever it is called.
pub(super) fn is_small(survey: &Survey, rule: RuleId) -> bool {
    survey.sizes[rule.index()] <= SMALL
}
