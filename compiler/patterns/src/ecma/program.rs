//! Compiles syntax trees to one nondeterministic automaton over UTF-8, with guards on some of its empty transitions.
//!
//! A symbol above all bytes denotes a guard: its transition consumes nothing and is open if the guard holds. Bodies of
//! assertions are parts of the same automaton. The body of a lookahead ends, like the pattern itself, in
//! [`Program::MATCH`], which accepts any rest. The body of a lookbehind is a tracker: it runs from the start of the
//! string and has an end of its own.

use crate::class::Classes;
use grammarc_grammar::automata::{Nfa, StateBudget, Symbol};

use super::class;
use super::node::Node;

/// The number of states that the nondeterministic automaton of a pattern may have for each allowed state of the
/// deterministic one. With more, the pattern is too large.
pub(super) const PROGRAM_STATES: usize = 8;

/// The condition under which an empty transition may be taken at a position of the string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// The position is the start of the string.
    Start,
    /// The position is the end of the string.
    End,
    /// The position is a word boundary, or with `negative` it is none.
    WordBoundary { negative: bool },
    /// The rest of the string begins with a match from state `from`, or with `negative` it does not.
    Ahead { from: u32, negative: bool },
    /// The tracker of this index (the automaton of a lookbehind) is at its end, or with `negative` it is not.
    Behind { tracker: usize, negative: bool },
}

/// A tracker: the automaton of a lookbehind's body, which runs from the start of the string.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tracker {
    /// The start state, with a loop over any character, so that the body may begin anywhere.
    pub(super) start: u32,
    /// The state in which the body of the lookbehind has matched.
    pub(super) end: u32,
}

/// A program: the nondeterministic automaton of a pattern, with guards for assertions.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) nfa: Nfa,
    /// For each guard symbol from [`Self::GUARDS`] on, its guard.
    guards: Vec<Guard>,
    /// The trackers of all lookbehinds. A tracker that is nested in the body of another precedes it.
    pub(super) trackers: Vec<Tracker>,
    /// A state whose transitions lead to [`Self::MATCH`] on each word character, to test the next character.
    pub(super) word: u32,
    /// Whether the program has guards for word boundaries.
    pub(super) has_boundaries: bool,
}

/// The error that an automaton would have more states than allowed, or that the budget is spent.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLarge;

impl Program {
    /// The start state of the pattern.
    pub(super) const START: u32 = 0;
    /// The state in which the pattern and every lookahead end.
    pub(super) const MATCH: u32 = 1;
    /// The lowest symbol that denotes a guard. Lower symbols are bytes.
    pub(super) const GUARDS: Symbol = 256;

    /// Compiles a tree to a program. The result accepts strings that contain a match.
    pub(super) fn new(node: &Node, limit: StateBudget<'_>) -> Result<Self, TooLarge> {
        let mut compiler = Compiler::new(limit);
        compiler.program.word = compiler.state();
        compiler.class(&class::Meaning::Ecma.word(false), compiler.program.word, Self::MATCH);
        let entry = compiler.entry(node.is_anchored());
        compiler.node(node, entry, Self::MATCH)?;
        Ok(compiler.program)
    }

    /// Compiles a tree to an automaton without guards. `None` unless the tree ends with `$` and has no other assertion
    /// but a `^` at its start.
    pub(super) fn plain(node: &Node, limit: StateBudget<'_>) -> Option<Result<Nfa, TooLarge>> {
        let Node::Seq(parts) = node else { return None };
        let (Node::End, parts) = parts.split_last()? else { return None };
        let (is_anchored, parts) = match parts {
            [Node::Start, parts @ ..] => (true, parts),
            parts => (false, parts),
        };
        if !parts.iter().all(Node::asserts_nothing) {
            return None;
        }
        let mut compiler = Compiler::new(limit);
        let entry = compiler.entry(is_anchored);
        let done = compiler.seq(parts, entry, Self::MATCH);
        Some(done.map(|()| compiler.program.nfa))
    }

    /// Returns the guard that a symbol denotes. `None` for a byte.
    pub(super) fn guard(&self, symbol: Symbol) -> Option<Guard> {
        let index = symbol.checked_sub(Self::GUARDS)?;
        self.guards.get(index as usize).copied()
    }
}

struct Compiler<'a> {
    program: Program,
    classes: Classes,
    limit: StateBudget<'a>,
}

impl<'a> Compiler<'a> {
    fn new(limit: StateBudget<'a>) -> Self {
        let program = Program {
            nfa: Nfa::new(),
            guards: Vec::new(),
            trackers: Vec::new(),
            word: Program::MATCH,
            has_boundaries: false,
        };
        Self { program, classes: Classes::default(), limit }
    }

    /// Adds the start of the pattern, and returns the state at which a match begins. If the pattern is not anchored, a
    /// loop over any character precedes it. The loop is a separate state, since no path inside the pattern may lead to
    /// it.
    fn entry(&mut self, is_anchored: bool) -> u32 {
        if is_anchored {
            return Program::START;
        }
        self.class(&class::any(), Program::START, Program::START);
        let entry = self.state();
        self.program.nfa.empty(Program::START, entry);
        entry
    }

    fn state(&mut self) -> u32 {
        self.program.nfa.state()
    }

    fn class(&mut self, class: &regex_syntax::hir::ClassUnicode, from: u32, to: u32) {
        let nfa = &mut self.program.nfa;
        let mut wide = false;
        for range in class.iter() {
            if range.end().is_ascii() {
                nfa.edge(from, range.start().into(), range.end().into(), to);
            } else {
                wide = true;
            }
        }
        if !wide {
            return;
        }
        let dfa = self.classes.automaton(class);
        // The automaton of a class has one accepting state, which has no edges, so `to` can take its place.
        let numbers: Vec<u32> = dfa
            .states
            .iter()
            .enumerate()
            .map(|(index, state)| match index {
                0 => from,
                _ if state.accepting => to,
                _ => nfa.state(),
            })
            .collect();
        for (number, state) in numbers.iter().zip(&dfa.states) {
            for edge in &state.edges {
                let to = numbers[edge.target as usize];
                nfa.edge(*number, edge.lo, edge.hi, to);
            }
        }
    }

    fn guarded(&mut self, from: u32, guard: Guard, to: u32) {
        let symbol = Program::GUARDS + self.program.guards.len() as Symbol;
        self.program.guards.push(guard);
        self.program.nfa.edge(from, symbol, symbol, to);
    }

    fn node(&mut self, node: &Node, from: u32, to: u32) -> Result<(), TooLarge> {
        if self.limit.spend(1).is_err() || self.program.nfa.len() > self.limit.states {
            return Err(TooLarge);
        }
        match node {
            Node::Class(class) => self.class(class, from, to),
            Node::Seq(parts) => self.seq(parts, from, to)?,
            Node::Alt(choices) => {
                for choice in choices {
                    self.node(choice, from, to)?;
                }
            }
            Node::Repeat { body, min, max } => self.repeat(body, *min, *max, from, to)?,
            Node::Start => self.guarded(from, Guard::Start, to),
            Node::End => self.guarded(from, Guard::End, to),
            Node::WordBoundary { negative } => {
                self.program.has_boundaries = true;
                self.guarded(from, Guard::WordBoundary { negative: *negative }, to);
            }
            Node::Look { behind: false, negative, body } => {
                let start = self.state();
                self.node(body, start, Program::MATCH)?;
                self.guarded(from, Guard::Ahead { from: start, negative: *negative }, to);
            }
            Node::Look { behind: true, negative, body } => {
                let (start, entry, end) = (self.state(), self.state(), self.state());
                self.class(&class::any(), start, start);
                self.program.nfa.empty(start, entry);
                self.node(body, entry, end)?;
                let tracker = self.program.trackers.len();
                self.program.trackers.push(Tracker { start, end });
                self.guarded(from, Guard::Behind { tracker, negative: *negative }, to);
            }
        }
        Ok(())
    }

    fn seq(&mut self, parts: &[Node], from: u32, to: u32) -> Result<(), TooLarge> {
        let mut at = from;
        for (index, part) in parts.iter().enumerate() {
            let next = if index + 1 == parts.len() { to } else { self.state() };
            self.node(part, at, next)?;
            at = next;
        }
        if parts.is_empty() {
            self.program.nfa.empty(from, to);
        }
        Ok(())
    }

    /// Adds a repetition from state `from` to state `to`: the copies of its body, each between new states. Hence a path
    /// in a body back to the body's start adds no cycle through other copies.
    ///
    /// Also records which copies simulate others (accept at least as much from corresponding states). A copy that may
    /// be left out simulates all later ones, since more copies may follow it. Of copies before a loop, later ones
    /// simulate earlier ones, since fewer copies have to follow.
    fn repeat(
        &mut self,
        body: &Node,
        min: u32,
        max: Option<u32>,
        from: u32,
        to: u32,
    ) -> Result<(), TooLarge> {
        let first = self.state();
        self.program.nfa.empty(from, first);
        let needed = self.copies(body, min, first, None)?;
        let at = needed.last().copied().unwrap_or(first);
        self.program.nfa.empty(at, to);
        match max {
            None if min == 0 => self.node(body, at, at)?,
            None => {
                let looped = self.program.nfa.len() as u32;
                self.node(body, at, at)?;
                // Without its end state, a copy has the same states as the loop.
                let ends: Vec<u32> = needed.iter().rev().copied().chain([first]).collect();
                let bodies = needed.iter().rev().map(|end| end + 1);
                let bodies: Vec<u32> = [looped].into_iter().chain(bodies).collect();
                self.simulate(&ends, &bodies);
            }
            Some(max) => {
                let copies = self.copies(body, max.saturating_sub(min), at, Some(to))?;
                let ends: Vec<u32> = [at].into_iter().chain(copies.iter().copied()).collect();
                let bodies: Vec<u32> = copies.iter().map(|end| end + 1).collect();
                self.simulate(&ends, &bodies);
            }
        }
        Ok(())
    }

    /// Records the simulations of a repetition: each of the states `ends` simulates the later ones. Of the copies of
    /// the body, which begin with the states `bodies`, each simulates the later ones. The states of a copy have
    /// consecutive numbers, in every copy the same number of them.
    fn simulate(&mut self, ends: &[u32], bodies: &[u32]) {
        if ends.len() < 2 {
            return;
        }
        let end = self.program.nfa.len() as u32;
        let size = bodies.iter().max().map_or(0, |last| end - last);
        let simulation = &mut self.program.nfa.simulation;
        simulation.chain(ends.iter().copied());
        simulation.copies(bodies, size);
    }

    /// Adds `count` copies of a repetition's body in sequence, the first from state `at`. With `exit`, an empty
    /// transition leads from the end of each copy to `exit`. Returns the end state of each copy; the other states of
    /// the copy have the numbers after it.
    fn copies(
        &mut self,
        body: &Node,
        count: u32,
        mut at: u32,
        exit: Option<u32>,
    ) -> Result<Vec<u32>, TooLarge> {
        let mut ends = Vec::new();
        for _ in 0..count {
            let next = self.state();
            self.node(body, at, next)?;
            exit.into_iter().for_each(|exit| self.program.nfa.empty(next, exit));
            ends.push(next);
            at = next;
        }
        Ok(ends)
    }
}
