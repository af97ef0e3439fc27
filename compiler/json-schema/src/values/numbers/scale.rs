//! Multiplies or divides all numbers of a set by a power of ten: the point of every text moves.
//!
//! The point moves one digit at a time. Multiplying moves the first digit of the fraction before the point; without a
//! fraction, a zero is appended. Each step determinizes an automaton whose size is a small multiple of the size of the
//! set's automaton.

use grammarc_grammar::automata::{Dfa, Nfa, StateBudget, StateLimit, determinize};

use super::set::NumberSet;

impl NumberSet {
    /// Returns the set of the numbers of this set, each multiplied by ten to the power `power`.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if an intermediate automaton has more than `limit` states.
    pub(crate) fn scaled(&self, power: i32, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        let mut set = self.clone();
        for _ in 0..power.unsigned_abs() {
            let next = set.scaled_once(power > 0, limit)?;
            if next == set {
                break;
            }
            set = next;
        }
        Ok(set)
    }

    /// Returns the set of the numbers of this set, each multiplied by ten (`up`) or divided by ten.
    fn scaled_once(&self, up: bool, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        let nfa = if up { times_ten(self.dfa()) } else { over_ten(self.dfa()) };
        Self::canonical(&determinize(&nfa, limit)?, limit)
    }
}

/// A copy of an automaton's states inside a nondeterministic automaton.
struct Copy<'a> {
    /// The deterministic automaton that is copied.
    dfa: &'a Dfa,
    /// Number of the copy's first state in the nondeterministic automaton.
    base: u32,
}

impl<'a> Copy<'a> {
    /// Adds a copy of an automaton's states to a nondeterministic automaton, without edges.
    fn new(nfa: &mut Nfa, dfa: &'a Dfa) -> Self {
        let base = nfa.len() as u32;
        for _ in &dfa.states {
            nfa.state();
        }
        Self { dfa, base }
    }

    /// Adds a copy of an automaton to a nondeterministic automaton, with edges. Accepting states of the copy lead to
    /// the end.
    fn whole(nfa: &mut Nfa, dfa: &'a Dfa) -> Self {
        let copy = Self::new(nfa, dfa);
        copy.edges(nfa, |_| true);
        for (index, state) in (0..).zip(&dfa.states) {
            if state.accepting {
                nfa.empty(copy.at(index), nfa.end);
            }
        }
        copy
    }

    /// Returns the number of a copied state in the nondeterministic automaton.
    fn at(&self, state: u32) -> u32 {
        self.base + state
    }

    /// Adds those edges of the copied automaton whose lowest byte satisfies `keep`.
    fn edges(&self, nfa: &mut Nfa, keep: impl Fn(u32) -> bool) {
        for (index, state) in (0..).zip(&self.dfa.states) {
            for edge in state.edges.iter().filter(|edge| keep(edge.lo)) {
                nfa.edge(self.at(index), edge.lo, edge.hi, self.at(edge.target));
            }
        }
    }
}

/// The byte of the minus sign.
const MINUS: u32 = b'-' as u32;
/// The byte of the decimal point.
const POINT: u32 = b'.' as u32;
/// The byte of the digit 0.
const ZERO: u32 = b'0' as u32;

/// Returns the states of an automaton of numbers before the first digit: the start, and the state after a minus sign.
fn heads(dfa: &Dfa) -> impl Iterator<Item = u32> {
    [Some(0), dfa.next(0, MINUS)].into_iter().flatten()
}

/// Returns whether a state exists and accepts.
fn accepts(dfa: &Dfa, state: Option<u32>) -> bool {
    state.is_some_and(|state| dfa.states[state as usize].accepting)
}

/// Returns an automaton of the texts whose value divided by ten is in the set, and of some texts that are not
/// canonical.
fn times_ten(dfa: &Dfa) -> Nfa {
    let mut nfa = Nfa::new();
    let before = Copy::new(&mut nfa, dfa);
    before.edges(&mut nfa, |byte| byte != POINT);
    nfa.empty(nfa.start, before.at(0));
    // The last digit before the point is read; it is the first digit of the member's fraction.
    let moved = Copy::new(&mut nfa, dfa);
    let after = Copy::whole(&mut nfa, dfa);
    for (index, state) in (0..).zip(&dfa.states) {
        nfa.edge(moved.at(index), POINT, POINT, after.at(index));
        if state.accepting {
            nfa.empty(moved.at(index), nfa.end);
        }
    }
    let mut last_digit = |from: u32, whole: Option<u32>| {
        let fraction = whole.and_then(|whole| dfa.next(whole, POINT));
        for digit in ZERO..ZERO + 10 {
            if let Some(to) = fraction.and_then(|fraction| dfa.next(fraction, digit)) {
                nfa.edge(before.at(from), digit, digit, moved.at(to));
            }
        }
        if accepts(dfa, whole) {
            nfa.edge(before.at(from), ZERO, ZERO, nfa.end);
        }
    };
    for head in heads(dfa) {
        last_digit(head, dfa.next(head, ZERO));
    }
    for index in 0..dfa.states.len() as u32 {
        last_digit(index, Some(index));
    }
    nfa
}

/// Returns an automaton of the texts whose value times ten is in the set, and of some texts that are not canonical.
fn over_ten(dfa: &Dfa) -> Nfa {
    let mut nfa = Nfa::new();
    let before = Copy::new(&mut nfa, dfa);
    before.edges(&mut nfa, |byte| byte != POINT);
    nfa.empty(nfa.start, before.at(0));
    // The first digit of the fraction is read; it is the member's last digit before the point.
    let moved = Copy::new(&mut nfa, dfa);
    let after = Copy::whole(&mut nfa, dfa);
    for (index, state) in (0..).zip(&dfa.states) {
        if state.accepting {
            nfa.empty(moved.at(index), nfa.end);
        }
        let Some(fraction) = dfa.next(index, POINT) else { continue };
        for edge in &dfa.states[fraction as usize].edges {
            nfa.edge(moved.at(index), edge.lo, edge.hi, after.at(edge.target));
        }
    }
    for index in 0..dfa.states.len() as u32 {
        // The member is an integer with one zero more.
        if accepts(dfa, dfa.next(index, ZERO)) {
            nfa.empty(before.at(index), nfa.end);
        }
        let point = nfa.state();
        nfa.edge(before.at(index), POINT, POINT, point);
        for edge in dfa.states[index as usize].edges.iter().filter(|edge| edge.lo >= ZERO) {
            nfa.edge(point, edge.lo, edge.hi, moved.at(edge.target));
        }
    }
    for head in heads(dfa) {
        // For a value below one, the member has the next digit in place of the zero before the point. Zero itself
        // stays.
        let zero = nfa.state();
        nfa.edge(before.at(head), ZERO, ZERO, zero);
        let point = nfa.state();
        nfa.edge(zero, POINT, POINT, point);
        for edge in dfa.states[head as usize].edges.iter().filter(|edge| edge.lo >= ZERO) {
            nfa.edge(point, edge.lo, edge.hi, moved.at(edge.target));
        }
        if accepts(dfa, dfa.next(head, ZERO)) {
            nfa.empty(zero, nfa.end);
        }
    }
    nfa
}
