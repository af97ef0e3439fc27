//! Classes of equal states, settled from the end.
//!
//! D. Revuz, "Minimisation of acyclic deterministic automata in linear time", TCS 92(1), 1992: where the classes of all
//! targets are settled, equal states are those that accept alike and go on alike. States on a cycle come together,
//! after all that their cycle leads to:
//!
//! - among themselves they are told apart by colours that are refined round by round (E. F. Moore, 1956), as what they
//!   lead to outside is settled. A state that is alone with its colour equals no other; where none of the rest leads back
//!   to itself past such states, the rest is settled from the end as well: a long key takes a round for each byte otherwise;
//! - if one of them equals a state settled before, all do, each another: this is tried for settled states that do the
//!   same within a few symbols, by following both in step.
//!
//! Rules are nearly trees with short cycles, so the rounds are few. Where the work exceeds a multiple of the automaton's
//! size, this gives up and the general method of [`minimize`](super::minimize) is used.
//!
//! Ranges are compared as they are, and never cut into the pieces that all ranges of the automaton have in common: for
//! the keys of an object that may have other keys, every byte but for the next of a key, that is the difference between
//! the number of edges and its square.
//!
//! Nothing is left to a hash: colours that collide only cost, as classes are compared by what they stand for.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::{Dfa, DfaState, Edge};
use crate::graph::{by_component, components_by};
use crate::sequences::Sequences;

/// Edges looked at, as a multiple of the automaton's, before giving up.
const EFFORT: usize = 24;

/// Rounds after which it is first tried to settle the rest of a cycle from the end.
const ROUNDS: u32 = 2;

/// Symbols within which a cycle must do the same as a settled one to be compared with it.
const LOOK_AHEAD: usize = 3;

const UNSETTLED: u32 = u32::MAX;

/// For each state of a trimmed automaton the number of its class, where it is easily found.
pub(super) fn classes(dfa: &Dfa) -> Option<Vec<u32>> {
    let count = dfa.states.len();
    let successor = |state: usize, edge: usize| dfa.states[state].edges[edge].target as usize;
    let component = components_by(count, |state| dfa.states[state].edges.len(), successor);
    let order = by_component(&component);
    let edges: usize = dfa.states.iter().map(|state| state.edges.len()).sum();
    let mut settling = Settling {
        dfa,
        classes: vec![UNSETTLED; count],
        first: Vec::with_capacity(count),
        seen: Sequences::with_capacity(count),
        class_of: Vec::with_capacity(count),
        last: vec![UNSETTLED; count],
        before: vec![(0, UNSETTLED); count],
        cyclic: Vec::new(),
        colours: Vec::new(),
        places: vec![UNSETTLED; count],
        effort: EFFORT * (edges + count),
        words: Vec::new(),
    };
    for group in order.chunk_by(|&a, &b| component[a as usize] == component[b as usize]) {
        let loops = |state: u32| dfa.states[state as usize].edges.iter().any(|e| e.target == state);
        match group {
            &[state] if !loops(state) => settling.settle(state),
            cycle => settling.settle_cycle(cycle)?,
        }
    }
    Some(settling.classes)
}

struct Settling<'a> {
    dfa: &'a Dfa,
    classes: Vec<u32>,
    /// The first state of each class.
    first: Vec<u32>,
    /// What [`describe`] says of settled states, and the class of each.
    seen: Sequences,
    class_of: Vec<u32>,
    /// States that do nothing but go on with one byte, as most do, are found by where they go: by class, the last class
    /// of those that lead to it; and by class of such states, their byte and the class before with the same target.
    last: Vec<u32>,
    before: Vec<(u32, u32)>,
    /// Settled states of cycles, the first of each class.
    cyclic: Vec<u32>,
    /// What each state does with a few symbols; found when a second cycle is met.
    colours: Vec<u32>,
    /// By state, its place among those that an order is looked for.
    places: Vec<u32>,
    effort: usize,
    words: Vec<u32>,
}

impl Settling<'_> {
    /// Settles a state all targets of which are settled.
    fn settle(&mut self, state: u32) {
        let new = self.first.len() as u32;
        let class = self.class_like(state, new);
        if class == new {
            self.first.push(state);
        }
        self.classes[state as usize] = class;
    }

    /// The class of the settled states that do what a state does, which is `new` from now on where there are none.
    fn class_like(&mut self, state: u32, new: u32) -> u32 {
        let state = &self.dfa.states[state as usize];
        if let [Edge { lo: byte, hi, target }] = state.edges[..]
            && byte == hi
            && byte <= u32::from(u8::MAX)
            && !state.accepting
        {
            let last = &mut self.last[self.classes[target as usize] as usize];
            let mut at = *last;
            while at != UNSETTLED {
                let (other, before) = self.before[at as usize];
                if other == byte {
                    return at;
                }
                at = before;
            }
            self.before[new as usize] = (byte, std::mem::replace(last, new));
            return new;
        }
        self.words.clear();
        describe(state, &self.classes, &mut self.words);
        let number = self.seen.number(&self.words) as usize;
        if number == self.class_of.len() {
            self.class_of.push(new);
        }
        self.class_of[number]
    }

    /// Settles the states of a cycle, all other targets of which are settled.
    fn settle_cycle(&mut self, cycle: &[u32]) -> Option<()> {
        if self.colours.is_empty() && !self.cyclic.is_empty() {
            self.colours = look_ahead(self.dfa);
        }
        for at in 0..self.cyclic.len() {
            let other = self.cyclic[at];
            let alike = self.colours[other as usize] == self.colours[cycle[0] as usize];
            if alike && self.equals(cycle, other)? {
                return Some(());
            }
        }
        self.tell_apart(cycle)?;
        for &state in cycle {
            let class = self.classes[state as usize];
            if class as usize == self.first.len() {
                self.first.push(state);
                // It leads to a class of its own cycle, so that what it does is new.
                self.class_like(state, class);
                self.cyclic.push(state);
            }
        }
        Some(())
    }

    /// Gives the states of a cycle classes among themselves, from those settled on, in the order in which they are met. A
    /// state that is alone in its class stays so, and is not looked at again.
    fn tell_apart(&mut self, cycle: &[u32]) -> Option<()> {
        let first = self.first.len() as u32;
        let mut next = first;
        cycle.iter().for_each(|&state| self.classes[state as usize] = next);
        let mut numbers = Sequences::with_capacity(cycle.len());
        let mut sizes: Vec<u32> = Vec::with_capacity(cycle.len());
        // States that are not alone, each with its number in this round, and of how many classes they are.
        let mut rest: Vec<(u32, u32)> = cycle.iter().map(|&state| (state, 0)).collect();
        let (mut groups, mut round, mut try_at) = (0, 0, ROUNDS);
        while groups < rest.len() {
            if round == try_at {
                if let Some(order) = self.ends_first(&rest)? {
                    numbers.clear();
                    next += 1;
                    for state in order {
                        self.words.clear();
                        describe(&self.dfa.states[state as usize], &self.classes, &mut self.words);
                        self.classes[state as usize] = next + numbers.number(&self.words);
                    }
                    next += numbers.len() as u32 - 1;
                    break;
                }
                try_at *= 2;
            }
            round += 1;
            self.spend(rest.iter().map(|&(state, _)| state))?;
            numbers.clear();
            sizes.clear();
            for (state, number) in &mut rest {
                self.words.clear();
                self.words.push(self.classes[*state as usize]);
                describe(&self.dfa.states[*state as usize], &self.classes, &mut self.words);
                *number = numbers.number(&self.words);
                sizes.resize(numbers.len(), 0);
                sizes[*number as usize] += 1;
            }
            if numbers.len() == groups {
                break;
            }
            next += 1;
            rest.iter().for_each(|&(state, number)| self.classes[state as usize] = next + number);
            next += numbers.len() as u32 - 1;
            rest.retain(|&(_, number)| sizes[number as usize] > 1);
            groups = sizes.iter().filter(|&&size| size > 1).count();
        }
        let mut in_order = vec![UNSETTLED; (next - first + 1) as usize];
        let mut new = first;
        for &state in cycle {
            let class = &mut self.classes[state as usize];
            let number = &mut in_order[(*class - first) as usize];
            if *number == UNSETTLED {
                *number = new;
                new += 1;
            }
            *class = *number;
        }
        Some(())
    }

    /// Some states in an order in which each comes after all of them that it leads to, where there is one.
    fn ends_first(&mut self, states: &[(u32, u32)]) -> Option<Option<Vec<u32>>> {
        self.spend(states.iter().map(|&(state, _)| state))?;
        for (place, &(state, _)) in (0..).zip(states) {
            self.places[state as usize] = place;
        }
        let edges = |place: usize| &self.dfa.states[states[place].0 as usize].edges;
        let loops = |place| edges(place).iter().any(|edge| edge.target == states[place].0);
        // What leads out of them leads nowhere here.
        let successor = |place: usize, edge: usize| {
            let to = self.places[edges(place)[edge].target as usize];
            if to == UNSETTLED { place } else { to as usize }
        };
        let component = components_by(states.len(), |place| edges(place).len(), successor);
        let count = component.iter().max().map_or(0, |&last| last as usize + 1);
        let is_acyclic = count == states.len() && !(0..states.len()).any(loops);
        states.iter().for_each(|&(state, _)| self.places[state as usize] = UNSETTLED);
        let order = || by_component(&component).into_iter().map(|place| states[place as usize].0);
        Some(is_acyclic.then(|| order().collect()))
    }

    /// Whether the first state of a cycle equals a settled one; the cycle is settled accordingly if so.
    fn equals(&mut self, cycle: &[u32], other: u32) -> Option<bool> {
        self.spend(cycle.iter().copied())?;
        let mut pairs = vec![(cycle[0], self.classes[other as usize])];
        self.classes[cycle[0] as usize] = pairs[0].1;
        let mut at = 0;
        while at < pairs.len() {
            let (state, class) = pairs[at];
            at += 1;
            let settled = &self.dfa.states[self.first[class as usize] as usize];
            let state = &self.dfa.states[state as usize];
            let mut same = state.accepting == settled.accepting;
            same &= in_step(&state.edges, &settled.edges, |target, other| {
                let class = self.classes[other as usize];
                let known = &mut self.classes[target as usize];
                if *known == UNSETTLED {
                    *known = class;
                    pairs.push((target, class));
                }
                *known == class
            });
            if !same {
                cycle.iter().for_each(|&state| self.classes[state as usize] = UNSETTLED);
                return Some(false);
            }
        }
        Some(true)
    }

    fn spend(&mut self, states: impl Iterator<Item = u32>) -> Option<()> {
        let edges = states.map(|state| 1 + self.dfa.states[state as usize].edges.len());
        self.effort = self.effort.checked_sub(edges.sum())?;
        Some(())
    }
}

/// Whether two states go on with the same symbols, to targets that are the same for every symbol.
fn in_step(a: &[Edge], b: &[Edge], mut same: impl FnMut(u32, u32) -> bool) -> bool {
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    loop {
        match (a.peek_mut(), b.peek_mut()) {
            (None, None) => return true,
            (Some(x), Some(y)) if x.lo == y.lo && same(x.target, y.target) => {
                let end = x.hi.min(y.hi);
                (x.lo, y.lo) = (end + 1, end + 1);
                let (x, y) = (x.hi == end, y.hi == end);
                if x {
                    a.next();
                }
                if y {
                    b.next();
                }
            }
            _ => return false,
        }
    }
}

/// For each state a number that tells what it does with a few symbols: equal for equal states.
fn look_ahead(dfa: &Dfa) -> Vec<u32> {
    let mut colours: Vec<u32> = dfa.states.iter().map(|state| state.accepting.into()).collect();
    let mut words = Vec::new();
    for _ in 0..LOOK_AHEAD {
        let new = dfa.states.iter().map(|state| {
            words.clear();
            describe(state, &colours, &mut words);
            let mut hasher = FxHasher::default();
            words.iter().for_each(|&word| hasher.write_u32(word));
            (hasher.finish() >> 32) as u32
        });
        colours = new.collect();
    }
    colours
}

/// Whether a state accepts, and its edges with the classes of their targets, neighbours of one class joined.
fn describe(state: &DfaState, classes: &[u32], words: &mut Vec<u32>) {
    words.push(state.accepting.into());
    let from = words.len();
    for edge in &state.edges {
        let class = classes[edge.target as usize];
        match words[from..] {
            [.., hi, last] if last == class && hi + 1 == edge.lo => {
                let at = words.len() - 2;
                words[at] = edge.hi;
            }
            _ => words.extend([edge.lo, edge.hi, class]),
        }
    }
}
