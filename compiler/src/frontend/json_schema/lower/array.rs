//! Arrays: an automaton over items as an expression. Commas are as in objects.

use std::sync::Arc;

use crate::diagnostics::Diagnostic;
use crate::ir::{Expr, ExprGraph};

use super::super::algebra::ItemAutomaton;
use super::Emitter;
use super::object::Places;

impl Emitter<'_> {
    /// The arrays of an automaton.
    pub(super) fn array(&mut self, automaton: &ItemAutomaton) -> Result<Expr, Diagnostic> {
        let comma = self.separator(b',');
        let space = self.whitespace();
        let mut graph = ExprGraph::new();
        let closing = graph.state();
        graph.edge(closing, space.clone(), graph.end());
        let mut places = Places::new(graph);
        let mut next = 0;
        while let Some(&(state, written)) = places.order.get(next) {
            let from = places.known[&(state, written)];
            next += 1;
            let state = &automaton.states[state as usize];
            let mut items = Vec::with_capacity(state.items.len());
            for &(value, to) in &state.items {
                items.push((self.refer(value)?, to));
            }
            if let Some(bounds) = state.repeat {
                let any = Expr::alt(items.into_iter().map(|(item, _)| item));
                let more = Expr::seq([comma.clone(), any.clone()]);
                if !state.end {
                    continue;
                }
                if written {
                    places.graph.edge(from, more.repeat(bounds.min, bounds.max), closing);
                    continue;
                }
                if bounds.min == 0 {
                    let end = places.graph.end();
                    places.graph.edge(from, Expr::Empty, end);
                }
                if let Some(rest) = bounds.after_one() {
                    let some = Expr::seq([any, more.repeat(rest.min, rest.max)]);
                    places.graph.edge(from, some, closing);
                }
                continue;
            }
            for (item, to) in items {
                let to = places.of(to, true);
                let item = if written { Expr::seq([comma.clone(), item]) } else { item };
                places.graph.edge(from, item, to);
            }
            if state.end {
                let end = if written { closing } else { places.graph.end() };
                places.graph.edge(from, Expr::Empty, end);
            }
        }
        let items = Expr::Graph(Arc::new(places.graph));
        Ok(Expr::seq([Expr::byte(b'['), space, items, Expr::byte(b']')]))
    }
}
