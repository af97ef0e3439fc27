//! Arrays: turns an automaton over items into an expression of the grammar.
//!
//! If items must differ, the array is a rule of kind [`RuleKind::Distinct`], and each item is a call of a rule. The
//! comparison needs the register of that rule, so bounds on the number of items are unrolled into states. Counters of
//! an automaton become counters of the graph: a state says which counters the item just read increments.

use std::sync::Arc;

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Counter, Expr, RuleKind, Step};

use super::emitter::Emitter;
use super::member_writer::MemberWriter;
use super::places::Places;
use crate::algebra::ItemAutomaton;
use crate::read::schema::Bounds;

/// Returns the grammar expression of the arrays that an automaton accepts, as one rule call if items must differ.
pub(super) fn array(
    emitter: &mut Emitter<'_>,
    writer: &impl MemberWriter,
    automaton: &ItemAutomaton,
) -> Result<Expr, Diagnostic> {
    if emitter.layout.is_last() {
        return Ok(empty_array(emitter, automaton));
    }
    let array = items(emitter, writer, automaton)?;
    Ok(match automaton.distinct {
        true => emitter.texts.rules.helper_of("distinct", array, RuleKind::Distinct),
        false => array,
    })
}

/// Returns the grammar expression of the arrays that an automaton accepts: the items with commas, between brackets.
fn items(
    emitter: &mut Emitter<'_>,
    writer: &impl MemberWriter,
    automaton: &ItemAutomaton,
) -> Result<Expr, Diagnostic> {
    let gaps = emitter.gaps();
    let edges = automaton.states.iter().map(|state| state.items.len()).sum();
    let [open, close] = emitter.brackets();
    let mut places = Places::new(&gaps, close, automaton.states.len(), edges);
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
            let increments = automaton.increments(state);
            increments.for_each(|counter| places.graph.step(from, Step::Increment(counter)));
        }
        let state = &automaton.states[state as usize];
        let mut items = Vec::with_capacity(state.items.len());
        for &(value, to) in &state.items {
            items.push((writer.item(emitter, value)?, to));
        }
        if let Some(bounds) = state.repeat {
            let any = Expr::alt(items.into_iter().map(|(item, _)| item));
            if state.end && automaton.distinct {
                let item = emitter.texts.rules.helper_of("item", any, RuleKind::Item);
                places.repeat_within(from, written, &item, &gaps, bounds);
            } else if state.end {
                places.repeat(from, written, any, &gaps, bounds);
            }
            continue;
        }
        for (item, to) in items {
            let to = places.of(to, true);
            let item = match automaton.distinct {
                true => emitter.texts.rules.helper_of("item", item, RuleKind::Item),
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
    Ok(Expr::seq([open, gaps.lead, items]))
}

/// Returns the expression `[]` if the automaton accepts the empty array, and otherwise [`Expr::Never`]. If the
/// automaton accepts longer arrays, records that the grammar leaves them out.
fn empty_array(emitter: &mut Emitter<'_>, automaton: &ItemAutomaton) -> Expr {
    let state = &automaton.states[0];
    if !state.items.is_empty() {
        emitter.note_cut();
    }
    let kept = automaton.counters.iter().all(|bounds| bounds.min == 0);
    match kept && state.end && state.repeat.is_none_or(|bounds| bounds.min == 0) {
        true => Expr::literal("[]"),
        false => Expr::Never,
    }
}
