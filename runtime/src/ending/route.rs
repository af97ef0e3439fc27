//! The shortest text that brings a position to an end, edge by edge along the least costs.

use grammarc_artifacts::sections::network::{ByteEdge, NONE};
use grammarc_artifacts::tables::Joined;

use super::costs::{Costs, NEVER};
use crate::position::Configuration;
use crate::stack::{BOTTOM, Frames};

/// One step of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A byte of text.
    Byte(u8),
    /// A token of the set with this mask id.
    Token(u32),
}

/// Units from a position to an end by the shortest way, [`NEVER`] where there is none; 0 for a position without
/// configurations, which is an end.
pub(super) fn distance(
    tables: Joined<'_>,
    costs: &Costs,
    frames: &Frames,
    position: &[Configuration],
) -> u64 {
    let least = position.iter().map(|&at| total(tables, costs, frames, at)).min();
    least.unwrap_or(0)
}

/// The units that lead from a position to an end by the shortest way, the first `most` of them. Empty where the
/// sequence may end at once, `None` where no end can be reached.
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
    let mut stack: Vec<(u32, u32)> = below(frames, best).collect();
    stack.reverse();
    let mut at = (best.state, best.count);
    let mut units = Vec::new();
    while units.len() < most {
        if costs.of(tables, at.0, at.1) == 0 {
            match stack.pop() {
                Some(below) => at = below,
                None => break,
            }
            continue;
        }
        let (unit, next) = cheapest(tables, costs, at, &mut stack)?;
        units.extend(unit);
        at = next;
    }
    Some(units)
}

/// The cost of a configuration: of its own rule, and of all that it returns to.
fn total(tables: Joined<'_>, costs: &Costs, frames: &Frames, at: Configuration) -> u64 {
    let below = below(frames, at).map(|(ret, count)| costs.of(tables, ret, count));
    below.fold(costs.of(tables, at.state, at.count), u64::saturating_add)
}

/// The return states and countdowns below a configuration, from the top.
fn below(frames: &Frames, at: Configuration) -> impl Iterator<Item = (u32, u32)> {
    let mut next = at.frame;
    std::iter::from_fn(move || {
        let frame = (next != BOTTOM).then(|| frames.get(next))?;
        next = frame.parent;
        Some((frame.ret, frame.count))
    })
}

/// The first of the cheapest transitions from a state: the unit that it reads and its target. A call reads nothing and may push
/// a frame.
fn cheapest(
    tables: Joined<'_>,
    costs: &Costs,
    (state, count): (u32, u32),
    stack: &mut Vec<(u32, u32)>,
) -> Option<(Option<Unit>, (u32, u32))> {
    let arrive = |target: u32| tables.arrival(target, count);
    let cost = |at: (u32, u32)| costs.of(tables, at.0, at.1);
    if let Some(first) = costs.catalogue_of(state) {
        let catalogue = tables.catalogue();
        let node = catalogue.node(count);
        let ways = node.labels().iter().enumerate().map(|(index, &byte)| {
            let to = node.target(index);
            let next = (first + catalogue.node(to).state(), to);
            (cost(next), strangeness(byte), byte, next)
        });
        let (_, _, byte, next) = ways.min_by_key(|way| (way.0, way.1))?;
        return Some((Some(Unit::Byte(byte)), next));
    }
    let (part, index) = tables.locate(state);
    let bytes = part.byte_edges_of(index).iter().map(|edge| {
        let (byte, next) = (readable(edge), arrive(edge.target));
        (cost(next).saturating_add(1), strangeness(byte), Some(Unit::Byte(byte)), next, None)
    });
    let calls = part.call_edges_of(index).iter().map(|edge| {
        let back = (edge.ret != NONE).then(|| arrive(edge.ret));
        let whole = costs.of_call(tables, edge).saturating_add(back.map_or(0, cost));
        (whole, CALL, None, (tables.rule(edge.callee).first_state, edge.count), back)
    });
    let tokens = part.token_edges_of(index).iter().map(|edge| {
        let next = arrive(edge.target);
        (cost(next).saturating_add(1), TOKEN, Some(Unit::Token(edge.tokens)), next, None)
    });
    let ways = bytes.chain(calls).chain(tokens).filter(|way| way.0 != NEVER);
    let (_, _, unit, next, back) = ways.min_by_key(|way| (way.0, way.1))?;
    stack.extend(back);
    Some((unit, next))
}

/// The byte of an edge that is easiest on the eye.
fn readable(edge: &ByteEdge) -> u8 {
    (edge.lo()..=edge.hi()).min_by_key(|&byte| strangeness(byte)).unwrap_or(edge.lo())
}

/// Rank of calls among transitions of the same cost: after bytes.
const CALL: u8 = 4;
/// Rank of tokens among transitions of the same cost: after calls.
const TOKEN: u8 = 5;

/// Rank of a byte: digits and letters, then punctuation, then the space, then all other bytes.
fn strangeness(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => 0,
        b'!'..=b'~' => 1,
        b' ' => 2,
        _ => 3,
    }
}
