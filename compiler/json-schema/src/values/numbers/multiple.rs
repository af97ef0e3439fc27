//! Builds the automaton of the multiples of a number, whose states are residues.
//!
//! The divisor is written as `k` times ten to the power `e`, where `k` does not end in a zero.
//!
//! - For a negative `e`, a multiple has at most `-e` digits after the point. All its digits, padded with zeros to that
//!   many after the point, are a multiple of `k`. After the point, a state is the number of remaining digits and their
//!   required value modulo `k`.
//! - For a positive `e`, a multiple ends in `e` zeros, and the digits before them are a multiple of `k`. The automaton
//!   counts zeros at the end instead of computing modulo the divisor, so 1,000,000 takes seven states.
//!
//! The *demand* of a residue on `n` digits is the value, modulo `k`, of `n` more digits that complete a multiple. There
//! is no demand if that value has more than `n` digits. Residues with equal demands for each `n` up to the length of
//! `k` are completed by the same digits, so they share one state. The divisor 1024 takes about a hundred states instead
//! of a thousand.

use rustc_hash::FxHashMap;

use grammarc_grammar::automata::{Dfa, DfaState, Edge, StateBudget, StateLimit};

use super::decimal::Decimal;

/// A state of the automaton of multiples: a summary of the digits read so far. `k` is the divisor without its powers of
/// ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// A state before the point. `class` is the index of a class of equivalent residues modulo `k`. The residue is that
    /// of the digits before the counted zeros. `zeros` counts zeros at the end, up to the number of zeros in which
    /// every multiple ends.
    Whole { class: u32, zeros: u32 },
    /// A state after the point. At most `remaining` digits may follow. Padded with zeros to that length, they must have
    /// the value `demand` modulo `k`.
    Fraction { remaining: u32, demand: u64 },
}

/// Returns an automaton of the texts of all multiples of `divisor`, which must not be zero. The automaton also accepts
/// texts that are not canonical: leading zeros, zeros at the end of a fraction, and `-0`. It is not minimal.
pub(super) fn residues(divisor: &Decimal, limit: StateBudget<'_>) -> Result<Dfa, StateLimit> {
    // If `k` exceeds 64 bits, there are more classes of residues than memory can hold.
    let (k, exponent) = divisor.coefficient().ok_or(limit.error())?;
    let (zeros, places) = (exponent.max(0) as u32, exponent.min(0).unsigned_abs());
    if (zeros as usize).max(places as usize) >= limit.states {
        return Err(limit.error());
    }
    let mut builder = Builder {
        modulus: u128::from(k),
        zeros,
        places,
        limit,
        classes: FxHashMap::default(),
        residues: Vec::new(),
        ids: FxHashMap::default(),
        order: Vec::new(),
    };
    builder.build()
}

/// An automaton of the multiples of a number under construction. Its states are classes of residues modulo `k`.
struct Builder<'a> {
    /// The number `k`: the divisor without its powers of ten.
    modulus: u128,
    /// Number of zeros in which every multiple ends.
    zeros: u32,
    /// Most digits of a multiple after the point.
    places: u32,
    /// The budget for states. The construction fails beyond.
    limit: StateBudget<'a>,
    /// Maps the demands of a residue to the index of its class. A demand is the value that a given number of further
    /// digits must have to complete a multiple.
    classes: FxHashMap<Box<[u64]>, u32>,
    /// For each class of residues, one residue of the class.
    residues: Vec<u128>,
    /// Maps the summary of each state to its id.
    ids: FxHashMap<Place, u32>,
    /// The summaries of the states, by id.
    order: Vec<Place>,
}

impl Builder<'_> {
    fn build(&mut self) -> Result<Dfa, StateLimit> {
        // The empty text counts as zero with all required zeros.
        let first = Place::Whole { class: self.class(0), zeros: self.zeros };
        self.state(first)?;
        let mut states = Vec::new();
        while let Some(&place) = self.order.get(states.len()) {
            states.push(self.expand(place)?);
        }
        let target = states.len() as u32;
        let unsigned = states[0].clone();
        states[0].edges.insert(0, Edge { lo: b'-'.into(), hi: b'-'.into(), target });
        states.push(unsigned);
        // The sign must not be accepted again when the start is reached again.
        for edge in states.iter_mut().flat_map(|state| &mut state.edges) {
            if edge.target == 0 {
                edge.target = target;
            }
        }
        Ok(Dfa { states })
    }

    /// Returns the edges of a state, and whether it accepts.
    fn expand(&mut self, place: Place) -> Result<DfaState, StateLimit> {
        let mut state = DfaState::default();
        if let Place::Whole { class, .. } = place
            && self.places > 0
        {
            let demand = self.demand(self.residues[class as usize], self.places);
            if let Some(target) = self.fraction(self.places, demand)? {
                state.add(Edge { lo: b'.'.into(), hi: b'.'.into(), target });
            }
        }
        for digit in 0..10u32 {
            if let Some(target) = self.digit(place, digit)? {
                let byte = u32::from(b'0') + digit;
                state.add(Edge { lo: byte, hi: byte, target });
            }
        }
        state.accepting = match place {
            Place::Whole { class, zeros } => {
                zeros == self.zeros && self.demand(self.residues[class as usize], self.places) == 0
            }
            Place::Fraction { demand, .. } => demand == 0,
        };
        Ok(state)
    }

    /// Returns the id of the state after a digit. `None` if no multiple continues with the digit.
    fn digit(&mut self, place: Place, digit: u32) -> Result<Option<u32>, StateLimit> {
        match place {
            Place::Whole { class, zeros } if digit == 0 && zeros < self.zeros => {
                self.state(Place::Whole { class, zeros: zeros + 1 }).map(Some)
            }
            Place::Whole { class, zeros } => {
                let moved = self.residues[class as usize] * self.power(zeros + 1);
                let (residue, zeros) = match digit {
                    // All required zeros are counted already, so one more zero is a digit before them.
                    0 => (self.residues[class as usize] * 10, zeros),
                    digit => (moved + u128::from(digit), 0),
                };
                let class = self.class(residue % self.modulus);
                self.state(Place::Whole { class, zeros }).map(Some)
            }
            Place::Fraction { remaining: 0, .. } => Ok(None),
            Place::Fraction { remaining, demand } => {
                let value = self.power(remaining - 1) * u128::from(digit) % self.modulus;
                let demand = (u128::from(demand) + self.modulus - value) % self.modulus;
                self.fraction(remaining - 1, demand)
            }
        }
    }

    /// Returns the id of the state after the point with `remaining` further digits of the value `demand` modulo `k`.
    /// `None` if so few digits cannot have that value.
    fn fraction(&mut self, remaining: u32, demand: u128) -> Result<Option<u32>, StateLimit> {
        if reach(remaining).is_some_and(|reach| demand >= reach) {
            return Ok(None);
        }
        self.state(Place::Fraction { remaining, demand: demand as u64 }).map(Some)
    }

    /// Returns the id of a state, which is added if it is new. Fails beyond the limit on states.
    fn state(&mut self, place: Place) -> Result<u32, StateLimit> {
        let next = self.order.len() as u32;
        let id = *self.ids.entry(place).or_insert(next);
        if id == next {
            if self.order.len() >= self.limit.states {
                return Err(self.limit.error());
            }
            self.order.push(place);
        }
        Ok(id)
    }

    /// Returns the index of the class of a residue modulo `k`. Residues share a class if, for every number of further
    /// digits, they demand the same value of these digits.
    fn class(&mut self, residue: u128) -> u32 {
        let mut demands = Vec::new();
        let mut digits = self.places;
        while let Some(reach) = reach(digits).filter(|&reach| reach < self.modulus) {
            let demand = self.demand(residue, digits);
            demands.push(if demand < reach { demand as u64 } else { u64::MAX });
            digits += 1;
        }
        // From this number of digits on every demand can be met, and each demand determines the next.
        demands.push(self.demand(residue, digits) as u64);
        let next = self.residues.len() as u32;
        let class = *self.classes.entry(demands.into()).or_insert(next);
        if class == next {
            self.residues.push(residue);
        }
        class
    }

    /// Returns the value, modulo `k`, that `digits` more digits must have to complete a multiple after digits with a
    /// residue.
    fn demand(&self, residue: u128, digits: u32) -> u128 {
        let moved = residue * self.power(digits) % self.modulus;
        (self.modulus - moved) % self.modulus
    }

    /// Returns ten to the power `exponent`, modulo `k`.
    fn power(&self, mut exponent: u32) -> u128 {
        let (mut result, mut base) = (1 % self.modulus, 10 % self.modulus);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * base % self.modulus;
            }
            base = base * base % self.modulus;
            exponent >>= 1;
        }
        result
    }
}

/// Returns ten to the power `digits`, the least number with more digits than that. Returns `None` if it exceeds 128
/// bits.
fn reach(digits: u32) -> Option<u128> {
    10u128.checked_pow(digits)
}
