//! Arrays: an automaton over items as an expression. Commas are as in objects.
//!
//! If items differ, the array is a rule of that kind and each item a call of another (see
//! [`RuleKind::Distinct`]); bounds on their number are written out in it, for the array's register is taken. Counters of an
//! automaton are those of its graph: an item ticks where it leads.

use std::sync::Arc;

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Counter, Expr, RuleKind, Step};

use super::Emitter;
use super::places::Places;
use crate::algebra::ItemAutomaton;
use crate::read::schema::Bounds;

impl Emitter<'_> {
    /// The arrays of an automaton.
    pub(super) fn array(&mut self, automaton: &ItemAutomaton) -> Result<Expr, Diagnostic> {
        if self.layout.is_last() {
            return Ok(self.empty_array(automaton));
        }
        let array = self.items(automaton)?;
        Ok(match automaton.distinct {
            true => self.helper_of("distinct", array, RuleKind::Distinct),
            false => array,
        })
    }

    fn items(&mut self, automaton: &ItemAutomaton) -> Result<Expr, Diagnostic> {
        let gaps = self.gaps();
        let edges = automaton.states.iter().map(|state| state.items.len()).sum();
        let mut places =
            Places::new(&gaps, self.layout.bracket(b']'), (automaton.states.len(), edges));
        let counters: Vec<u8> = automaton
            .counters
            .iter()
            .map(|&Bounds { min, max }| places.graph.counter(Counter { min, max }))
            .collect();
        for (&counter, bounds) in counters.iter().zip(&automaton.counters) {
            if bounds.min > 0 {
                places.graph.step(places.graph.end(), Step::Check(counter));
            }
        }
        let mut next = 0;
        while let Some(&(state, written)) = places.order.get(next) {
            let from = places.of(state, written);
            next += 1;
            if written {
                let ticks = automaton.ticks(state);
                ticks.for_each(|counter| places.graph.step(from, Step::Increment(counter)));
            }
            let state = &automaton.states[state as usize];
            let mut items = Vec::with_capacity(state.items.len());
            for &(value, to) in &state.items {
                items.push((self.item(value)?, to));
            }
            if let Some(bounds) = state.repeat {
                let any = Expr::alt(items.into_iter().map(|(item, _)| item));
                if state.end && automaton.distinct {
                    let item = self.helper_of("item", any, RuleKind::Item);
                    places.repeat_within(from, written, &item, &gaps, bounds);
                } else if state.end {
                    places.repeat(from, written, any, &gaps, bounds);
                }
                continue;
            }
            for (item, to) in items {
                let to = places.of(to, true);
                let item = match automaton.distinct {
                    true => self.helper_of("item", item, RuleKind::Item),
                    false => item,
                };
                let item = Expr::seq([gaps.before(written), item]);
                places.graph.edge(from, item, to);
            }
            if state.end {
                places.close(from, written);
            }
        }
        let items = Expr::Graph(Arc::new(places.graph));
        Ok(Expr::seq([self.layout.bracket(b'['), gaps.lead, items]))
    }

    /// The array without items, where it is one of the automaton.
    fn empty_array(&mut self, automaton: &ItemAutomaton) -> Expr {
        let state = &automaton.states[0];
        if !state.items.is_empty() {
            self.cut();
        }
        let kept = automaton.counters.iter().all(|bounds| bounds.min == 0);
        match kept && state.end && state.repeat.is_none_or(|bounds| bounds.min == 0) {
            true => Expr::literal("[]"),
            false => Expr::Never,
        }
    }
}
