//! The minimal automaton of the canonical texts of a set of numbers.
//!
//! Each number has one *canonical text*, such as `-12.5`. It has no leading zeros, no exponent, and no zeros at the end
//! of a fraction. It has a point only before a fraction, and is never `-0`.
//!
//! Cuts are the numbers at which the set changes. A *span* lies between two cuts, and is one Boolean combination of
//! sets of multiples there. Its automaton is the product of those of its bounds and of its divisors. The automaton of
//! the set is the union of those of its spans, with some numbers added or removed. Where a span has few multiples, they
//! are listed, because residues modulo several divisors multiply.
//!
//! Cost: O(states of the products). The result does not depend on what is listed.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::automata::{
    Dfa, DfaState, Edge, Nfa, StateBudget, StateLimit, difference, minimal, minimize,
    minimize_within,
};

use super::bound::{every_number, from_bound, mirrored};
use super::decimal::Decimal;
use super::divisor::Divisor;
use super::multiple;
use super::periodic::{Interval, Periodic};
use super::set::{Cut, NumberSet};

/// Most numbers of an interval that are listed one by one. With more, the automaton computes residues modulo the
/// divisors.
const LISTED: usize = 10_000;

/// The bytes of canonical texts.
const BYTES: &[u8; 12] = b"-.0123456789";

/// Takes the place of the state of an automaton that cannot read the text so far.
const DEAD: u32 = u32::MAX;

/// A lower or an upper bound of a span of numbers.
#[derive(Clone, Copy)]
struct Bound<'a> {
    /// The number that is the bound.
    at: &'a Decimal,
    /// Whether the bound itself is outside the span.
    exclusive: bool,
}

/// The numbers between two bounds that belong to one Boolean combination of sets of multiples.
struct Span<'a> {
    /// The lower bound. `None` if the span is not bounded below.
    low: Option<Bound<'a>>,
    /// The upper bound. `None` if the span is not bounded above.
    high: Option<Bound<'a>>,
    /// The combination of sets of multiples, such as the multiples of 2 without those of 3.
    set: &'a Periodic,
}

impl NumberSet {
    /// Returns the minimal automaton of the canonical texts of the numbers in the set.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the automaton of a divisor or a product of automata exceeds the budget `limit`.
    pub(crate) fn dfa(&self, limit: StateBudget<'_>) -> Result<Dfa, StateLimit> {
        let (first, cuts) = listed(self, limit)?;
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        let mut spans = Vec::new();
        let mut span = Span { low: None, high: None, set: &first };
        for cut in &cuts {
            let before = span.set.contains(&cut.at);
            if *span.set == cut.after {
                match cut.member {
                    true if !before => added.push(&cut.at),
                    false if before => removed.push(&cut.at),
                    _ => {}
                }
                continue;
            }
            let [left, right] = [before, cut.after.contains(&cut.at)].map(|has| has && cut.member);
            if cut.member && !left && !right {
                added.push(&cut.at);
            }
            spans.push(Span { high: Some(Bound { at: &cut.at, exclusive: !left }), ..span });
            let low = Some(Bound { at: &cut.at, exclusive: !right });
            span = Span { low, high: None, set: &cut.after };
        }
        spans.push(span);
        let spans = spans.iter().filter(|span| *span.set != Periodic::NONE);
        let mut parts = spans.map(|span| span.dfa(limit)).collect::<Result<Vec<_>, _>>()?;
        if !added.is_empty() {
            parts.push(texts(added));
        }
        let all = match parts.pop() {
            None => return Ok(Dfa::never()),
            Some(one) if parts.is_empty() => one,
            Some(last) => union(parts.iter().chain([&last]), limit)?,
        };
        if removed.is_empty() { Ok(all) } else { difference(&all, &texts(removed), limit) }
    }
}

/// Returns the set on the first interval of `set` and its cuts. The multiples of a divisor in an interval become cuts of
/// their own if they are few.
fn listed(set: &NumberSet, limit: StateBudget<'_>) -> Result<(Periodic, Vec<Cut>), StateLimit> {
    let mut cuts = Vec::new();
    let mut first = Periodic::NONE;
    let mut before: Option<&Cut> = None;
    for ((within, set), next) in set.intervals().zip(set.cuts().iter().map(Some).chain([None])) {
        let (rest, numbers) = few(set, within, limit)?;
        match before {
            None => first = rest.clone(),
            Some(Cut { at, member, .. }) => {
                cuts.push(Cut { at: at.clone(), member: *member, after: rest.clone() });
            }
        }
        let cut = |at| Cut { member: set.contains(&at), at, after: rest.clone() };
        cuts.extend(numbers.into_iter().map(cut));
        before = next;
    }
    Ok((first, cuts))
}

/// Returns a set without the divisors that have few multiples in an interval, and the numbers of the interval that are
/// in exactly one of both sets. Listing these numbers takes fewer states than residues modulo the divisors.
fn few(
    set: &Periodic,
    within: Interval<'_>,
    limit: StateBudget<'_>,
) -> Result<(Periodic, Vec<Decimal>), StateLimit> {
    let (Some(period), Some(low), Some(high)) = (set.period(), within.low, within.high) else {
        return Ok((set.clone(), Vec::new()));
    };
    let residues = usize::try_from(period.rest()).unwrap_or(usize::MAX);
    let digits = low.written().max(high.written()).max(1);
    let most = (limit.states / digits).min(residues).saturating_mul(8).min(LISTED);
    set.listed(within, most, limit)
}

impl Span<'_> {
    /// Returns the minimal automaton of the canonical texts of the span's numbers.
    fn dfa(&self, limit: StateBudget<'_>) -> Result<Dfa, StateLimit> {
        let mut parts = Vec::new();
        parts.extend(self.low.map(Bound::at_least));
        parts.extend(self.high.map(Bound::at_most));
        if parts.is_empty() {
            parts.push(every_number());
        }
        if parts.len() == 1 && self.set.is_constant() {
            return Ok(minimize(&parts[0]));
        }
        let bounds = parts.len();
        let generators = self.set.generators();
        for divisor in &generators {
            let residues = multiple::residues(&divisor.decimal(), limit)?;
            parts.push(minimize_within(&residues.trimmed(), limit)?);
        }
        let is_alive = |states: &[u32]| {
            let (bounds, divisors) = states.split_at(bounds);
            bounds.iter().all(|&state| state != DEAD)
                && (self.set.is_dense() || divisors.iter().any(|&state| state != DEAD))
        };
        product(&parts, limit, is_alive, |accepts| {
            let (bounds, divisors) = accepts.split_at(bounds);
            let divides = |divisor: &Divisor| {
                let mut factors = generators.iter().zip(divisors);
                factors.all(|(factor, &divides)| divides || !divisor.is_multiple_of(factor))
            };
            bounds.iter().all(|&accepts| accepts) && self.set.holds(divides)
        })
    }
}

impl Bound<'_> {
    /// Returns the automaton of the canonical texts of all numbers above the bound, and of the bound itself unless
    /// excluded.
    fn at_least(self) -> Dfa {
        match self.at.is_negative() {
            // All numbers except those below the bound.
            true => all_but(&mirrored(from_bound(&self.at.magnitude(), !self.exclusive))),
            false => from_bound(self.at, self.exclusive).trimmed(),
        }
    }

    /// Returns the automaton of the canonical texts of all numbers below the bound, and of the bound itself unless
    /// excluded.
    fn at_most(self) -> Dfa {
        match self.at.is_negative() {
            true => mirrored(from_bound(&self.at.magnitude(), self.exclusive)).trimmed(),
            false => all_but(&from_bound(self.at, !self.exclusive)),
        }
    }
}

/// Returns the minimal automaton of the texts that at least one of the automata accepts.
fn union<'a>(
    parts: impl Iterator<Item = &'a Dfa>,
    limit: StateBudget<'_>,
) -> Result<Dfa, StateLimit> {
    let mut nfa = Nfa::new();
    for part in parts {
        nfa.embed(part, nfa.start, nfa.end);
    }
    minimal(&nfa, limit)
}

/// Returns the automaton of the canonical texts of numbers, without the texts that `dfa` accepts.
fn all_but(dfa: &Dfa) -> Dfa {
    let others = difference(&every_number(), dfa, StateBudget::of(usize::MAX));
    others.expect("a product never has this many states")
}

/// Returns the minimal automaton of the canonical texts of the given numbers. Cost: O(digits of all numbers).
fn texts(values: Vec<&Decimal>) -> Dfa {
    let mut states = vec![DfaState::default()];
    for value in values {
        let mut at = 0;
        for byte in value.text().bytes().map(u32::from) {
            let edges = &states[at].edges;
            let place = edges.partition_point(|edge| edge.lo < byte);
            at = match edges.get(place) {
                Some(edge) if edge.lo == byte => edge.target as usize,
                _ => {
                    let target = states.len() as u32;
                    states[at].edges.insert(place, Edge { lo: byte, hi: byte, target });
                    states.push(DfaState::default());
                    target as usize
                }
            };
        }
        states[at].accepting = true;
    }
    minimize(&Dfa { states })
}

/// Returns the minimal product of several automata over the bytes of canonical texts. `is_alive` gets a state of each
/// automaton, or [`DEAD`]. States of the product for which it returns false are dropped. `is_member` gets whether each
/// automaton accepts a text, and returns whether the product does.
///
/// # Errors
///
/// [`StateLimit`] if the product exceeds the budget `limit`.
fn product(
    parts: &[Dfa],
    limit: StateBudget<'_>,
    is_alive: impl Fn(&[u32]) -> bool,
    is_member: impl Fn(&[bool]) -> bool,
) -> Result<Dfa, StateLimit> {
    let mut order: IndexSet<Box<[u32]>, FxBuildHasher> = IndexSet::default();
    order.insert(vec![0; parts.len()].into());
    let mut held = limit.held();
    let mut states: Vec<DfaState> = Vec::new();
    while let Some(tuple) = order.get_index(states.len()) {
        let tuple = tuple.clone();
        limit.spend(1 + BYTES.len() * parts.len())?;
        let accepts = |(part, &state): (&Dfa, &u32)| {
            part.states.get(state as usize).is_some_and(|state| state.accepting)
        };
        let accepts: Vec<bool> = parts.iter().zip(&tuple).map(accepts).collect();
        let mut state = DfaState { accepting: is_member(&accepts), ..DfaState::default() };
        for byte in BYTES.map(u32::from) {
            let next = |(part, &state): (&Dfa, &u32)| match state {
                DEAD => DEAD,
                state => part.next(state, byte).unwrap_or(DEAD),
            };
            let next: Box<[u32]> = parts.iter().zip(&tuple).map(next).collect();
            if is_alive(&next) {
                let target = order.insert_full(next).0 as u32;
                state.add(Edge { lo: byte, hi: byte, target });
            }
        }
        states.push(state);
        if order.len() > limit.states {
            return Err(limit.error());
        }
        if states.len().is_power_of_two() {
            let each = size_of::<DfaState>() + 4 * parts.len();
            limit.hold(&mut held, 2 * each * states.len())?;
        }
    }
    minimize_within(&Dfa { states }.trimmed(), limit)
}
