//! Builds the automaton of the canonical texts of all numbers that are at least a bound.
//!
//! Texts without leading zeros compare first by their number of digits before the point, then digit by digit. The
//! automaton follows the digits of the bound. Beside that path it counts the digits read since the text first differed
//! from the bound. In a `less` state only a number with more digits reaches the bound; in a `greater` state a number
//! with as many digits does. The automaton has three states for each digit of the bound.

use smallvec::smallvec;

use grammarc_grammar::automata::{Dfa, DfaState, Edge, Edges};

use super::decimal::Decimal;

/// Automaton states for the remainder of a number's text after a prefix that already satisfies the bound.
struct Rest {
    /// The state after a digit before the point. More digits may follow, then an optional fraction.
    whole: u32,
    /// The state after the point, or after a zero of the fraction. Digits must follow, the last of them not zero.
    point: u32,
    /// The state after a digit of the fraction other than zero. The text may end, or continue as after `point`.
    fraction: u32,
}

/// The states of an automaton under construction.
#[derive(Default)]
struct States(Vec<DfaState>);

impl States {
    /// Adds a state without edges and returns its index.
    fn add(&mut self, accepting: bool) -> u32 {
        self.0.push(DfaState { edges: Edges::new(), accepting });
        (self.0.len() - 1) as u32
    }

    /// Adds an edge on the bytes `lo` to `hi` (inclusive), or none if `lo` exceeds `hi`. The caller adds the edges of a
    /// state in ascending order.
    fn edge(&mut self, from: u32, lo: u8, hi: u8, target: u32) {
        if lo <= hi {
            let edge = Edge { lo: lo.into(), hi: hi.into(), target };
            self.0[from as usize].edges.push(edge);
        }
    }

    /// Adds the states for the remainder of a number's text after a prefix that already satisfies the bound.
    fn rest(&mut self) -> Rest {
        let rest = Rest { whole: self.add(true), point: self.add(false), fraction: self.add(true) };
        self.edge(rest.whole, b'.', b'.', rest.point);
        self.edge(rest.whole, b'0', b'9', rest.whole);
        for state in [rest.point, rest.fraction] {
            self.edge(state, b'0', b'0', rest.point);
            self.edge(state, b'1', b'9', rest.fraction);
        }
        rest
    }
}

/// Returns the automaton that accepts the canonical texts of all numbers. It has seven states.
pub(super) fn every_number() -> Dfa {
    let mut states = States::default();
    let start = states.add(false);
    let (minus, zero, minus_zero) = (states.add(false), states.add(true), states.add(false));
    let rest = states.rest();
    states.edge(start, b'-', b'-', minus);
    states.edge(start, b'0', b'0', zero);
    states.edge(start, b'1', b'9', rest.whole);
    states.edge(minus, b'0', b'0', minus_zero);
    states.edge(minus, b'1', b'9', rest.whole);
    states.edge(zero, b'.', b'.', rest.point);
    states.edge(minus_zero, b'.', b'.', rest.point);
    Dfa { states: states.0 }
}

/// Returns the automaton of the canonical texts of all numbers that are at least `bound`, or greater than `bound` if
/// `exclusive`. `bound` must not be negative. The automaton has at most three states for each digit of the bound, and a
/// few more.
pub(super) fn from_bound(bound: &Decimal, exclusive: bool) -> Dfa {
    let (whole, fraction) = bound.parts();
    let mut states = States::default();
    let start = states.add(false);
    let rest = states.rest();

    // The state of texts that equal the bound so far, before the point.
    let mut tight = start;
    let (mut less, mut greater) = (None, None);
    for (index, &digit) in whole.iter().enumerate() {
        let last = index + 1 == whole.len();
        let next_tight = states.add(last && fraction.is_empty() && !exclusive);
        let next_less = states.add(false);
        let next_greater = if last { rest.whole } else { states.add(false) };
        let lowest = if index == 0 { b'1' } else { b'0' };
        // Edges are added in ascending order of digits. A bound below one begins with its zero.
        states.edge(tight, lowest, digit.saturating_sub(1), next_less);
        states.edge(tight, digit, digit, next_tight);
        states.edge(tight, digit + 1, b'9', next_greater);
        if let Some(less) = less.replace(next_less) {
            states.edge(less, b'0', b'9', next_less);
        }
        if let Some(greater) = greater.replace(next_greater) {
            states.edge(greater, b'0', b'9', next_greater);
        }
        tight = next_tight;
    }
    let point = if fraction.is_empty() { rest.point } else { states.add(false) };
    states.edge(tight, b'.', b'.', point);
    if whole != b"0" {
        // The number has one digit more than the bound, before the point.
        states.edge(tight, b'0', b'9', rest.whole);
        if let Some(less) = less {
            states.edge(less, b'0', b'9', rest.whole);
        }
    }

    let mut tight = point;
    for (index, &digit) in fraction.iter().enumerate() {
        let last = index + 1 == fraction.len();
        let next = states.add(last && !exclusive);
        states.edge(tight, digit, digit, next);
        states.edge(tight, digit + 1, b'9', rest.fraction);
        tight = next;
    }
    if !fraction.is_empty() {
        states.edge(tight, b'0', b'0', rest.point);
        states.edge(tight, b'1', b'9', rest.fraction);
    }
    Dfa { states: states.0 }
}

/// Returns the automaton of the texts of `dfa` after a minus sign.
pub(super) fn mirrored(dfa: Dfa) -> Dfa {
    let mut states = dfa.states;
    let positive = states[0].clone();
    let target = states.len() as u32;
    states.push(positive);
    let minus = Edge { lo: b'-'.into(), hi: b'-'.into(), target };
    states[0] = DfaState { edges: smallvec![minus], accepting: false };
    Dfa { states }
}
