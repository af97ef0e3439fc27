//! The automaton of a graph with required keys. It has a waiting copy of the graph, for missing
//! keys, and a done copy, for none.

use crate::automata::{Dfa, DfaState, Nfa, Symbol};
use crate::ir::ExprGraph;
use crate::ir::facts::{self, Facts};
use crate::ir::thompson::build;
use crate::network::error::NetworkErrorKind;
use crate::network::graph_parts::GraphParts;
use crate::network::minimal::without_unreached;
use crate::network::rule::{Arrival, Counted, RegisterUpdate};

/// The first symbol for a written required key, far above the symbols of labels (calls or token
/// sets). Each key has two symbols: one leads to the waiting copy, the next to the done copy.
const WRITTEN: Symbol = 1 << 30;

/// Whether every state that reaches some required key reaches all of them. Then the strings of the
/// waiting copy do not depend on which keys are missing.
pub(in crate::network) fn may_wait(graph: &ExprGraph, rules: &[Facts]) -> bool {
    let edges: Vec<(usize, usize)> = graph
        .edges()
        .filter(|(_, part, _)| facts::of_expr(part, rules).productive)
        .map(|(from, _, to)| (from as usize, to as usize))
        .collect();
    let states = graph.states() as usize;
    let mut own = vec![0; states];
    graph.required_key_states().iter().for_each(|&(state, key)| own[state as usize] = 1 << key);
    let (mut begins, mut ends, mut ahead) =
        (vec![false; states], vec![false; states], vec![0u32; states]);
    begins[ExprGraph::START as usize] = true;
    ends[graph.end() as usize] = true;
    while edges.iter().fold(false, |changed, &(from, to)| {
        let before = (begins[to], ends[from], ahead[from]);
        begins[to] |= begins[from];
        ends[from] |= ends[to];
        if ends[to] {
            ahead[from] |= ahead[to] | own[to];
        }
        changed | (before != (begins[to], ends[from], ahead[from]))
    }) {}
    let all = graph.required_keys();
    (0..states)
        .filter(|&state| begins[state] && ends[state])
        .all(|state| ahead[state] == 0 || ahead[state] == all)
}

/// Builds the automaton of a graph with required keys, with its register updates. Returns `None` if
/// a key is one of several parses of the same bytes.
///
/// # Errors
///
/// The errors of `parts`, such as an exceeded limit.
pub(in crate::network) fn automaton<P: GraphParts>(
    parts: &mut P,
    graph: &ExprGraph,
) -> Result<Option<(Dfa, Counted)>, NetworkErrorKind> {
    let mut nfa = Nfa::new();
    let (waiting, done) = (nfa.len() as u32, nfa.len() as u32 + graph.states());
    (0..2 * graph.states()).for_each(|_| _ = nfa.state());
    nfa.empty(nfa.start, waiting + ExprGraph::START);
    nfa.empty(done + graph.end(), nfa.end);
    // For each state with a required key, the state of the waiting copy at which the edges into it
    // end.
    let mut entries = vec![None; graph.states() as usize];
    for &(state, key) in graph.required_key_states() {
        let before = nfa.state();
        let symbol = WRITTEN + 2 * Symbol::from(key);
        nfa.edge(before, symbol, symbol, waiting + state);
        nfa.edge(before, symbol + 1, symbol + 1, done + state);
        entries[state as usize] = Some(before);
    }
    for (from, part, to) in graph.edges() {
        build(parts, &mut nfa, part, done + from, done + to)?;
        match entries[to as usize] {
            None => build(parts, &mut nfa, part, waiting + from, waiting + to)?,
            Some(before) => {
                let unit = parts.prefix_free(part)?;
                nfa.embed(&unit, waiting + from, before);
            }
        }
    }
    Ok(into_arrivals(parts.finish(&nfa)?))
}

/// Turns the states at which a required key is written into arrivals that clear the key's bit. Each
/// such state gets the transitions of the waiting copy, and its exit is the state of the done copy.
/// Returns `None` if such a state has other transitions.
fn into_arrivals(mut dfa: Dfa) -> Option<(Dfa, Counted)> {
    let mut arrivals = Vec::new();
    for state in 0..dfa.states.len() {
        let DfaState { edges, accepting } = &dfa.states[state];
        if edges.last().is_none_or(|edge| edge.hi < WRITTEN) {
            continue;
        }
        let pair = match edges[..] {
            [both] if both.hi == both.lo + 1 => Some((both.lo, both.target, both.target)),
            [left, none] if (left.lo, none.lo) == (left.hi, none.hi) => {
                (none.lo == left.lo + 1).then_some((left.lo, left.target, none.target))
            }
            _ => None,
        };
        let (symbol, waiting, done) = pair.filter(|_| !accepting)?;
        let bit = symbol.checked_sub(WRITTEN).filter(|at| at % 2 == 0)? / 2;
        arrivals.push((state as u32, waiting, done, u8::try_from(bit).ok()?));
    }
    for &(state, waiting, ..) in &arrivals {
        dfa.states[state as usize] = dfa.states[waiting as usize].clone();
    }
    let roots: Vec<u32> = arrivals.iter().map(|arrival| arrival.2).collect();
    let (states, numbers) = without_unreached(dfa.states, &roots);
    let at = |state: u32| numbers[state as usize];
    let arrivals = arrivals.into_iter().map(|(state, _, done, bit)| Arrival {
        state: at(state),
        exit: at(done),
        update: RegisterUpdate::ClearBit(bit),
    });
    Some((Dfa { states }, Counted::new(arrivals.collect(), false)))
}
