//! Decides which rules are inlined into their callers.
//!
//! Inlining lets two alternatives with a common prefix share the states of that prefix, which is
//! possible only within one automaton. A rule is inlined if it is not recursive, its kind does not
//! have to stay a rule, and it is either small or called once. Its only caller must stay small
//! enough to be built. Calls inside repeated bodies count once, whatever the bounds. A body that
//! grows too large becomes a rule of its own when its repetition is built.

use crate::ir::{Expr, Grammar, RuleGroup, RuleId, RuleKind, Survey};

/// The most expression nodes of a rule that is inlined into every caller, with the rules inlined
/// into it. A larger rule is inlined only into a single caller.
const SMALL: usize = 24;

/// The most expression nodes of a rule that is inlined into its only caller, with the rules inlined
/// into it. A larger rule is called.
const LARGE: usize = 4_000;

/// The most nested levels of inlining. A rule that would exceed the limit is called. Bounds the
/// recursion of the construction.
const DEPTH: usize = 64;

/// The most nested levels of an inlined expression, with those of the rules inlined into it. A rule
/// that would exceed the limit is called. The construction recurses to this depth, plus the depth
/// of the outermost rule, which the front end limits.
const HEIGHT: usize = 200;

/// The decision which rules to inline, with the state of the rule under construction.
pub(super) struct Inlining {
    /// For each rule of the grammar, whether it is inlined into its callers.
    is_inlined: Vec<bool>,
    /// The rules that were inlined into the rule under construction by its own calls, not by calls
    /// of inlined rules.
    direct: Vec<RuleId>,
    /// Number of inlined rules that the construction is inside of at present.
    depth: usize,
}

impl Inlining {
    /// Decides for all rules of a grammar whether they are inlined.
    pub(super) fn new(grammar: &Grammar, survey: &Survey) -> Self {
        Self { is_inlined: plan(grammar, survey), direct: Vec::new(), depth: 0 }
    }

    /// Whether a rule is inlined into its callers.
    pub(super) fn is_inlined(&self, rule: RuleId) -> bool {
        self.is_inlined[rule.index()]
    }

    /// Prepares for the construction of the next rule.
    pub(super) fn begin(&mut self) {
        self.direct.clear();
    }

    /// Records that the construction enters the expression of an inlined rule.
    pub(super) fn enter(&mut self, rule: RuleId) {
        if self.depth == 0 {
            self.direct.push(rule);
        }
        self.depth += 1;
    }

    /// Records that the construction leaves the expression of an inlined rule.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Returns the rules that were inlined into the rule under construction by its own calls, and
    /// clears the list.
    pub(super) fn take_direct(&mut self) -> Vec<RuleId> {
        std::mem::take(&mut self.direct)
    }

    /// Stops inlining a rule: from now on, it is called.
    pub(super) fn stop(&mut self, rule: RuleId) {
        self.is_inlined[rule.index()] = false;
    }

    /// Returns the number of nodes of an expression, with the nodes of the rules that are inlined
    /// into it.
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

/// Decides for each rule of a grammar whether it is inlined.
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

/// Whether a rule has at most [`SMALL`] expression nodes of its own, so that its size is no
/// obstacle to inlining it into every caller.
pub(super) fn is_small(survey: &Survey, rule: RuleId) -> bool {
    survey.sizes[rule.index()] <= SMALL
}
