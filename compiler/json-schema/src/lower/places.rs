//! The graph of an expression for members or items in order, by what is written before.

use grammarc_grammar::ir::{Expr, ExprGraph};

use crate::read::schema::Bounds;
use crate::text_form::layout::Gaps;

/// Estimated bytes of a member.
pub(super) const BYTES_A_MEMBER: usize = 1 << 9;

/// A place of the graph, and whether a member is written before it.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) place: u32,
    pub(super) written: bool,
}

/// Places of the graph, by state of the automaton and whether something is written before.
pub(super) struct Places {
    pub(super) graph: ExprGraph,
    /// States of the graph, by twice the state of the automaton and whether something is written.
    numbers: Vec<Option<u32>>,
    pub(super) order: Vec<(u32, bool)>,
    /// The state after the last member or item, before the space and the bracket.
    closing: u32,
    bracket: Expr,
}

impl Places {
    /// The start, where nothing is written. A text that is not empty ends with a space and the bracket, an empty one
    /// with the bracket. There is room for an automaton of so many states and edges.
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

    /// Allows the text to end in a state.
    pub(super) fn close(&mut self, from: u32, written: bool) {
        if written {
            self.graph.edge(from, Expr::Empty, self.closing);
        } else {
            self.graph.edge(from, self.bracket.clone(), self.graph.end());
        }
    }

    /// Ends the text after a number of `any` within the bounds, with commas between them.
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

    /// As [`repeat`](Self::repeat), with each of them an edge of the graph.
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

    /// The place of a state. A new place enters the order.
    pub(super) fn of(&mut self, state: u32, written: bool) -> u32 {
        *self.numbers[2 * state as usize + usize::from(written)].get_or_insert_with(|| {
            self.order.push((state, written));
            self.graph.state()
        })
    }
}
