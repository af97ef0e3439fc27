//! Boolean combinations of two automata over texts (product construction).
//!
//! Operands accept only UTF-8, so results do as well, and a complement is a difference from all texts. The universal
//! state of an operand (the state that accepts every text) decides a union. The other operand is not explored from
//! there, which keeps unions of search patterns small.

use rustc_hash::FxHashMap;

use super::canonical;
use grammarc_grammar::automata::{
    Dfa, DfaState, Edge, Edges, StateBudget, StateLimit, minimize_within,
};
use grammarc_patterns::class::all_texts;

/// The Boolean operation on two languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Intersection: the strings in both languages.
    And,
    /// Union: the strings in at least one of both languages.
    Or,
    /// Difference: the strings in the first language and not in the second.
    Minus,
}

/// The value in place of the number of a dead state, from which nothing is accepted.
const DEAD: u32 = u32::MAX;

/// An automaton, and its universal state (the state that accepts every text) if that is known.
type Operand<'a> = (&'a Dfa, Option<u32>);

/// Returns the minimal automaton of the intersection, union or difference of two automata's languages. Fails beyond
/// `limit` states, or if the budget is exhausted.
pub(super) fn combine(
    operands: [Operand<'_>; 2],
    operation: Operation,
    limit: StateBudget<'_>,
) -> Result<Dfa, StateLimit> {
    minimize_within(&explored(operands, operation, limit)?, limit)
}

/// Returns the minimal automaton of all texts that the operand does not accept. Cost: linear in the operand.
pub(super) fn complement(operand: Operand<'_>, limit: StateBudget<'_>) -> Result<Dfa, StateLimit> {
    let all = all_texts();
    Ok(canonical::folded(explored([(all, Some(0)), operand], Operation::Minus, limit)?))
}

/// Builds the product of two automata: the part that is reachable from the start, without states that reach no
/// accepting state.
fn explored(
    operands: [Operand<'_>; 2],
    operation: Operation,
    limit: StateBudget<'_>,
) -> Result<Dfa, StateLimit> {
    let mut product = Product::new(operands, operation);
    product.number(0, 0);
    let mut held = limit.held();
    let mut states: Vec<DfaState> = Vec::new();
    while let Some(&pair) = product.order.get(states.len()) {
        let state = product.state(pair.0, pair.1);
        limit.spend(1 + state.edges.len())?;
        states.push(state);
        if product.order.len() > limit.states {
            return Err(limit.error());
        }
        if states.len().is_power_of_two() {
            limit.hold(&mut held, 2 * size_of_val(&*states))?;
        }
    }
    if states.is_empty() {
        return Ok(Dfa::never());
    }
    Ok(Dfa { states }.trimmed())
}

/// Returns whether both automata accept some text. Stops at the first such text. Fails beyond `limit` pairs of states.
#[cfg(test)]
pub(super) fn meet(a: &Dfa, b: &Dfa, limit: StateBudget<'_>) -> Result<bool, StateLimit> {
    let mut product = Product::new([(a, None), (b, None)], Operation::And);
    product.number(0, 0);
    let mut at = 0;
    while let Some(&pair) = product.order.get(at) {
        at += 1;
        // Both automata are trimmed, but their product is not, so only an accepting pair shows a common text.
        if product.state(pair.0, pair.1).accepting {
            return Ok(true);
        }
        if product.order.len() > limit.states {
            return Err(limit.error());
        }
    }
    Ok(false)
}

/// A product of two automata under construction.
struct Product<'a> {
    /// The two automata whose languages are combined.
    operands: [Operand<'a>; 2],
    /// The Boolean operation on the two languages.
    operation: Operation,
    /// Maps each pair of states to its number in the product.
    numbers: FxHashMap<(u32, u32), u32>,
    /// The pairs of states, in the order of their numbers.
    order: Vec<(u32, u32)>,
    /// A reused buffer for the edges of one state.
    state: DfaState,
}

impl<'a> Product<'a> {
    /// Creates an empty product of two automata.
    fn new(operands: [Operand<'a>; 2], operation: Operation) -> Self {
        let (numbers, order) = (FxHashMap::default(), Vec::new());
        Self { operands, operation, numbers, order, state: DfaState::default() }
    }

    /// Returns the number in the product of a pair of states, or `None` if nothing is accepted from the pair. A new
    /// pair is added.
    fn number(&mut self, a: u32, b: u32) -> Option<u32> {
        let universal = |index: usize, state| self.operands[index].1 == Some(state);
        let pair = match self.operation {
            Operation::And if a == DEAD || b == DEAD => return None,
            Operation::Minus if a == DEAD || universal(1, b) => return None,
            Operation::Or if universal(0, a) => (a, DEAD),
            Operation::Or if universal(1, b) => (DEAD, b),
            _ if a == DEAD && b == DEAD => return None,
            _ => (a, b),
        };
        let next = self.order.len() as u32;
        let number = *self.numbers.entry(pair).or_insert(next);
        if number == next {
            self.order.push(pair);
        }
        Some(number)
    }

    /// Returns the edges and the acceptance of a pair of states, and numbers the pairs that its edges lead to.
    fn state(&mut self, a: u32, b: u32) -> DfaState {
        let [(left, _), (right, _)] = self.operands;
        let (left, right) = (left.states.get(a as usize), right.states.get(b as usize));
        let accepts = |state: Option<&DfaState>| state.is_some_and(|state| state.accepting);
        let accepting = match self.operation {
            Operation::And => accepts(left) && accepts(right),
            Operation::Or => accepts(left) || accepts(right),
            Operation::Minus => accepts(left) && !accepts(right),
        };
        let none: &[Edge] = &[];
        let mut left = left.map_or(none, |state| &state.edges).iter().copied().peekable();
        let mut right = right.map_or(none, |state| &state.edges).iter().copied().peekable();
        let mut state = std::mem::take(&mut self.state);
        state.edges.clear();
        let mut from = 0;
        while let Some(lo) = [left.peek(), right.peek()].into_iter().flatten().map(|e| e.lo).min() {
            // The longest run of bytes on which each automaton stays on one edge or has no edge.
            let lo = lo.max(from);
            let mut hi = u32::MAX;
            let mut targets = [DEAD; 2];
            for (target, edge) in targets.iter_mut().zip([left.peek(), right.peek()]) {
                match edge {
                    Some(edge) if edge.lo <= lo => {
                        *target = edge.target;
                        hi = hi.min(edge.hi);
                    }
                    Some(edge) => hi = hi.min(edge.lo - 1),
                    None => {}
                }
            }
            from = hi + 1;
            left.next_if(|edge| edge.hi == hi);
            right.next_if(|edge| edge.hi == hi);
            let Some(target) = self.number(targets[0], targets[1]) else { continue };
            state.add(Edge { lo, hi, target });
        }
        let edges = Edges::from_slice(&state.edges);
        self.state = state;
        DfaState { edges, accepting }
    }
}

/// Returns the universal state of a minimal automaton over texts: the state that accepts every text. `None` if there is
/// none.
pub(super) fn universal(dfa: &Dfa) -> Option<u32> {
    let all = all_texts();
    (0..dfa.states.len() as u32).find(|&root| {
        let mut pairs = vec![(root, 0)];
        let mut at = 0;
        while let Some(&(state, model)) = pairs.get(at) {
            at += 1;
            let (state, model) = (&dfa.states[state as usize], &all.states[model as usize]);
            if state.accepting != model.accepting || state.edges.len() != model.edges.len() {
                return false;
            }
            for (edge, wanted) in state.edges.iter().zip(&model.edges) {
                if (edge.lo, edge.hi) != (wanted.lo, wanted.hi) {
                    return false;
                }
                let pair = (edge.target, wanted.target);
                if pairs.iter().any(|known| (known.0 == pair.0) != (known.1 == pair.1)) {
                    return false;
                }
                if !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
        true
    })
}
