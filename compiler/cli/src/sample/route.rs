//! The shortest text that brings a position to an end, edge by edge along the least costs.

use grammarc_artifacts::sections::network::{ByteEdge, NONE};
use grammarc_artifacts::tables::Joined;

use super::costs::{Costs, NEVER};
use super::position::{Configuration, Position};

/// One step of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A byte of text.
    Byte(u8),
    /// A token of the set with this mask id.
    Token(u32),
}

/// The units that lead from a position to an end by the shortest way, the first `most` of them. Empty where the
/// sequence may end at once, `None` where no end can be reached.
pub fn shortest(
    tables: Joined<'_>,
    costs: &Costs,
    position: &Position,
    most: usize,
) -> Option<Vec<Unit>> {
    let total = |at: &Configuration| {
        let below = position.stack(*at).map(|(ret, count)| costs.of(ret, count));
        below.fold(costs.of(at.state, at.count), u64::saturating_add)
    };
    let best = position.configurations.iter().min_by_key(|at| total(at))?;
    if total(best) == NEVER {
        return None;
    }
    let mut stack: Vec<(u32, u32)> = position.stack(*best).collect();
    stack.reverse();
    let mut at = (best.state, best.count);
    let mut units = Vec::new();
    while units.len() < most {
        if costs.of(at.0, at.1) == 0 {
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

/// The first of the cheapest ways on from a state: what it reads, and where it leads. A call reads nothing and may push
/// onto the stack.
fn cheapest(
    tables: Joined<'_>,
    costs: &Costs,
    (state, count): (u32, u32),
    stack: &mut Vec<(u32, u32)>,
) -> Option<(Option<Unit>, (u32, u32))> {
    let arrive = |target: u32| tables.state(target).arrival(target, count);
    let cost = |at: (u32, u32)| costs.of(at.0, at.1);
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

/// How calls rank among ways that cost the same: behind bytes.
const CALL: u8 = 4;
/// How tokens do.
const TOKEN: u8 = 5;

/// How a byte ranks: digits and letters before punctuation, punctuation before the space, and all that before the rest.
fn strangeness(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => 0,
        b'!'..=b'~' => 1,
        b' ' => 2,
        _ => 3,
    }
}
