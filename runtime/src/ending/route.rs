//! The shortest text from a position to an end: from each state, the route follows the transition of least cost.

use grammarc_artifacts::sections::network::{ByteEdge, NONE};
use grammarc_artifacts::tables::Joined;

use super::costs::{Activation, Costs, NEVER};
use crate::position::Configuration;
use crate::position::stack::{BOTTOM, Frames};

/// Rank of calls among transitions of the same cost: after all bytes.
const CALL: u8 = 4;
/// Rank of token edges among transitions of the same cost: after calls.
const TOKEN: u8 = 5;

/// One unit of a text: a byte, or a special token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A byte of the text.
    Byte(u8),
    /// Any token of the set of tokens that has this mask id.
    Token(u32),
}

/// One transition from a state, as a candidate for the route.
struct Transition {
    /// Units from here to the end of the rule, or of the callee and the rule.
    cost: u64,
    /// Order among transitions of the same cost, lower first: bytes by readability, then calls, then tokens.
    rank: u8,
    /// Unit that the transition reads. `None` for a call.
    unit: Option<Unit>,
    /// State and register after the transition: of the callee for a call.
    to: Activation,
    /// Return state and register that a call pushes on the stack. `None` for a tail call and for a unit.
    pushed: Option<Activation>,
}

/// Returns the number of units of the shortest text from a position to an end. [`NEVER`] if no end can be reached. 0
/// for a finished sequence, whose position has no configurations.
pub(super) fn distance(
    tables: Joined<'_>,
    costs: &Costs,
    frames: &Frames,
    position: &[Configuration],
) -> u64 {
    let least = position.iter().map(|&at| total(tables, costs, frames, at)).min();
    least.unwrap_or(0)
}

/// Returns the first `most` units of the shortest text from a position to an end. Empty if the sequence may end at
/// once. `None` if no end can be reached, or the position has no configurations.
pub(crate) fn shortest(
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

/// Returns the number of units from a configuration to an end: to leave its own rule, and all rules on its stack.
/// [`NEVER`] if no end can be reached.
fn total(tables: Joined<'_>, costs: &Costs, frames: &Frames, at: Configuration) -> u64 {
    let callers = callers(frames, at).map(|caller| costs.of(tables, caller));
    let own = Activation { state: at.state, count: at.count };
    callers.fold(costs.of(tables, own), u64::saturating_add)
}

/// Returns the return states on a configuration's stack with their registers, from the top to the bottom.
fn callers(frames: &Frames, at: Configuration) -> impl Iterator<Item = Activation> {
    let mut next = at.frame;
    std::iter::from_fn(move || {
        let frame = (next != BOTTOM).then(|| frames.get(next))?;
        next = frame.parent;
        Some(Activation { state: frame.ret, count: frame.count })
    })
}

/// Returns the transition of least cost from a state, and of least rank among equal ones. `None` if no transition leads
/// to the end of the rule.
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

/// Returns the byte in the range of an edge that is easiest to read.
fn readable(edge: &ByteEdge) -> u8 {
    (edge.lo()..=edge.hi()).min_by_key(|&byte| strangeness(byte)).unwrap_or(edge.lo())
}

/// Ranks a byte by readability, from 0: digits and letters, other printable characters, the space, all other bytes.
fn strangeness(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => 0,
        b'!'..=b'~' => 1,
        b' ' => 2,
        _ => 3,
    }
}
