//! A naive recognizer of the IR: the oracle against which tests compare the network, the masks and the front ends.
//!
//! It follows the meaning of [`Expr`] directly and shares no code with the network. An expression maps a set of
//! positions in the text, where it may start, to the set of positions where it may then end. Calls read a table of
//! (rule, start) -> ends, which starts empty and grows to the least fixpoint, so that recursion of every kind, left
//! recursion and nullable cycles included, needs no special case. [`Expr::Not`] is not monotone: its operand, which by
//! the rules of the IR depends on no enclosing rule, is brought to its own fixpoint first.
//!
//! The text is bytes: a token edge matches nothing.
//!
//! Cost: polynomial in the length of the text, with sets of positions as bit vectors. Meant for texts of up to a few
//! thousand bytes. Bounds of repetitions cost nothing: the sets are stable after at most as many rounds as there are
//! positions.

use bitvec::vec::BitVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Expr, ExprGraph, Grammar, RuleId};
use crate::automata::StateBudget;

/// Whether the start rule accepts exactly these bytes.
pub fn recognizes(grammar: &Grammar, bytes: &[u8]) -> bool {
    accepted_prefixes(grammar, bytes).last() == Some(&bytes.len())
}

/// The lengths of all prefixes of the text that the start rule accepts, in ascending order.
pub fn accepted_prefixes(grammar: &Grammar, bytes: &[u8]) -> Vec<usize> {
    let mut solver = Solver::new(grammar, bytes);
    let start = Expr::Call(grammar.start);
    let from = solver.only(0);
    solver.solve(&start, &from).iter_ones().collect()
}

/// Positions in the text, from 0 to its length inclusive.
type Positions = BitVec;

/// A rule with a start position.
type Goal = (RuleId, usize);

struct Solver<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    /// Ends found so far.
    ends: FxHashMap<Goal, Positions>,
    /// Goals whose result was computed from this goal's, in the order met.
    readers: FxHashMap<Goal, Vec<Goal>>,
    /// Goals to compute anew.
    agenda: Vec<Goal>,
    queued: FxHashSet<Goal>,
    /// The goal being computed.
    current: Option<Goal>,
}

impl<'a> Solver<'a> {
    fn new(grammar: &'a Grammar, text: &'a [u8]) -> Self {
        Self {
            grammar,
            text,
            ends: FxHashMap::default(),
            readers: FxHashMap::default(),
            agenda: Vec::new(),
            queued: FxHashSet::default(),
            current: None,
        }
    }

    fn none(&self) -> Positions {
        Positions::repeat(false, self.text.len() + 1)
    }

    fn only(&self, position: usize) -> Positions {
        let mut positions = self.none();
        positions.set(position, true);
        positions
    }

    /// The ends of an expression, after the fixpoint of every goal it depends on.
    fn solve(&mut self, expr: &Expr, from: &Positions) -> Positions {
        self.current = None;
        self.advance(expr, from);
        while let Some(goal) = self.agenda.pop() {
            self.queued.remove(&goal);
            self.current = Some(goal);
            let from = self.only(goal.1);
            let grammar = self.grammar;
            let found = self.advance(&grammar.rule(goal.0).expr, &from);
            if self.ends.get(&goal) != Some(&found) {
                self.ends.insert(goal, found);
                let readers = self.readers.get(&goal).cloned().unwrap_or_default();
                readers.into_iter().for_each(|reader| self.queue(reader));
            }
        }
        self.current = None;
        self.advance(expr, from)
    }

    fn queue(&mut self, goal: Goal) {
        if self.queued.insert(goal) {
            self.agenda.push(goal);
        }
    }

    /// The positions at which the expression may end if it starts at one of `from`, by the current table.
    fn advance(&mut self, expr: &Expr, from: &Positions) -> Positions {
        if from.not_any() {
            return self.none();
        }
        match expr {
            Expr::Never | Expr::Token(_) => self.none(),
            Expr::Empty => from.clone(),
            Expr::Bytes(set) => self.each(from, |text, at| {
                text.get(at).is_some_and(|&byte| set.contains(byte)).then_some(at + 1)
            }),
            Expr::Literal(bytes) => {
                self.each(from, |text, at| text[at..].starts_with(bytes).then(|| at + bytes.len()))
            }
            Expr::Texts(texts) => {
                let mut to = self.none();
                for start in from.iter_ones() {
                    let begun = texts.begun_by(&self.text[start..]).into_iter();
                    begun.for_each(|length| to.set(start + length, true));
                }
                to
            }
            Expr::Regular(dfa) => {
                let mut to = self.none();
                for start in from.iter_ones() {
                    let mut state = 0;
                    for at in start..=self.text.len() {
                        if dfa.states[state as usize].accepting {
                            to.set(at, true);
                        }
                        let next = self.text.get(at).and_then(|&b| dfa.next(state, b.into()));
                        let Some(next) = next else { break };
                        state = next;
                    }
                }
                to
            }
            Expr::Call(rule) => {
                let mut to = self.none();
                for start in from.iter_ones() {
                    to |= self.call((*rule, start));
                }
                to
            }
            Expr::Seq(parts) => {
                parts.iter().fold(from.clone(), |from, part| self.advance(part, &from))
            }
            Expr::Alt(choices) => {
                let mut to = self.none();
                for choice in choices {
                    to |= self.advance(choice, from);
                }
                to
            }
            Expr::Repeat { body, min, max } => self.repeat(body, *min, *max, from),
            Expr::Graph(graph) => self.graph(graph, from),
            Expr::And(operands) => {
                // Position by position: two operands agree on a span, not merely on an end.
                let mut to = self.none();
                for start in from.iter_ones() {
                    let from = self.only(start);
                    let mut common = !self.none();
                    for operand in operands {
                        common &= self.advance(operand, &from);
                    }
                    to |= common;
                }
                to
            }
            Expr::Not(operand) => {
                let mut to = self.none();
                for start in from.iter_ones() {
                    let from = self.only(start);
                    let mut refused = !Solver::new(self.grammar, self.text).solve(operand, &from);
                    refused[..start].fill(false);
                    to |= refused;
                }
                to
            }
        }
    }

    fn call(&mut self, goal: Goal) -> Positions {
        if let Some(reader) = self.current {
            let readers = self.readers.entry(goal).or_default();
            if !readers.contains(&reader) {
                readers.push(reader);
            }
        }
        if let Some(ends) = self.ends.get(&goal) {
            return ends.clone();
        }
        let none = self.none();
        self.ends.insert(goal, none.clone());
        self.queue(goal);
        none
    }

    fn repeat(&mut self, body: &Expr, min: u32, max: Option<u32>, from: &Positions) -> Positions {
        let mut to = self.none();
        let mut reached = from.clone();
        for count in 0.. {
            if count >= min {
                to |= &reached;
            }
            if max == Some(count) {
                break;
            }
            let next = self.advance(body, &reached);
            // A nullable body only adds positions; any other advances by a byte at least. Either way the sets become
            // stable, and then every further count reaches the same.
            if next == reached {
                to |= &reached;
                break;
            }
            reached = next;
        }
        to
    }

    fn graph(&mut self, graph: &ExprGraph, from: &Positions) -> Positions {
        let graph = graph
            .unrolled(StateBudget::of(usize::MAX))
            .expect("there is room for all sets of required keys");
        let mut reached = vec![self.none(); graph.states() as usize];
        reached[ExprGraph::START as usize].clone_from(from);
        let mut changed = true;
        while changed {
            changed = false;
            for (source, part, target) in graph.edges() {
                let source = reached[source as usize].clone();
                let mut to = self.advance(part, &source);
                to |= &reached[target as usize];
                if reached[target as usize] != to {
                    reached[target as usize] = to;
                    changed = true;
                }
            }
        }
        reached.swap_remove(graph.end() as usize)
    }

    fn each(&self, from: &Positions, end: impl Fn(&[u8], usize) -> Option<usize>) -> Positions {
        let mut to = self.none();
        for at in from.iter_ones().filter_map(|at| end(self.text, at)) {
            to.set(at, true);
        }
        to
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use smallvec::smallvec;

    use super::*;
    use crate::automata::{Dfa, DfaState, Edge};
    use crate::ir::{ByteSet, GrammarBuilder, Origin};

    /// A grammar of one rule, whose expression may call itself.
    fn grammar(expr: impl FnOnce(RuleId) -> Expr) -> Grammar {
        let mut builder = GrammarBuilder::new();
        let root = builder.declare("root");
        builder.define(root, expr(root), Origin::default());
        builder.finish(root)
    }

    /// All strings over `ab` of at most `length` bytes that the grammar accepts.
    fn language(grammar: &Grammar, length: usize) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut from = 0;
        for _ in 0..length {
            let to = words.len();
            for at in from..to {
                words.push(format!("{}a", words[at]));
                words.push(format!("{}b", words[at]));
            }
            from = to;
        }
        words.retain(|word| recognizes(grammar, word.as_bytes()));
        words
    }

    fn a() -> Expr {
        Expr::byte(b'a')
    }

    fn b() -> Expr {
        Expr::byte(b'b')
    }

    #[test]
    fn recursion_of_every_kind() {
        let left = grammar(|r| Expr::alt([Expr::seq([Expr::Call(r), a()]), b()]));
        assert_eq!(language(&left, 4), ["b", "ba", "baa", "baaa"]);
        let right = grammar(|r| Expr::alt([Expr::seq([a(), Expr::Call(r)]), b()]));
        assert_eq!(language(&right, 3), ["b", "ab", "aab"]);
        let both = grammar(|r| {
            Expr::alt([Expr::Empty, Expr::seq([Expr::Call(r), a(), Expr::Call(r), b()])])
        });
        assert_eq!(language(&both, 4), ["", "ab", "aabb", "abab"]);
        let cycle =
            grammar(|r| Expr::alt([Expr::Call(r), Expr::seq([Expr::Call(r), Expr::Call(r)]), a()]));
        assert_eq!(language(&cycle, 3), ["a", "aa", "aaa"]);
        let endless = grammar(|r| Expr::seq([a(), Expr::Call(r)]));
        assert_eq!(language(&endless, 4), [""; 0]);
        let palindromes = grammar(|r| {
            Expr::alt([
                Expr::Empty,
                Expr::seq([a(), Expr::Call(r), a()]),
                Expr::seq([b(), Expr::Call(r), b()]),
            ])
        });
        assert_eq!(language(&palindromes, 4), ["", "aa", "bb", "aaaa", "abba", "baab", "bbbb"]);
    }

    #[test]
    fn repetition_counts_without_expanding() {
        let exact = grammar(|_| Expr::literal("ab").repeat(1, Some(2)));
        assert_eq!(language(&exact, 6), ["ab", "abab"]);
        let nullable = grammar(|_| a().optional().repeat(4_000_000_000, Some(4_000_000_001)));
        assert_eq!(language(&nullable, 2), ["", "a", "aa"]);
        let out_of_reach = grammar(|_| a().repeat(4_000_000_000, None));
        assert_eq!(language(&out_of_reach, 3), [""; 0]);
        let between = grammar(|_| Expr::alt([a(), Expr::literal("aab")]).repeat(2, Some(2)));
        assert_eq!(language(&between, 4), ["aa", "aaab", "aaba"]);
    }

    #[test]
    fn intersection_and_complement() {
        let any = || Expr::bytes(ByteSet::FULL).star();
        let both = grammar(|_| {
            Expr::And(vec![
                Expr::seq([a(), any()]),
                Expr::seq([any(), b()]),
                Expr::Not(Box::new(Expr::seq([any(), Expr::literal("aa"), any()]))),
            ])
        });
        assert_eq!(language(&both, 4), ["ab", "abb", "abab", "abbb"]);
        // The operands of an intersection agree on spans: neither "aab" nor "abb" is a span of both.
        let spans = grammar(|_| {
            Expr::seq([a().star(), Expr::And(vec![a().plus(), b().plus()]), b().star()])
        });
        assert_eq!(language(&spans, 4), [""; 0]);
        let middle = grammar(|_| Expr::seq([a(), Expr::Not(Box::new(a().star())), a()]));
        assert_eq!(language(&middle, 3), ["aba"]);
    }

    #[test]
    fn graphs_follow_their_edges() {
        // (ab)* with a loop through the start, and a loop at the end.
        let looped = grammar(|_| {
            let mut graph = ExprGraph::new();
            let middle = graph.state();
            graph.edge(ExprGraph::START, a(), middle);
            graph.edge(middle, b(), ExprGraph::START);
            graph.edge(ExprGraph::START, Expr::Empty, graph.end());
            graph.edge(graph.end(), Expr::literal("ba"), graph.end());
            Expr::seq([Expr::Graph(Arc::new(graph)), b().optional()])
        });
        assert_eq!(language(&looped, 3), ["", "b", "ab", "ba", "abb", "bab"]);
    }

    #[test]
    fn automata_and_tokens() {
        let edge = |target| Edge { lo: b'a'.into(), hi: b'b'.into(), target };
        let even = Dfa {
            states: vec![
                DfaState { edges: smallvec![edge(1)], accepting: true },
                DfaState { edges: smallvec![edge(0)], accepting: false },
            ],
        };
        let regular = grammar(|_| Expr::seq([Expr::Regular(Arc::new(even)), a()]));
        assert_eq!(language(&regular, 3), ["a", "aaa", "aba", "baa", "bba"]);
        assert_eq!(accepted_prefixes(&regular, b"aaxa"), [1]);
    }
}
