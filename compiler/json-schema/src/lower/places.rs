//! The expression graph of members or items in order: two graph states for each automaton state.

use grammarc_grammar::ir::{Expr, ExprGraph};

use crate::read::schema::Bounds;
use crate::text_form::layout::Gaps;

/// Estimated bytes of memory for an object's member in the expression graph.
pub(super) const BYTES_A_MEMBER: usize = 1 << 9;

/// A state of the expression graph, and whether a member or item is written before it.
#[derive(Clone, Copy)]
pub(super) struct At {
    /// Number of the state in the expression graph.
    pub(super) place: u32,
    /// Whether a member or item is written before the state.
    pub(super) written: bool,
}

/// The expression graph of an array or object. Each automaton state has up to two graph states: one with a member or
/// item written before, and one without.
pub(super) struct Places {
    /// The expression graph so far.
    pub(super) graph: ExprGraph,
    /// Maps `2 * state + written` to the graph state, where `state` is a state of the automaton and `written` is 0 or
    /// 1.
    numbers: Vec<Option<u32>>,
    /// The automaton states that have a graph state, each with its flag `written`, in order of discovery.
    pub(super) order: Vec<(u32, bool)>,
    /// The graph state after the last member or item, before the whitespace and the closing bracket.
    closing: u32,
    /// The closing bracket, as a grammar expression.
    bracket: Expr,
}

impl Places {
    /// Creates the expression graph of an array or object with its start state, before any member or item. An array or
    /// object with items or members ends with whitespace and the bracket, an empty one with the bracket alone. There is
    /// capacity for an automaton of `states` states and `edges` edges.
    pub(super) fn new(gaps: &Gaps, bracket: Expr, states: usize, edges: usize) -> Self {
        let mut graph = ExprGraph::with_capacity(2 * (states + edges));
        let closing = graph.state();
        graph.edge(closing, Expr::seq([gaps.last.clone(), bracket.clone()]), graph.end());
        let mut numbers = vec![None; 2 * states.max(1)];
        numbers[0] = Some(ExprGraph::START);
        let mut order = Vec::with_capacity(numbers.len());
        order.push((0, false));
        Self { graph, numbers, order, closing, bracket }
    }

    /// Lets the array or object end in graph state `from`. `written` says whether a member or item is written before.
    pub(super) fn close(&mut self, from: u32, written: bool) {
        if written {
            self.graph.edge(from, Expr::Empty, self.closing);
        } else {
            self.graph.edge(from, self.bracket.clone(), self.graph.end());
        }
    }

    /// Lets the array or object end after repetitions of the member or item `any`. Their number is within the bounds,
    /// and commas are between them. The repetition is one expression.
    pub(super) fn repeat(
        &mut self,
        from: u32,
        written: bool,
        any: Expr,
        gaps: &Gaps,
        bounds: Bounds,
    ) {
        let more = Expr::seq([gaps.comma.clone(), any.clone()]);
        if written {
            self.graph.edge(from, more.repeat(bounds.min, bounds.max), self.closing);
            return;
        }
        if bounds.min == 0 {
            self.close(from, false);
        }
        if let Some(rest) = bounds.after_one() {
            let more = more.repeat(rest.min, rest.max);
            let some = Expr::seq([gaps.first.clone(), any, more]);
            self.graph.edge(from, some, self.closing);
        }
    }

    /// Lets the array or object end after repetitions of the member or item `any`. Their number is within the bounds,
    /// and commas are between them. Each occurrence is an edge of the graph, as rules of kind
    /// [`Distinct`](grammarc_grammar::ir::RuleKind::Distinct) require.
    pub(super) fn repeat_within(
        &mut self,
        mut from: u32,
        mut written: bool,
        any: &Expr,
        gaps: &Gaps,
        bounds: Bounds,
    ) {
        let mut count = 0;
        loop {
            if count >= bounds.min {
                self.close(from, written);
            }
            if bounds.max == Some(count) {
                break;
            }
            let more = Expr::seq([gaps.before(written), any.clone()]);
            if written && count >= bounds.min && bounds.max.is_none() {
                self.graph.edge(from, more, from);
                break;
            }
            let next = self.graph.state();
            self.graph.edge(from, more, next);
            (from, written) = (next, true);
            count += 1;
        }
    }

    /// Returns the graph state of an automaton state. `written` says whether a member or item is written before. A new
    /// state is added to `order`.
    pub(super) fn of(&mut self, state: u32, written: bool) -> u32 {
        *self.numbers[2 * state as usize + usize::from(written)].get_or_insert_with(|| {
            self.order.push((state, written));
            self.graph.state()
        })
    }
}
