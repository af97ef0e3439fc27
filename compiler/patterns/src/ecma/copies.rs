//! Builds position automata without counters, in which the body of each repetition is copied.
//!
//! Such an automaton is built if the deterministic one of a pattern is too large, as for `a.{100}b`. A *position* ([`Place`]) is an
//! occurrence of a class in the pattern with its copies. A graph over positions is built first, with empty transitions
//! and guards (Thompson's construction). A transition between two positions then stands for the paths of empty
//! transitions between them.
//!
//! A guard may depend on the characters before and after it: `^`, `$`, `\b`, and a lookahead or lookbehind of one class.
//! Each class is split into parts on which all guards agree. So a guard between two positions holds for all of their
//! characters or for none.
//!
//! Cost: O(positions times the states that empty transitions lead to), with at most [`MOST_PLACES`] positions.

use std::collections::VecDeque;

use indexmap::IndexSet;
use regex_syntax::hir::ClassUnicode;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::class::{Meaning, any};
use super::counted::{CountedPattern, Place, Way};
use super::lengths;
use super::node::Node;
use grammarc_grammar::graph::Lists;

/// Most positions of the automaton. A pattern with more has no such automaton.
const MOST_PLACES: usize = 1 << 12;
/// Most transitions of the automaton. A pattern with more has no such automaton.
const MOST_WAYS: usize = 1 << 16;
/// Most nodes of the syntax tree that are visited, counting each copy of a repetition's body. A pattern with more has
/// no such automaton.
const MOST_PARTS: usize = 1 << 13;
/// Most classes that guards depend on. A pattern with more has no such automaton.
const MOST_TESTED: usize = 8;

/// Builds the position automaton of the texts that contain a match of a syntax tree. `None` if it would be too large,
/// if there is a lookahead or lookbehind of more than one class, or if no text matches.
pub(super) fn copied(node: &Node) -> Option<CountedPattern> {
    let mut graph = Graph::default();
    let [start, entry, end] = [graph.state(), graph.state(), graph.state()];
    graph.reads(start, any(), start)?;
    graph.states[start as usize].empty.push((None, entry));
    graph.node(node, entry, end)?;
    graph.reads(end, any(), end)?;
    let ends = match node {
        Node::Seq(parts) => matches!(&parts[..], [Node::Start, .., Node::End]),
        _ => false,
    };
    let longest = if ends { lengths::of(node).longest } else { None };
    let pattern = Positions::new(graph, end)?.pattern()?;
    pattern.trimmed().with_lengths(longest).filter(|pattern| !pattern.is_never())
}

/// The condition under which an empty transition may be taken. `class` is the index of a tested class.
#[derive(Clone, Copy)]
enum Guard {
    Start,
    End,
    /// The next character is in the class, or with `negative` it is not.
    Next {
        class: usize,
        negative: bool,
    },
    /// The character before is in the class, or with `negative` it is not.
    Previous {
        class: usize,
        negative: bool,
    },
    /// The class has exactly one of the characters before and after the position. With `negative`, both or neither.
    Boundary {
        class: usize,
        negative: bool,
    },
}

/// A state of a [`Graph`].
#[derive(Default)]
struct State {
    /// The transitions that read nothing: their guards and targets.
    empty: Vec<(Option<Guard>, u32)>,
    /// The transitions that read a character of a class, and their targets.
    reads: Vec<(ClassUnicode, u32)>,
}

/// A syntax tree as a graph with empty transitions (Thompson's construction).
#[derive(Default)]
struct Graph {
    states: Vec<State>,
    /// The classes that guards depend on.
    tested: Vec<ClassUnicode>,
    /// The number of transitions that read a character.
    reads: usize,
    /// The number of nodes of the syntax tree visited so far.
    parts: usize,
}

impl Graph {
    fn state(&mut self) -> u32 {
        self.states.push(State::default());
        self.states.len() as u32 - 1
    }

    /// Adds a transition that reads a character. `None` if there are too many.
    fn reads(&mut self, from: u32, class: ClassUnicode, to: u32) -> Option<()> {
        self.reads += 1;
        self.states[from as usize].reads.push((class, to));
        (self.reads <= MOST_PLACES).then_some(())
    }

    fn empty(&mut self, from: u32, guard: Option<Guard>, to: u32) {
        self.states[from as usize].empty.push((guard, to));
    }

    /// Returns the index of a tested class, and adds it if it is new. `None` if there are too many.
    fn tested(&mut self, class: ClassUnicode) -> Option<usize> {
        let known = self.tested.iter().position(|known| *known == class);
        let index = known.unwrap_or(self.tested.len());
        if known.is_none() {
            self.tested.push(class);
        }
        (self.tested.len() <= MOST_TESTED).then_some(index)
    }

    /// Adds a syntax tree between two states. `None` if a limit is exceeded, or a lookahead or lookbehind has more than
    /// one class.
    fn node(&mut self, node: &Node, from: u32, to: u32) -> Option<()> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return None;
        }
        match node {
            Node::Class(class) => self.reads(from, class.clone(), to)?,
            Node::Seq(parts) => {
                let mut at = from;
                for part in parts {
                    let next = self.state();
                    self.node(part, at, next)?;
                    at = next;
                }
                self.empty(at, None, to);
            }
            Node::Alt(choices) => {
                for choice in choices {
                    self.node(choice, from, to)?;
                }
            }
            Node::Repeat { body, min, max } => self.repeat(body, *min, *max, from, to)?,
            Node::Start => self.empty(from, Some(Guard::Start), to),
            Node::End => self.empty(from, Some(Guard::End), to),
            Node::WordBoundary { negative } => {
                let class = self.tested(Meaning::Ecma.word(false))?;
                self.empty(from, Some(Guard::Boundary { class, negative: *negative }), to);
            }
            Node::Look { behind, negative, body } => {
                let (class, negative) = (self.tested(one_class(body)?.clone())?, *negative);
                let guard = match behind {
                    true => Guard::Previous { class, negative },
                    false => Guard::Next { class, negative },
                };
                self.empty(from, Some(guard), to);
            }
        }
        Some(())
    }

    /// Returns for each state whether empty transitions lead to it after a guard, and whether they lead from it to a
    /// guard. O(states and transitions).
    fn near_guards(&self) -> [Vec<bool>; 2] {
        let empties = || {
            (0..).zip(&self.states).flat_map(|(from, state): (u32, _)| {
                state.empty.iter().map(move |&(guard, to)| (from, guard.is_some(), to))
            })
        };
        let guards = || empties().filter(|empty| empty.1);
        let count = self.states.len();
        let forward = Lists::of_pairs(count, empties().map(|(from, _, to)| (from, to)));
        let backward = Lists::of_pairs(count, empties().map(|(from, _, to)| (to, from)));
        let flags = |states: Vec<u32>| {
            let mut flags = vec![false; count];
            states.into_iter().for_each(|state| flags[state as usize] = true);
            flags
        };
        let after = forward.reachable(guards().map(|guard| guard.2));
        let before = backward.reachable(guards().map(|guard| guard.0));
        [flags(after), flags(before)]
    }

    /// Adds the copies of a repetition's body between two states.
    fn repeat(
        &mut self,
        body: &Node,
        min: u32,
        max: Option<u32>,
        from: u32,
        to: u32,
    ) -> Option<()> {
        let mut at = self.state();
        self.empty(from, None, at);
        for _ in 0..min {
            let next = self.state();
            self.node(body, at, next)?;
            at = next;
        }
        match max {
            None => {
                let looped = self.state();
                self.empty(at, None, looped);
                self.node(body, looped, looped)?;
                at = looped;
            }
            Some(max) => {
                for _ in 0..max.checked_sub(min)? {
                    self.empty(at, None, to);
                    let next = self.state();
                    self.node(body, at, next)?;
                    at = next;
                }
            }
        }
        self.empty(at, None, to);
        Some(())
    }
}

/// Returns the class of a syntax tree that matches one character. `None` for other trees.
fn one_class(mut node: &Node) -> Option<&ClassUnicode> {
    loop {
        match node {
            Node::Class(class) => return Some(class),
            Node::Seq(parts) | Node::Alt(parts) => match &parts[..] {
                [one] => node = one,
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// A part of an occurrence of a class, on which all guards agree.
struct Piece {
    class: ClassUnicode,
    /// The tested classes that contain the characters, as a bit set.
    within: u32,
    /// The state after a character of the class.
    to: u32,
}

/// The requirements of guards on the next character: the tested classes that contain it, and those that do not. Both are
/// bit sets. If `is_end`, the text must end instead.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Next {
    inside: u32,
    outside: u32,
    is_end: bool,
}

impl Next {
    /// Adds the requirement of a guard, given the tested classes of the character before; `before` is `None` at the
    /// start of the text. `None` if the guard cannot hold.
    fn with(mut self, guard: Guard, before: Option<u32>) -> Option<Self> {
        let has = |class: usize| before.is_some_and(|before| before >> class & 1 != 0);
        let is_open = match guard {
            Guard::Start => before.is_none(),
            Guard::End => {
                self.is_end = true;
                true
            }
            Guard::Previous { class, negative } => has(class) != negative,
            Guard::Next { class, negative } => {
                self.require(class, !negative);
                true
            }
            Guard::Boundary { class, negative } => {
                self.require(class, has(class) == negative);
                true
            }
        };
        let is_possible = self.inside & self.outside == 0 && !(self.is_end && self.inside != 0);
        (is_open && is_possible).then_some(self)
    }

    /// Requires that the next character is in a tested class, or that it is not.
    fn require(&mut self, class: usize, is_inside: bool) {
        *(if is_inside { &mut self.inside } else { &mut self.outside }) |= 1 << class;
    }

    /// Whether a character in the tested classes `within` may come next.
    fn admits(self, within: u32) -> bool {
        !self.is_end && within & self.inside == self.inside && within & self.outside == 0
    }
}

/// Splits a class into parts that are within or outside each of the tested classes. Returns each part that is not empty,
/// with the tested classes that contain it as a bit set.
fn split(class: &ClassUnicode, tested: &[ClassUnicode]) -> Vec<(ClassUnicode, u32)> {
    let mut parts = vec![(class.clone(), 0)];
    for (index, tested) in tested.iter().enumerate() {
        let halves = parts.into_iter().flat_map(|(class, within)| {
            let (mut inside, mut outside) = (class.clone(), class);
            inside.intersect(tested);
            outside.difference(tested);
            [(inside, within | 1 << index), (outside, within)]
        });
        parts = halves.collect();
    }
    parts.retain(|(class, _)| !class.ranges().is_empty());
    parts
}

/// The positions of a graph, with the states between them.
struct Positions {
    graph: Graph,
    /// The state at which a text may end.
    end: u32,
    /// The pieces of all classes. The number of a piece is that of its position.
    pieces: Vec<Piece>,
    /// For each state of the graph, the numbers of the pieces that it reads.
    read_by: Vec<Vec<u32>>,
}

impl Positions {
    /// Splits the classes of a graph that a guard may see. `None` if there are too many pieces.
    fn new(graph: Graph, end: u32) -> Option<Self> {
        let [may_follow, may_precede] = graph.near_guards();
        let (mut pieces, mut read_by) = (Vec::new(), Vec::new());
        for (from, state) in graph.states.iter().enumerate() {
            let first = pieces.len();
            for (class, to) in &state.reads {
                let is_seen = may_follow[from] || may_precede[*to as usize];
                let tested = if is_seen { &graph.tested[..] } else { &[] };
                let split = split(class, tested).into_iter();
                pieces.extend(split.map(|(class, within)| Piece { class, within, to: *to }));
            }
            read_by.push((first as u32..pieces.len() as u32).collect());
        }
        (pieces.len() <= MOST_PLACES).then_some(Self { graph, end, pieces, read_by })
    }

    /// Returns the position automaton, without lengths. `None` if it has too many transitions.
    fn pattern(self) -> Option<CountedPattern> {
        let mut pattern = CountedPattern { most_texts: u64::MAX, ..CountedPattern::default() };
        let mut known = FxHashMap::default();
        let mut met = FxHashSet::from_iter([None]);
        let mut open = VecDeque::from([None]);
        while let Some(from) = open.pop_front() {
            let (state, before) = match from {
                None => (0, None),
                Some(place) => {
                    let piece: &Piece = &self.pieces[place as usize];
                    (piece.to, Some(piece.within))
                }
            };
            let next = known.entry((state, before)).or_insert_with(|| self.next(state, before));
            for &to in &*next {
                pattern.ways.push(Way { from, steps: Vec::new(), to });
                if to.is_some() && met.insert(to) {
                    open.push_back(to);
                }
            }
            if pattern.ways.len() > MOST_WAYS {
                return None;
            }
        }
        let places = self.pieces.into_iter().map(|piece| Place { class: piece.class, within: 0 });
        pattern.places = places.collect();
        pattern.unrolled_places = pattern.places.len();
        Some(pattern)
    }

    /// Returns the positions that may follow a state of the graph, and `None` if the text may end there. `before` has
    /// the tested classes of the character before, and is `None` at the start of the text.
    fn next(&self, state: u32, before: Option<u32>) -> IndexSet<Option<u32>, FxBuildHasher> {
        let mut found = IndexSet::default();
        let mut met: IndexSet<(u32, Next), FxBuildHasher> =
            IndexSet::from_iter([(state, Next::default())]);
        let mut at = 0;
        while let Some(&(state, next)) = met.get_index(at) {
            at += 1;
            let pieces = self.read_by[state as usize].iter().copied();
            let admitted = pieces.filter(|&piece| next.admits(self.pieces[piece as usize].within));
            found.extend(admitted.map(Some));
            if state == self.end && next.inside == 0 {
                found.insert(None);
            }
            for &(guard, to) in &self.graph.states[state as usize].empty {
                let after = match guard {
                    Some(guard) => next.with(guard, before),
                    None => Some(next),
                };
                met.extend(after.map(|next| (to, next)));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ecma::parse;

    /// Generates patterns with guards at random places.
    fn pattern() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "a", "b", "-", "[ab]", "[^a]", ".", "^", "$", r"\b", r"\B", "(?=a)", "(?![ab])",
            "(?<=b)", "(?<!-)", "é",
        ]);
        leaf.prop_map(str::to_owned).prop_recursive(3, 10, 3, |inner| {
            prop_oneof![
                3 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                1 => prop::collection::vec(inner.clone(), 1..3)
                    .prop_map(|parts| format!("(?:{})", parts.join("|"))),
                1 => (inner.clone(), 0..3u32, 0..3u32)
                    .prop_map(|(body, min, more)| format!("(?:{body}){{{min},{}}}", min + more)),
                1 => (inner, prop_oneof![Just("*"), Just("+"), Just("?")])
                    .prop_map(|(body, sign)| format!("(?:{body}){sign}")),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn copies_accept_what_a_backtracking_engine_finds(
            text in pattern(),
            strings in prop::collection::vec("[ab\\-é]{0,7}", 30),
        ) {
            let Ok(regex) = regress::Regex::with_flags(&text, "u") else { return Ok(()) };
            let node = parse::parse(&text, Meaning::Ecma).expect("regress accepts it");
            let automaton = copied(&node);
            for string in strings {
                let is_accepted = automaton.as_ref().is_some_and(|found| found.matches(&string));
                prop_assert_eq!(is_accepted, regex.find(&string).is_some(), "{} on {}", text, string);
            }
            if let Some(found) = automaton {
                let least = found.lengths.shortest as usize;
                prop_assert!(found.lengths.longest.is_none_or(|longest| least <= longest as usize));
            }
        }
    }

    #[test]
    fn guards_need_no_more_states() {
        let text = r"\bWatch {0,2}\( {0,2}([^;]{1,200}) {0,2}; {0,2}([^;]{1,200}) {0,2};";
        let node = parse::parse(text, Meaning::Ecma).expect("it is a pattern");
        let found = copied(&node).expect("it is small");
        assert!(found.places.len() < 450, "{}", found.places.len());
        assert!(found.matches("a Watch (b; c;d") && !found.matches("aWatch (b; c;d"));
        let look = parse::parse("a(?=bc)", Meaning::Ecma).expect("it is a pattern");
        assert_eq!(copied(&look), None);
    }
}
