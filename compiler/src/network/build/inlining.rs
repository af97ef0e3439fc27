//! The rules that are inlined into their callers.
//!
//! Inlining is what determinism comes from: two alternatives with a common prefix share its states only within one
//! automaton. A rule is inlined if it is not recursive, is of no kind that stays a rule, and is either small or called
//! once. Its only caller must stay small enough to be built. Calls inside repeated bodies count as they stand; a body
//! that grows too large becomes a rule of its own when its repetition is built.

use crate::ir::{Expr, Grammar, RuleGroup, RuleId, RuleKind, Survey};

/// Rules of at most this many expression nodes are inlined into every caller.
const SMALL: usize = 24;

/// Rules of at most this many expression nodes are inlined into their only caller.
const LARGE: usize = 4_000;

/// The most nested levels of inlining.
const DEPTH: usize = 64;

/// The most nested levels of an inlined expression, with what is inlined into it: the construction recurses this deep,
/// and as deep as the front end allows in the rule that it begins with.
const HEIGHT: usize = 200;

/// The rules to inline, and those that were inlined into the rule under construction.
pub(super) struct Inlining {
    /// By rule of the grammar.
    is_inlined: Vec<bool>,
    /// The rules that the rule under construction calls itself and that were inlined.
    direct: Vec<RuleId>,
    /// Nested levels of inlining at the present place of the construction.
    depth: usize,
}

impl Inlining {
    pub(super) fn new(grammar: &Grammar, survey: &Survey) -> Self {
        Self { is_inlined: plan(grammar, survey), direct: Vec::new(), depth: 0 }
    }

    pub(super) fn is_inlined(&self, rule: RuleId) -> bool {
        self.is_inlined[rule.index()]
    }

    /// Begins another rule.
    pub(super) fn begin(&mut self) {
        self.direct.clear();
    }

    /// Notes that the expression of a rule is entered.
    pub(super) fn enter(&mut self, rule: RuleId) {
        if self.depth == 0 {
            self.direct.push(rule);
        }
        self.depth += 1;
    }

    /// Notes that the expression of a rule is left.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Takes the rules that were inlined into the rule under construction by calls of its own.
    pub(super) fn take_direct(&mut self) -> Vec<RuleId> {
        std::mem::take(&mut self.direct)
    }

    /// Calls a rule from now on.
    pub(super) fn stop(&mut self, rule: RuleId) {
        self.is_inlined[rule.index()] = false;
    }

    /// Returns the number of nodes of an expression, with those that are inlined into it.
    pub(super) fn size(&self, grammar: &Grammar, expr: &Expr) -> usize {
        let mut size = expr.size();
        expr.for_each_call(&mut |rule| {
            if self.is_inlined(rule) {
                size = size.saturating_add(self.size(grammar, &grammar.rule(rule).expr));
            }
        });
        size
    }
}

/// Returns for each rule whether it is inlined.
fn plan(grammar: &Grammar, survey: &Survey) -> Vec<bool> {
    let count = grammar.rules.len();
    // Callees first, so that a rule's size is known before that of its callers.
    let mut inlined = vec![false; count];
    let mut sizes = vec![0usize; count];
    let mut depths = vec![0usize; count];
    let mut heights = vec![0usize; count];
    for RuleGroup { rules: group, is_recursive } in survey.groups() {
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

/// Whether a rule is inlined for its size, wherever it is called.
pub(super) fn is_small(survey: &Survey, rule: RuleId) -> bool {
    survey.sizes[rule.index()] <= SMALL
}
