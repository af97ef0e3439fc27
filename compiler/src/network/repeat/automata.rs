//! Builds the automata of the rules made for repetitions from the automaton of the body.

use smallvec::smallvec;

use super::rule::{More, Run};
use crate::automata::{Dfa, DfaState, Edge, Edges, Nfa, StateBudget, StateLimit, Symbol};
use crate::network::minimal::{minimal_without_empty, without_unreached};
use crate::network::rule::{Arrival, Counted, RegisterUpdate};

/// Builds the automaton of a chain rule: one body and then the call `rest`. Without `rest`, the
/// rule is the last of its chain: one body, or any number of bodies.
///
/// # Errors
///
/// [`StateLimit`] if the automaton has too many states.
pub(in crate::network) fn chain(
    unit: Dfa,
    run: Run,
    rest: Option<Symbol>,
    bounds: StateBudget<'_>,
) -> Result<Dfa, StateLimit> {
    let Some(rest) = rest else {
        return if run.more == More::Any { one_or_more(&unit, bounds) } else { Ok(unit) };
    };
    // The body is prefix-free, so no accepting state has edges. The states stay pairwise
    // distinguishable after the call is added.
    let end = unit.states.len() as u32;
    let mut states = unit.states;
    for state in states.iter_mut().filter(|state| state.accepting) {
        state.accepting = run.least == 1;
        state.edges.push(Edge { lo: rest, hi: rest, target: end });
    }
    states.push(DfaState { edges: Edges::new(), accepting: true });
    Ok(Dfa { states: without_unreached(states, &[]).0 })
}

/// Builds the automaton of one or more bodies, minimized.
fn one_or_more(unit: &Dfa, bounds: StateBudget<'_>) -> Result<Dfa, StateLimit> {
    let mut nfa = Nfa::new();
    let begin = nfa.state();
    let middle = nfa.state();
    nfa.empty(nfa.start, begin);
    nfa.embed(unit, begin, middle);
    nfa.empty(middle, nfa.end);
    nfa.empty(middle, begin);
    Ok(minimal_without_empty(&nfa, bounds)?.to_dfa())
}

/// Builds the automaton of a loop rule: `prefix` bodies, the body that is repeated, and the call
/// `rest` when the countdown ends. Returns the automaton with its register updates.
///
/// The body is copied once for each body of the prefix and once for the loop. The accepting states
/// of each copy are replaced by the initial state of the next copy. Those of the last copy are
/// replaced by the *head*. An arrival at the head decrements the register, and the body begins
/// again. At zero, the *exit* replaces the head and calls `rest`. If the loop `is_optional`, head
/// and exit accept.
pub(in crate::network) fn counted_loop(
    unit: &Dfa,
    prefix: u32,
    rest: Symbol,
    is_optional: bool,
) -> (Dfa, Counted) {
    let size = unit.states.len() as u32;
    let head = (prefix + 1) * size;
    let (exit, end) = (head + 1, head + 2);
    let mut states = Vec::with_capacity(end as usize + 1);
    for copy in 0..=prefix {
        let next = (copy + 1) * size;
        let to = |target: u32| match unit.states[target as usize].accepting {
            true => next,
            false => copy * size + target,
        };
        states.extend(unit.states.iter().map(|state| {
            let edges = state.edges.iter().map(|e| Edge { target: to(e.target), ..*e });
            DfaState { edges: edges.collect(), accepting: false }
        }));
    }
    let again = states[(prefix * size) as usize].edges.clone();
    states.push(DfaState { edges: again, accepting: is_optional });
    let call = Edge { lo: rest, hi: rest, target: end };
    states.push(DfaState { edges: smallvec![call], accepting: is_optional });
    states.push(DfaState { edges: Edges::new(), accepting: true });
    let (states, numbers) = without_unreached(states, &[exit]);
    let at = |state: u32| numbers[state as usize];
    let arrival = Arrival { state: at(head), exit: at(exit), update: RegisterUpdate::Decrement };
    (Dfa { states }, Counted::new(vec![arrival], is_optional))
}

/// Builds the automaton of a single call of a rule. `symbol` is the label of the call.
pub(in crate::network) fn one_call(symbol: Symbol) -> Dfa {
    let call = Edge { lo: symbol, hi: symbol, target: 1 };
    Dfa {
        states: vec![
            DfaState { edges: smallvec![call], accepting: false },
            DfaState { edges: Edges::new(), accepting: true },
        ],
    }
}
