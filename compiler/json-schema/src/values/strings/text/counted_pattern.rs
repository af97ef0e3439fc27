//! The graph of a pattern with counters, within bounds on the length.
//!
//! A state of the graph is a position of the [pattern](CountedPattern) with the counter steps of a transition into
//! it. The length is one more counter, which every character increments. So the graph is as large as the pattern,
//! whatever it counts. The network keeps the counts in a register.

use rustc_hash::FxHashMap;

use crate::values::strings::characters::Ranges;
use grammarc_grammar::ir::{Counter, Expr, ExprGraph, Step};
use grammarc_patterns::ecma::CountedPattern;

/// Returns the JSON texts of a pattern with counters, after the opening quote and with the closing one. `bounds` are
/// bounds on the length in characters, inclusive. `text` returns the texts of one character of the given ranges.
pub(super) fn written(
    pattern: &CountedPattern,
    bounds: Option<Counter>,
    mut text: impl FnMut(&Ranges) -> Expr,
) -> Expr {
    let mut graph = ExprGraph::with_capacity(pattern.ways.len());
    pattern.counters.iter().for_each(|&counter| _ = graph.counter(within(counter, bounds)));
    let length = bounds.map(|bounds| graph.counter(bounds));
    let (on_character, at_end) = match (bounds, length) {
        (Some(bounds), Some(length)) => {
            (Some(Step::Increment(length)), (bounds.min > 0).then_some(Step::Check(length)))
        }
        _ => (None, None),
    };
    let characters: Vec<Expr> = pattern
        .places
        .iter()
        .map(|place| text(&place.class.iter().map(|range| (range.start(), range.end())).collect()))
        .collect();
    let ways = pattern.ways_by_place();
    let mut numbers: FxHashMap<(Option<u32>, &[Step]), u32> = FxHashMap::default();
    let mut open = vec![(None, ExprGraph::START)];
    while let Some((place, from)) = open.pop() {
        for way in ways.get(&place).into_iter().flatten() {
            let to = *numbers.entry((way.to, &way.steps)).or_insert_with(|| {
                let to = graph.state();
                let last = if way.to.is_some() { on_character } else { at_end };
                way.steps.iter().copied().chain(last).for_each(|step| graph.step(to, step));
                match way.to {
                    Some(_) => open.push((way.to, to)),
                    None => graph.edge(to, Expr::Empty, graph.end()),
                }
                to
            });
            let expr = match way.to {
                Some(place) => characters[place as usize].clone(),
                None => Expr::byte(b'"'),
            };
            graph.edge(from, expr, to);
        }
    }
    Expr::Graph(graph.into())
}

/// Returns the bounds of a counter of the pattern, given bounds on the length of the text. The counter's maximum is
/// dropped if only longer texts could exceed it. A counter is incremented at most once for each character, and once
/// more at the end.
fn within(counter: Counter, length: Option<Counter>) -> Counter {
    let longest = length.and_then(|length| length.max);
    let max =
        counter.max.filter(|&max| longest.is_none_or(|longest| max <= longest.saturating_add(1)));
    Counter { max, ..counter }
}
