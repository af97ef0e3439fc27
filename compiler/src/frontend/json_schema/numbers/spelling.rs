//! Every legal text of a set's members.
//!
//! A text `mE` with an exponent is a member's where the mantissa is a member of the set with its point moved by the
//! exponent. So for each exponent in reach there is a set of mantissas ([`NumberSet::scaled`]); exponents with the same
//! mantissas are a *group*. One automaton reads the mantissa for all groups at once and knows at its end which of them
//! it fits, and with that which exponents may follow.
//!
//! Beyond the reach, mantissas stand for all exponents at once, so only those are accepted of which that is plain:
//! where the set has no bound on that side, or no zero between.
//!
//! | | exponents |
//! | --- | --- |
//! | bounds and single numbers | every one from -[`REACH`] to [`REACH`]; beyond, mantissas that fit whatever the exponent |
//! | integers and multiples | the same upwards; downwards to -[`SHALLOW`], as zeros at the end would have to be counted |

use rustc_hash::FxHashMap;

use crate::automata::{Dfa, DfaState, Edge, Nfa, StateLimit, determinize, minimize};

use super::super::options::DigitLimits;
use super::counted::Part;
use super::decimal::Decimal;
use super::set::NumberSet;

/// Largest exponent, up or down, for which mantissas are told exactly. JavaScript writes exponents from 21 and from -7
/// on, Python from 16 and from -5 on.
const REACH: u32 = 22;

/// The same downwards, for sets that are not free of residues.
const SHALLOW: u32 = 3;

/// Longest exponent, zeros at its start included.
const EXPONENT_DIGITS: u32 = 9;

/// A group in the automaton of mantissas: a symbol above the bytes.
const GROUP: u32 = 256;

/// The exponents of a group: bit `e` for `e`, and bit `reach + 1` for all beyond the reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Exponents {
    up: u64,
    down: u64,
}

impl Exponents {
    fn with(self, other: Self) -> Self {
        Self { up: self.up | other.up, down: self.down | other.down }
    }
}

/// The texts of the members, without a limit on the digits of a mantissa.
///
/// # Errors
///
/// [`StateLimit`] where an automaton has more than `limit` states.
pub(super) fn spellings(
    set: &NumberSet,
    digits: DigitLimits,
    limit: usize,
) -> Result<Dfa, StateLimit> {
    let mut nfa = Nfa::new();
    let (start, end) = (nfa.start, nfa.end);
    mantissas(&mut nfa, set, start, end);
    let down = if has_residues(set) { SHALLOW } else { REACH };
    let longest = digits.exponent.min(EXPONENT_DIGITS);
    let groups = if longest == 0 { Vec::new() } else { groups(set, REACH, down, limit)? };
    for (symbol, (set, _)) in (GROUP..).zip(&groups) {
        let fits = nfa.state();
        mantissas(&mut nfa, set, start, fits);
        nfa.edge(fits, symbol, symbol, end);
    }
    let mantissas = minimize(&determinize(&nfa, limit)?);
    let mut writer = Writer {
        states: mantissas.states.clone(),
        reach: [REACH, down],
        longest,
        known: FxHashMap::default(),
    };
    for (at, state) in mantissas.states.iter().enumerate() {
        let fitting = state.edges.iter().filter(|edge| edge.lo >= GROUP);
        let symbols = fitting.flat_map(|edge| edge.lo..=edge.hi);
        let exponents = symbols.fold(Exponents::default(), |all, symbol| {
            all.with(groups[(symbol - GROUP) as usize].1)
        });
        writer.states[at].edges.retain(|edge| edge.lo < GROUP);
        if exponents != Exponents::default() {
            let target = writer.exponent(exponents);
            for byte in [b'E', b'e'].map(u32::from) {
                writer.states[at].edges.push(Edge { lo: byte, hi: byte, target });
            }
        }
    }
    Ok(minimize(&Dfa { states: writer.states }.trimmed()))
}

/// Sets of mantissas and the exponents with which they make members.
fn groups(
    set: &NumberSet,
    up: u32,
    down: u32,
    limit: usize,
) -> Result<Vec<(NumberSet, Exponents)>, StateLimit> {
    let mut groups: Vec<(NumberSet, Exponents)> = Vec::new();
    let mut add = |set: NumberSet, exponents: Exponents| match groups
        .iter_mut()
        .find(|(known, _)| *known == set)
    {
        _ if set.is_none() => {}
        Some((_, known)) => *known = known.with(exponents),
        None => groups.push((set, exponents)),
    };
    add(set.clone(), Exponents { up: 1, down: 1 });
    for (reach, step) in [(up, -1), (down, 1)] {
        let mut moved = set.clone();
        for exponent in 1..=reach + 1 {
            moved = moved.scaled(step, limit)?;
            if exponent > reach {
                moved = beyond(moved, step, limit)?;
            }
            let bit = 1 << exponent;
            let exponents = if step < 0 {
                Exponents { up: bit, down: 0 }
            } else {
                Exponents { up: 0, down: bit }
            };
            add(moved.clone(), exponents);
        }
    }
    Ok(groups)
}

/// Of the mantissas for the first exponent beyond the reach, some that fit every further one: a subset that the next
/// step maps into itself.
fn beyond(set: NumberSet, step: i32, limit: usize) -> Result<NumberSet, StateLimit> {
    let closed = |set: &NumberSet| Ok(set.scaled(-step, limit)?.is_subset(set));
    if closed(&set)? {
        return Ok(set);
    }
    let one = Decimal::one();
    let near = NumberSet::at_least(&one.negated(), true)
        .intersect(&NumberSet::at_most(&one, true), limit)?;
    let zero = NumberSet::literal(&Decimal::zero());
    let kept = if step < 0 {
        near.complement(limit)?.union(&zero, limit)?
    } else {
        near.scaled(REACH as i32, limit)?
    };
    let part = set.intersect(&kept, limit)?;
    if closed(&part)? { Ok(part) } else { set.intersect(&zero, limit) }
}

/// Whether long whole parts are told apart, or decide what may follow them: whether after any number of digits the
/// automaton is not where it allows everything.
fn has_residues(set: &NumberSet) -> bool {
    let dfa = set.dfa();
    let mut at: Vec<u32> = [Some(0), dfa.next(0, b'-'.into())].into_iter().flatten().collect();
    // Longer than the automaton has states, every text is in a cycle.
    for _ in 0..=dfa.states.len() {
        let digits =
            |state: u32| (b'0'..=b'9').filter_map(move |byte| dfa.next(state, byte.into()));
        at = at.into_iter().flat_map(digits).collect();
        at.sort_unstable();
        at.dedup();
    }
    at.into_iter().any(|state| !is_free(dfa, state))
}

/// Whether any digits and any fraction may follow, and nothing need.
fn is_free(dfa: &Dfa, whole: u32) -> bool {
    let edges = |state: u32, first: (u8, u8, u32), second: (u8, u8, u32)| {
        let edge = |(lo, hi, target)| Edge { lo: u8::into(lo), hi: u8::into(hi), target };
        dfa.states[state as usize].edges == [edge(first), edge(second)]
    };
    let accepting = |state: u32| dfa.states[state as usize].accepting;
    let Some(open) = dfa.next(whole, b'.'.into()) else { return false };
    let Some(closed) = dfa.next(open, b'1'.into()) else { return false };
    let fraction = |state| edges(state, (b'0', b'0', open), (b'1', b'9', closed));
    edges(whole, (b'.', b'.', open), (b'0', b'9', whole))
        && fraction(open)
        && fraction(closed)
        && (accepting(whole), accepting(open), accepting(closed)) == (true, false, true)
}

/// Adds the texts of members without an exponent: the canonical ones, with zeros at the end of a fraction, and `-0`.
fn mantissas(nfa: &mut Nfa, set: &NumberSet, from: u32, to: u32) {
    let dfa = set.dfa();
    let count = dfa.states.len() as u32;
    let [whole, fraction] = [(); 2].map(|()| {
        let base = nfa.states.len() as u32;
        (0..count).for_each(|_| _ = nfa.state());
        base
    });
    let (point, zeros) = (nfa.state(), nfa.state());
    nfa.edge(point, b'0'.into(), b'0'.into(), zeros);
    nfa.edge(zeros, b'0'.into(), b'0'.into(), zeros);
    nfa.empty(zeros, to);
    nfa.empty(from, whole);
    for (at, state) in (0..).zip(&dfa.states) {
        for edge in &state.edges {
            let behind = match Part::Whole.after(edge.lo) {
                Part::Whole => whole,
                _ => fraction,
            };
            nfa.edge(whole + at, edge.lo, edge.hi, behind + edge.target);
            nfa.edge(fraction + at, edge.lo, edge.hi, fraction + edge.target);
        }
        if state.accepting {
            nfa.empty(whole + at, to);
            nfa.edge(whole + at, b'.'.into(), b'.'.into(), point);
            nfa.empty(fraction + at, to);
            nfa.edge(fraction + at, b'0'.into(), b'0'.into(), zeros);
        }
    }
    if set.contains(&Decimal::zero()) {
        let (minus, zero) = (nfa.state(), nfa.state());
        nfa.edge(from, b'-'.into(), b'-'.into(), minus);
        nfa.edge(minus, b'0'.into(), b'0'.into(), zero);
        nfa.edge(zero, b'.'.into(), b'.'.into(), point);
        nfa.empty(zero, to);
    }
}

/// Writes exponents behind the mantissas.
struct Writer {
    states: Vec<DfaState>,
    /// Largest exponent told exactly, up and down.
    reach: [u32; 2],
    /// Most digits.
    longest: u32,
    known: FxHashMap<Exponents, u32>,
}

impl Writer {
    fn add(&mut self, accepting: bool) -> u32 {
        self.states.push(DfaState { edges: Vec::new(), accepting });
        (self.states.len() - 1) as u32
    }

    /// The state after the `e`.
    fn exponent(&mut self, exponents: Exponents) -> u32 {
        if let Some(&state) = self.known.get(&exponents) {
            return state;
        }
        let [up, down] = [(exponents.up, self.reach[0]), (exponents.down, self.reach[1])]
            .map(|(bits, reach)| self.magnitudes(bits, reach));
        let start = self.add(false);
        let unsigned = self.states[up as usize].edges.clone();
        let signs = [(b'+', up), (b'-', down)];
        let signs = signs.map(|(sign, target)| Edge { lo: sign.into(), hi: sign.into(), target });
        self.states[start as usize].edges = [&signs[..], &unsigned].concat();
        self.known.insert(exponents, start);
        start
    }

    /// The texts of the numbers whose bits are set.
    fn magnitudes(&mut self, bits: u64, reach: u32) -> u32 {
        // The state for each value read so far, in a layer for each number of digits still allowed.
        let mut below: Vec<u32> = Vec::new();
        for digits in 0..=self.longest {
            let first = digits == self.longest;
            let values = if first { 0..=0 } else { 0..=reach + 1 };
            let mut layer = Vec::new();
            for value in values {
                let state = self.add(!first && bits >> value & 1 == 1);
                for digit in (0..10).filter(|_| digits > 0) {
                    let byte = u32::from(b'0') + digit;
                    let target = below[(10 * value + digit).min(reach + 1) as usize];
                    self.states[state as usize].edges.push(Edge { lo: byte, hi: byte, target });
                }
                layer.push(state);
            }
            below = layer;
        }
        below[0]
    }
}
