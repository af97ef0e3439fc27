//! The graph of a pattern with counters, within bounds on the length.
//!
//! A state of the graph is a position of the [pattern](CountedPattern) with the counter steps of a transition into
//! it. The length is one more counter, which every character increments. So the graph is as large as the pattern,
//! whatever it counts. The network keeps the counts in a register.

use rustc_hash::FxHashMap;

use crate::values::strings::characters::Ranges;
use grammarc_grammar::ir::{Counter, Expr, ExprGraph, Step};
use grammarc_patterns::ecma::{CountedPattern, Way};

/// The texts of a pattern from after the opening quote to the closing one, within `bounds` on the length. `text`
/// writes one of some characters.
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
    let mut ways: FxHashMap<Option<u32>, Vec<&Way>> = FxHashMap::default();
    pattern.ways.iter().for_each(|way| ways.entry(way.from).or_default().push(way));
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

/// The bounds of a counter, given bounds on the length. The maximum is dropped if a text would have to be longer to
/// exceed it: a character increments once, and the end at most once more.
fn within(counter: Counter, length: Option<Counter>) -> Counter {
    let longest = length.and_then(|length| length.max);
    let max =
        counter.max.filter(|&max| longest.is_none_or(|longest| max <= longest.saturating_add(1)));
    Counter { max, ..counter }
}
