//! The proof that near-bound masks of several counters may be intersected: near all bounds, the
//! rule allows exactly the texts that it allows near each bound.
//!
//! The mask near one bound is computed as if all other counters had many increments left. Consider
//! a place (states with counts) that is far from the bounds of two counters. A text leads from it
//! to four places. In the first, both counters stay far. In the second, only the first counter has
//! run out; in the third, only the second; in the fourth, both. The fourth place must continue if
//! and only if the second and the third do. Running out may change where a text ends only by not
//! continuing. Then a token that leaves the rule leaves it in all four places, and the follow masks
//! intersect as well.
//!
//! The check visits all such tuples of places that a text leads to. Few counts are exact, so the
//! tuples are few.
//!
//! Cost: O(tuples times edges of their places).

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::explore::{Arrived, Change, Explored, change_of};
use super::refused::Refused;
use super::zones::Zones;
use crate::automata::{StateBudget, Symbol};

/// Steps of a budget that the check of one tuple of places (sets of states with counts) costs,
/// about.
const STEPS_A_TUPLE: usize = 1 << 5;

/// The places (sets of states with counts) to which one text leads. They differ in which near-bound
/// counters are assumed to have run out.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Tuple {
    /// The place (set of states with counts) where all near-bound counters stay far.
    far: usize,
    /// For each near-bound counter, the place (set of states with counts) where that counter alone
    /// may have run out. Equals `far` while the counter has not.
    each: SmallVec<[usize; 2]>,
    /// The place (set of states with counts) where every counter has run out that has run out in
    /// `each`.
    all: usize,
    /// Bit set of the near-bound counters (their masks depend on the count) that may still run out,
    /// by their index in `each`.
    open: u32,
}

/// Checks the tuples of places (sets of states with counts) that texts lead to. A tuple starts at a
/// live place in which at least two near-bound counters are far. `alive` says for each place whether
/// the place is live.
///
/// # Errors
///
/// [`Refused::NearBound`] or [`Refused::Unrolled`] if the masks may not be intersected.
/// [`Refused::Limit`] if the budget is spent.
pub(super) fn check(
    zones: &Zones,
    explored: &Explored,
    alive: &[bool],
    allowed: StateBudget<'_>,
) -> Result<(), Refused> {
    let near_bound = zones.near_bound();
    if near_bound.len() < 2 {
        return Ok(());
    }
    let walk = Walk { near_bound, explored, alive };
    let mut open: Vec<Tuple> = Vec::new();
    let mut seen: FxHashSet<Tuple> = FxHashSet::default();
    for far in (0..explored.len()).filter(|&place| alive[place]) {
        let bits =
            (0..).zip(near_bound).filter(|(_, counter)| explored.place(far).is_far(**counter));
        let bits = bits.fold(0, |bits: u32, (at, _): (u32, _)| bits | 1 << at);
        if bits.count_ones() > 1 {
            let each = near_bound.iter().map(|_| far).collect();
            open.push(Tuple { far, each, all: far, open: bits });
        }
    }
    while let Some(tuple) = open.pop() {
        if !seen.insert(tuple.clone()) {
            continue;
        }
        if allowed.spend(STEPS_A_TUPLE + explored.edges[tuple.far].len()).is_err() {
            return Err(Refused::Limit);
        }
        walk.step(&tuple, &mut open)?;
    }
    Ok(())
}

/// The inputs of the check. `near_bound` lists the near-bound counters, and `alive` says for each
/// place (set of states with counts) whether it is live.
struct Walk<'a> {
    near_bound: &'a [usize],
    explored: &'a Explored,
    alive: &'a [bool],
}

impl Walk<'_> {
    /// Checks that the places (sets of states with counts) of a tuple agree on acceptance, and adds
    /// the tuple's successors to the worklist `open`.
    fn step(&self, tuple: &Tuple, open: &mut Vec<Tuple>) -> Result<(), Refused> {
        let accepting = &self.explored.accepting;
        for (&counter, &place) in self.near_bound.iter().zip(&tuple.each) {
            if accepting[place] != accepting[tuple.far] {
                return Err(Refused::NearBound(counter));
            }
        }
        if accepting[tuple.all] != accepting[tuple.far] {
            return Err(Refused::Unrolled);
        }
        let places = || tuple.each.iter().chain([&tuple.far, &tuple.all]);
        let edges = places().flat_map(|&place| &self.explored.edges[place]);
        let mut bounds: Vec<Symbol> = edges.flat_map(|(lo, hi, _)| [*lo, *hi + 1]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        for &symbol in &bounds {
            self.on(tuple, symbol, open)?;
        }
        Ok(())
    }

    /// Returns the arrival to which a symbol leads from a place (set of states with counts).
    /// Returns `None` without an edge on the symbol, or if its target is not live.
    fn arrival(&self, place: usize, symbol: Symbol) -> Option<&Arrived> {
        let edges = &self.explored.edges[place];
        let (lo, _, arrived) = edges.get(edges.partition_point(|(_, hi, _)| *hi < symbol))?;
        (*lo <= symbol && self.alive[arrived.0]).then_some(arrived)
    }

    /// Checks a tuple on one symbol, and adds its successors to the worklist `open`.
    fn on(&self, tuple: &Tuple, symbol: Symbol, open: &mut Vec<Tuple>) -> Result<(), Refused> {
        let all = self.arrival(tuple.all, symbol);
        let each: SmallVec<[_; 2]> =
            tuple.each.iter().map(|&place| self.arrival(place, symbol)).collect();
        let Some((far, changes)) = self.arrival(tuple.far, symbol) else {
            let live = (0..each.len()).find(|&at| each[at].is_some());
            return match (live, all) {
                (None, None) => Ok(()),
                (Some(at), _) => Err(Refused::NearBound(self.near_bound[at])),
                (None, Some(_)) => Err(Refused::Unrolled),
            };
        };
        let each: Option<SmallVec<[&Arrived; 2]>> = each.into_iter().collect();
        let (Some(each), Some(all)) = (&each, all) else {
            return match each.is_some() || all.is_some() {
                true => Err(Refused::Unrolled),
                false => Ok(()),
            };
        };
        // Bit sets of the counters that may run out on this symbol (`may`), and of those that are
        // set and can no longer run out (`closed`).
        let (mut may, mut closed) = (0, 0);
        for (at, &counter) in self.near_bound.iter().enumerate() {
            let change = change_of(changes, counter);
            let has_run_out = tuple.open >> at & 1 == 0 && tuple.each[at] != tuple.far;
            match change {
                Some(Change::Set(_)) => {
                    closed |= 1 << at;
                    if each[at].0 != *far {
                        return Err(Refused::NearBound(counter));
                    }
                }
                Some(Change::Increment) if tuple.open >> at & 1 != 0 => may |= 1 << at,
                _ => {}
            }
            let is_exempt = has_run_out && !matches!(change, Some(Change::Set(_)));
            if !is_exempt && change_of(&all.1, counter) != change {
                return Err(Refused::Unrolled);
            }
        }
        // Enumerates each subset of `may`: the counters that run out on this symbol.
        let mut gone: u32 = may;
        loop {
            let mut next = Tuple {
                far: *far,
                each: each.iter().map(|arrived| arrived.0).collect(),
                all: all.0,
                open: tuple.open & !closed & !gone,
            };
            for (at, &counter) in self.near_bound.iter().enumerate() {
                if gone >> at & 1 != 0 {
                    let exit = |place: usize| {
                        self.explored.exits[place][counter].ok_or(Refused::NearBound(counter))
                    };
                    next.each[at] = exit(next.each[at])?;
                    next.all = exit(next.all)?;
                }
            }
            self.add(next, open)?;
            if gone == 0 {
                return Ok(());
            }
            gone = (gone - 1) & may;
        }
    }

    /// Adds a tuple to the worklist, unless its places are all equal and no counter may run out any
    /// more. Skips the tuple if `all` and some place of `each` are not live.
    ///
    /// # Errors
    ///
    /// [`Refused::Unrolled`] if `all` is live and some place of `each` is not, or if all of `each`
    /// are live and `all` is not.
    fn add(&self, tuple: Tuple, open: &mut Vec<Tuple>) -> Result<(), Refused> {
        let each = tuple.each.iter().all(|&place| self.alive[place]);
        match (each, self.alive[tuple.all]) {
            (true, true) if tuple.open == 0 && is_one(&tuple) => Ok(()),
            (true, true) => {
                open.push(tuple);
                Ok(())
            }
            (false, false) => Ok(()),
            _ => Err(Refused::Unrolled),
        }
    }
}

/// Whether all places (sets of states with counts) of a tuple are the same place.
fn is_one(tuple: &Tuple) -> bool {
    tuple.all == tuple.far && tuple.each.iter().all(|&place| place == tuple.far)
}
