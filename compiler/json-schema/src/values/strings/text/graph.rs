//! The expression graph of a language whose lengths need no counting.
//!
//! Its states are the states of the language's automaton between characters. A run of characters that no other edge
//! enters is one literal. The universal state (which accepts every text) is replaced by a shared rule. So is a state
//! that accepts any number of characters of an [alphabet](Alphabet).

use rustc_hash::FxHashMap;

use super::alphabets::Alphabet;
use super::rules::StringRules;
use super::spell::{Speller, Text, plain};
use crate::options::Escapes;
use crate::values::pieces::Piece;
use crate::values::strings::characters::{Characters, Ranges};
use crate::values::strings::language::Language;
use grammarc_grammar::automata::DfaState;
use grammarc_grammar::ir::{Expr, ExprGraph};

/// The expression graph of a language under construction.
pub(super) struct Plain<'a, R> {
    /// The shared rules that the graph calls.
    pub(super) rules: &'a mut R,
    /// The language, with its automaton over bytes.
    pub(super) language: &'a Language,
    /// Reads the automaton of the language character by character.
    pub(super) characters: Characters<'a>,
    /// Writes classes of characters as grammar expressions.
    pub(super) speller: Speller,
    /// The expression graph so far.
    pub(super) graph: ExprGraph,
    /// Maps each state of the automaton to its state of the expression graph.
    numbers: FxHashMap<u32, u32>,
    /// The states of the automaton that have a graph state and no edges yet.
    queue: Vec<u32>,
    /// For each state of the automaton, the number of its incoming edges.
    entries: Vec<u32>,
    /// Whether the rest of a string is a call of a shared rule if it repeats a class of characters in the table of
    /// alphabets.
    alphabets: bool,
}

impl<'a, R: StringRules> Plain<'a, R> {
    /// Creates the graph of a language, without states. `alphabets` allows calls of the rules of [alphabets](Alphabet),
    /// which only have the shortest escapes.
    pub(super) fn new(
        rules: &'a mut R,
        language: &'a Language,
        escapes: Escapes,
        alphabets: bool,
    ) -> Self {
        let dfa = language.dfa();
        let mut entries = vec![0; dfa.states.len()];
        entries[0] = 2;
        let mut edges = 0;
        for edge in dfa.states.iter().flat_map(|state| &state.edges) {
            entries[edge.target as usize] += 1;
            edges += 1;
        }
        Self {
            rules,
            language,
            characters: Characters::new(dfa),
            speller: Speller::new(escapes),
            graph: ExprGraph::with_capacity(edges),
            numbers: FxHashMap::default(),
            queue: Vec::new(),
            entries,
            alphabets,
        }
    }

    /// Returns the grammar expression of the whole language.
    pub(super) fn finish(mut self) -> Expr {
        if let Some(rest) = self.rest(0) {
            return rest;
        }
        self.numbers.insert(0, ExprGraph::START);
        self.queue.push(0);
        self.complete()
    }

    /// Builds the graph states of all automaton states in the worklist, and returns the grammar expression.
    pub(super) fn complete(mut self) -> Expr {
        while let Some(state) = self.queue.pop() {
            self.build(state);
        }
        let (start, end) = (ExprGraph::START, self.graph.end());
        if self.graph.edges().all(|(from, _, to)| (from, to) == (start, end)) {
            return Expr::alt(self.graph.edges().map(|(_, part, _)| part.clone()));
        }
        Expr::Graph(self.graph.into())
    }

    /// Adds an edge to the graph state of an automaton state. If a shared rule accepts what the state accepts, the edge
    /// calls that rule and leads to the end.
    pub(super) fn edge(&mut self, from: u32, expr: Expr, state: u32) {
        if let Some(rest) = self.rest(state) {
            self.graph.edge(from, Expr::seq([expr, rest]), self.graph.end());
            return;
        }
        let to = match self.numbers.get(&state) {
            Some(&to) => to,
            None => {
                let to = self.graph.state();
                self.numbers.insert(state, to);
                self.queue.push(state);
                to
            }
        };
        self.graph.edge(from, expr, to);
    }

    /// Returns a call of the shared rule that accepts what an automaton state accepts, or `None` if there is no such
    /// rule.
    fn rest(&mut self, state: u32) -> Option<Expr> {
        if self.language.universal() == Some(state) {
            return Some(self.rules.piece(Piece::StringTail));
        }
        if !self.alphabets || self.numbers.contains_key(&state) {
            return None;
        }
        let (alphabet, least) = match self.letters(state) {
            Some(alphabet) => (alphabet, 0),
            None => (self.letters_after(state)?, 1),
        };
        let (name, rest) = alphabet.rest(least);
        Some(self.rules.named_tail(name, |_| rest()))
    }

    /// Returns the alphabet (class of characters with shared rules) of an automaton state that accepts exactly any
    /// number of its characters. Returns `None` for other states.
    fn letters(&mut self, state: u32) -> Option<&'static Alphabet> {
        let DfaState { edges, accepting } = &self.language.dfa().states[state as usize];
        if !accepting || edges.iter().all(|edge| edge.target != state) {
            return None;
        }
        match &self.characters.moves(state)[..] {
            [(target, ranges)] if *target == state => Alphabet::of(ranges),
            _ => None,
        }
    }

    /// Returns the alphabet (class of characters with shared rules) of an automaton state that accepts exactly one or
    /// more of its characters. Returns `None` for other states.
    fn letters_after(&mut self, state: u32) -> Option<&'static Alphabet> {
        let DfaState { edges, accepting } = &self.language.dfa().states[state as usize];
        let next = edges.first().filter(|_| !accepting)?.target;
        let alphabet = self.letters(next)?;
        match &self.characters.moves(state)[..] {
            [(target, ranges)] if *target == next && alphabet.is_of(ranges) => Some(alphabet),
            _ => None,
        }
    }

    /// Adds an edge that ends the string with the closing quote.
    pub(super) fn close(&mut self, from: u32) {
        self.graph.edge(from, Expr::byte(b'"'), self.graph.end());
    }

    /// Adds the edges of a state of the automaton to the graph.
    fn build(&mut self, state: u32) {
        let from = self.numbers[&state];
        if self.language.dfa().states[state as usize].accepting {
            self.close(from);
        }
        for (target, ranges) in self.characters.moves(state) {
            if self.language.universal() == Some(target) {
                self.leave(from, &ranges);
            } else {
                match self.only_text(&ranges) {
                    Some(text) => self.run(from, text.to_vec(), target),
                    None => {
                        let expr = self.speller.expr(&ranges);
                        let (count, last) = self.letters_in_a_row(&ranges, state, target);
                        self.edge(from, expr.repeat(count, Some(count)), last);
                    }
                }
            }
        }
    }

    /// Follows a chain of automaton states that each read one character of `ranges`. This happens only if an alphabet
    /// (class with shared rules) with rules of fixed length has these characters. Returns the length of the chain and
    /// its last state; the length is 1 for other ranges.
    fn letters_in_a_row(&mut self, ranges: &Ranges, mut before: u32, mut state: u32) -> (u32, u32) {
        let mut count = 1;
        if !self.alphabets || !Alphabet::of(ranges).is_some_and(Alphabet::is_fixed) {
            return (count, state);
        }
        let states = &self.language.dfa().states;
        let into = |from: u32, to: u32| {
            states[from as usize].edges.iter().filter(|edge| edge.target == to).count()
        };
        while self.entries[state as usize] as usize == into(before, state)
            && !states[state as usize].accepting
            && let [(next, others)] = &self.characters.moves(state)[..]
            && others == ranges
        {
            (count, before, state) = (count + 1, state, *next);
        }
        (count, state)
    }

    /// Adds edges on characters of `ranges` after which any string may follow. If possible these edges call the shared
    /// rule for all special characters (escaped or outside ASCII). A state with a few other characters then takes a set
    /// of bytes and two calls.
    fn leave(&mut self, from: u32, ranges: &Ranges) {
        let end = self.graph.end();
        if **ranges == [('\0', char::MAX)] {
            let rest = self.rules.piece(Piece::NonEmptyStringTail);
            self.graph.edge(from, rest, end);
            return;
        }
        let rest = self.rules.piece(Piece::StringTail);
        let first = if self.speller.has_all_special(ranges) {
            let special = self.rules.piece(Piece::SpecialStringTail);
            self.graph.edge(from, special, end);
            Expr::bytes(plain(ranges))
        } else {
            self.speller.expr(ranges)
        };
        self.graph.edge(from, Expr::seq([first, rest]), end);
    }

    /// Adds a graph edge for a text, extended by all characters that must follow it.
    fn run(&mut self, from: u32, mut text: Vec<u8>, mut state: u32) {
        loop {
            let accepting = self.language.dfa().states[state as usize].accepting;
            if self.entries[state as usize] > 1 {
                break;
            }
            if accepting && self.language.dfa().states[state as usize].edges.is_empty() {
                text.push(b'"');
                self.graph.edge(from, Expr::literal(text), self.graph.end());
                return;
            }
            let only = if accepting { None } else { self.characters.only(state) };
            let Some((character, next)) = only else { break };
            if self.language.universal() == Some(next) {
                break;
            }
            let Some(more) = self.speller.literal(character) else { break };
            text.extend_from_slice(&more);
            state = next;
        }
        self.edge(from, Expr::literal(text), state);
    }

    /// Returns the JSON text of the only character in the ranges, or `None` if there are several characters or the
    /// character has several texts.
    fn only_text(&self, ranges: &Ranges) -> Option<Text> {
        match **ranges {
            [(lo, hi)] if lo == hi => self.speller.literal(lo),
            _ => None,
        }
    }
}
