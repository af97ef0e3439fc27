//! The shortest text from a position to an end, edge by edge along the least costs.

use grammarc_artifacts::sections::network::{ByteEdge, NONE};
use grammarc_artifacts::tables::Joined;

use super::costs::{Activation, Costs, NEVER};
use crate::position::Configuration;
use crate::position::stack::{BOTTOM, Frames};

/// Rank of calls among transitions of the same cost: after bytes.
const CALL: u8 = 4;
/// Rank of tokens among transitions of the same cost: after calls.
const TOKEN: u8 = 5;

/// One step of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A byte of text.
    Byte(u8),
    /// Any token of the set with this mask id.
    Token(u32),
}

/// A transition of the cheapest kind so far: its cost and rank, and its effect.
struct Transition {
    cost: u64,
    /// Order among transitions of the same cost.
    rank: u8,
    /// The unit that it reads. `None` for a call.
    unit: Option<Unit>,
    to: Activation,
    /// The activation that a call pushes.
    pushed: Option<Activation>,
}

/// Returns the number of units from a position to an end by the shortest text. [`NEVER`] if there is no end, 0 for a position
/// without configurations, which is finished.
pub(super) fn distance(
    tables: Joined<'_>,
    costs: &Costs,
    frames: &Frames,
    position: &[Configuration],
) -> u64 {
    let least = position.iter().map(|&at| total(tables, costs, frames, at)).min();
    least.unwrap_or(0)
}

/// Returns the first `most` units of the shortest text from a position to an end. Empty if the sequence may end at once,
/// `None` if no end can be reached.
pub(super) fn shortest(
    tables: Joined<'_>,
    costs: &Costs,
    frames: &Frames,
    position: &[Configuration],
    most: usize,
) -> Option<Vec<Unit>> {
    let best = *position.iter().min_by_key(|&&at| total(tables, costs, frames, at))?;
    if total(tables, costs, frames, best) == NEVER {
        return None;
    }
    let mut stack: Vec<Activation> = callers(frames, best).collect();
    stack.reverse();
    let mut at = Activation { state: best.state, count: best.count };
    let mut units = Vec::new();
    while units.len() < most {
        if costs.of(tables, at) == 0 {
            match stack.pop() {
                Some(caller) => at = caller,
                None => break,
            }
            continue;
        }
        let next = cheapest(tables, costs, at)?;
        stack.extend(next.pushed);
        units.extend(next.unit);
        at = next.to;
    }
    Some(units)
}

/// Returns the cost of a configuration: of its own rule, and of all rules on its stack.
fn total(tables: Joined<'_>, costs: &Costs, frames: &Frames, at: Configuration) -> u64 {
    let callers = callers(frames, at).map(|caller| costs.of(tables, caller));
    let own = Activation { state: at.state, count: at.count };
    callers.fold(costs.of(tables, own), u64::saturating_add)
}

/// The return states and registers on a configuration's stack, from the top.
fn callers(frames: &Frames, at: Configuration) -> impl Iterator<Item = Activation> {
    let mut next = at.frame;
    std::iter::from_fn(move || {
        let frame = (next != BOTTOM).then(|| frames.get(next))?;
        next = frame.parent;
        Some(Activation { state: frame.ret, count: frame.count })
    })
}

/// Returns the first of the cheapest transitions from a state.
fn cheapest(tables: Joined<'_>, costs: &Costs, at: Activation) -> Option<Transition> {
    let arrive = |target: u32| {
        let (state, count) = tables.arrival(target, at.count);
        Activation { state, count }
    };
    let cost = |at: Activation| costs.of(tables, at);
    let read = |unit: Unit, rank: u8, to: Activation| {
        let cost = cost(to).saturating_add(1);
        Transition { cost, rank, unit: Some(unit), to, pushed: None }
    };
    if let Some(first) = costs.packed_rule_of(at.state) {
        let strings = tables.packed_strings();
        let node = strings.node(at.count);
        let transitions = node.labels().iter().enumerate().map(|(index, &byte)| {
            let count = node.target(index);
            let to = Activation { state: first + strings.node(count).state(), count };
            read(Unit::Byte(byte), strangeness(byte), to)
        });
        return transitions.min_by_key(|next| (next.cost, next.rank));
    }
    let (part, index) = tables.locate(at.state);
    let bytes = part.byte_edges_of(index).iter().map(|edge| {
        let byte = readable(edge);
        read(Unit::Byte(byte), strangeness(byte), arrive(edge.target))
    });
    let calls = part.call_edges_of(index).iter().map(|edge| {
        let pushed = (edge.ret != NONE).then(|| arrive(edge.ret));
        let cost = costs.of_call(tables, edge).saturating_add(pushed.map_or(0, cost));
        let to = Activation { state: tables.rule(edge.callee).first_state, count: edge.count };
        Transition { cost, rank: CALL, unit: None, to, pushed }
    });
    let tokens = part
        .token_edges_of(index)
        .iter()
        .map(|edge| read(Unit::Token(edge.tokens), TOKEN, arrive(edge.target)));
    let all = bytes.chain(calls).chain(tokens).filter(|next| next.cost != NEVER);
    all.min_by_key(|next| (next.cost, next.rank))
}

/// Returns the byte of an edge that is easiest to read.
fn readable(edge: &ByteEdge) -> u8 {
    (edge.lo()..=edge.hi()).min_by_key(|&byte| strangeness(byte)).unwrap_or(edge.lo())
}

/// Ranks a byte: digits and letters, then punctuation, then the space, then all other bytes.
fn strangeness(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => 0,
        b'!'..=b'~' => 1,
        b' ' => 2,
        _ => 3,
    }
}
