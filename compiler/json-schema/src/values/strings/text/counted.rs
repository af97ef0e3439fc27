//! The expression graph of a language with bounds on the length that exclude some of its strings.
//!
//! Its states are pairs: a state of the automaton, and the number of characters before it. Most pairs need no further
//! counting. If any string may follow, a shared rule counts. If everything that may follow is within the bounds, the
//! graph without counts continues. A state with a loop, after which only one length is possible, becomes a repetition,
//! which the network counts in a register.
//!
//! So a bound costs no states for names excluded from a bounded string, or for `^[a-z][a-z0-9-]*$` of at most 65,535
//! characters. Only loops of another shape are counted in states, up to a limit.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::graph::Plain;
use super::rules::{StringRules, TextError};
use crate::options::Escapes;
use crate::values::strings::band::Band;
use crate::values::strings::lengths;
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::ir::{Expr, ExprGraph};

/// Estimated budget steps for an edge of the expression graph, which copies the texts of its characters.
const STEPS_AN_EDGE: usize = 1 << 6;

/// Returns the grammar expression of a band (a language with bounds on the length): its JSON texts after the opening
/// quote, with the closing one. Fails if counting takes more than `limit` states.
pub(super) fn counted<R: StringRules>(
    rules: &mut R,
    band: &Band,
    escapes: Escapes,
    alphabets: bool,
    limit: StateBudget<'_>,
) -> Result<Expr, TextError> {
    let rests = lengths::of_states(band.language.dfa());
    let none_met = vec![(u32::MAX, 0); rests.len()];
    let plain = Plain::new(rules, &band.language, escapes, alphabets);
    let mut counted = Counted {
        plain,
        band,
        rests,
        moves: FxHashMap::default(),
        numbers: [none_met.clone(), none_met],
        count: 0,
        queue: VecDeque::new(),
        closing: None,
    };
    counted.meet(0, 0, ExprGraph::START);
    while let Some((state, length, number)) = counted.queue.pop_front() {
        counted.build(state, length, number);
        let edges = counted.moves.get(&state).map_or(1, |moves| moves.len());
        if counted.count > limit.states || limit.spend(STEPS_AN_EDGE * edges).is_err() {
            let (count, limit) = (band.max.unwrap_or(band.min), limit.states);
            return Err(TextError::Counting { count, limit });
        }
    }
    Ok(counted.plain.complete())
}

/// The expression graph of a band (a language with bounds on the length) under construction.
struct Counted<'a, R> {
    /// The expression graph. Automaton states that need no count of characters are added to it directly.
    plain: Plain<'a, R>,
    /// The band: a language and bounds on the length.
    band: &'a Band,
    /// For each state of the automaton, the lengths in characters of its shortest and longest continuation; the longest
    /// is `None` if unbounded.
    rests: Vec<(u32, Option<u32>)>,
    /// Maps each visited state of the automaton to its transitions.
    moves: FxHashMap<u32, Rc<[Move]>>,
    /// For each state of the automaton, its newest pair: the number of characters, and the state of the graph. There is
    /// one table for even and one for odd numbers. Pairs are built by ascending number, and lead at most to the next
    /// number.
    numbers: [Vec<(u32, u32)>; 2],
    /// The number of pairs of an automaton state and a number of characters that were added to `queue` so far. Counting
    /// fails if the limit on states is exceeded.
    count: usize,
    /// Worklist of pairs: state of the automaton, number of characters, state of the graph.
    queue: VecDeque<(u32, u32, u32)>,
    /// The graph state before the closing quote, created on first use.
    closing: Option<u32>,
}

/// A transition of the automaton over one character: the target state, and the grammar expression of the characters.
type Move = (u32, Expr);

/// Inclusive bounds on the number of characters that may still follow: least and most, the latter `None` if unbounded.
type Left = (u32, Option<u32>);

impl<R: StringRules> Counted<'_, R> {
    /// Returns the bounds on the number of characters that may follow after `length` characters.
    fn left(&self, length: u32) -> Left {
        (self.band.min.saturating_sub(length), self.band.max.map(|max| max.saturating_sub(length)))
    }

    /// Adds the pair of an automaton state and `length` characters to the worklist. `number` is its graph state.
    fn meet(&mut self, state: u32, length: u32, number: u32) {
        self.numbers[length as usize % 2][state as usize] = (length, number);
        self.queue.push_back((state, length, number));
        self.count += 1;
    }

    /// Adds the edges of the graph state `from`, which belongs to a pair of an automaton state and a number of
    /// characters.
    fn build(&mut self, state: u32, length: u32, from: u32) {
        let Plain { characters, speller, .. } = &mut self.plain;
        let moves = self.moves.entry(state).or_insert_with(|| {
            let moves = characters.moves(state).into_iter();
            moves.map(|(target, ranges)| (target, speller.expr(&ranges))).collect()
        });
        let moves = Rc::clone(moves);
        if let Some(class) = self.loop_of(state, &moves) {
            self.repeat(from, state, length, class, &moves);
            return;
        }
        let accepting = self.plain.language.dfa().states[state as usize].accepting;
        if accepting && self.left(length).0 == 0 {
            self.plain.close(from);
        }
        if self.band.max == Some(length) {
            return;
        }
        // If the minimum length is reached and there is no maximum, nothing is left to count.
        let next = match self.band.max {
            Some(_) => length + 1,
            None => (length + 1).min(self.band.min),
        };
        for (target, expr) in moves.iter() {
            self.edge(from, expr.clone(), *target, next);
        }
    }

    /// Adds an edge to the graph state of the pair of an automaton state and `length` characters, if a continuation
    /// within the bounds exists.
    fn edge(&mut self, from: u32, expr: Expr, state: u32, length: u32) {
        let (min, max) = self.left(length);
        let (shortest, longest) = self.rests[state as usize];
        if max.is_some_and(|max| shortest > max) || longest.is_some_and(|longest| longest < min) {
            return;
        }
        let bounded = match (max, longest) {
            (None, _) => true,
            (Some(max), Some(longest)) => longest <= max,
            (Some(_), None) => false,
        };
        if shortest >= min && bounded {
            self.plain.edge(from, expr, state);
            return;
        }
        if self.plain.language.universal() == Some(state) {
            let (rest, to) = match (min, max) {
                (min, None) => (self.plain.rules.counted_tail(min, None), self.plain.graph.end()),
                // The text after these characters is the same for every number within the bounds.
                (min, Some(max)) => (self.plain.rules.characters(min, max), self.closing()),
            };
            self.plain.graph.edge(from, Expr::seq([expr, rest]), to);
            return;
        }
        let to = match self.numbers[length as usize % 2][state as usize] {
            (met, to) if met == length => to,
            _ => {
                let to = self.plain.graph.state();
                self.meet(state, length, to);
                to
            }
        };
        self.plain.graph.edge(from, expr, to);
    }

    /// Returns the state of the expression graph before the closing quote of the string, and adds it on first use.
    fn closing(&mut self) -> u32 {
        *self.closing.get_or_insert_with(|| {
            let closing = self.plain.graph.state();
            self.plain.close(closing);
            closing
        })
    }

    /// Returns the grammar expression of the characters in the loop of an automaton state. Returns `None` unless the
    /// state has a loop, and every other transition has continuations of a single length.
    fn loop_of<'m>(&self, state: u32, moves: &'m [Move]) -> Option<&'m Expr> {
        let fixed = |(target, _): &Move| {
            let (shortest, longest) = self.rests[*target as usize];
            *target == state || longest == Some(shortest)
        };
        let own = moves.iter().find(|(target, _)| *target == state)?;
        moves.iter().all(fixed).then_some(&own.1)
    }

    /// Adds the loop of an automaton state to the graph as repetitions. Each transition out of the loop follows as many
    /// rounds as the bounds on the length allow for it.
    fn repeat(&mut self, from: u32, state: u32, length: u32, class: &Expr, moves: &[Move]) {
        let (min, max) = self.left(length);
        if self.plain.language.dfa().states[state as usize].accepting {
            let rounds = class.clone().repeat(min, max);
            let end = self.plain.graph.end();
            self.plain.graph.edge(from, Expr::seq([rounds, Expr::byte(b'"')]), end);
        }
        for (target, exit) in moves.iter().filter(|(target, _)| *target != state) {
            let behind = self.rests[*target as usize].0.saturating_add(1);
            if max.is_some_and(|max| max < behind) {
                continue;
            }
            let max = max.map(|max| max - behind);
            let rounds = class.clone().repeat(min.saturating_sub(behind), max);
            self.plain.edge(from, Expr::seq([rounds, exit.clone()]), *target);
        }
    }
}
