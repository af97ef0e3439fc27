//! A naive recognizer of the IR. Tests use it as an oracle for the network, the masks and the front
//! ends.
//!
//! The recognizer follows the meaning of [`Expr`] directly and shares no code with the network. An
//! expression maps a set of positions in the text, where it may start, to the set of positions
//! where it may end. Calls read a table of (rule, start) -> ends, which starts empty and grows to
//! the least fixpoint. So recursion needs no special case, not even left recursion or nullable
//! cycles. [`Expr::Not`] is not monotone. Its operand depends on no enclosing rule, by the rules of
//! the IR, and is brought to its own fixpoint first.
//!
//! The text consists of bytes, so a token edge matches nothing.
//!
//! Cost: polynomial in the length of the text, with sets of positions as bit vectors. Meant for
//! texts of up to a few thousand bytes. Bounds of repetitions cost nothing, because the sets are
//! stable after at most as many rounds as there are positions.

use bitvec::vec::BitVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Expr, ExprGraph, Grammar, RuleId};
use crate::automata::StateBudget;

/// Whether the start rule of a grammar derives the text `bytes` as a whole.
pub fn recognizes(grammar: &Grammar, bytes: &[u8]) -> bool {
    accepted_prefixes(grammar, bytes).last() == Some(&bytes.len())
}

/// Returns the lengths in bytes of all prefixes of the text `bytes` that the start rule of a
/// grammar derives, in ascending order.
pub fn accepted_prefixes(grammar: &Grammar, bytes: &[u8]) -> Vec<usize> {
    let mut solver = Solver::new(grammar, bytes);
    let start = Expr::Call(grammar.start);
    let from = solver.only(0);
    solver.solve(&start, &from).iter_ones().collect()
}

/// A set of positions in the text, as one bit for each position from 0 to the length of the text
/// inclusive.
type Positions = BitVec;

/// A goal of the solver: a rule that is called, and the byte position in the text where it starts.
type Goal = (RuleId, usize);

/// Computes, for one grammar and one text, where calls of rules may end. Iterates to the least
/// fixpoint.
struct Solver<'a> {
    /// The grammar against which the text is tested.
    grammar: &'a Grammar,
    /// The bytes of the text.
    text: &'a [u8],
    /// Maps each goal (rule and start position) to the end positions found so far.
    ends: FxHashMap<Goal, Positions>,
    /// Maps each goal (rule and start position) to the goals whose results depend on it, in the
    /// order of discovery.
    readers: FxHashMap<Goal, Vec<Goal>>,
    /// The goals (rule and start position) that have to be computed again.
    agenda: Vec<Goal>,
    /// The goals on the agenda, as a set for look-ups.
    queued: FxHashSet<Goal>,
    /// The goal (rule and start position) that is being computed. `None` while the requested
    /// expression itself is computed.
    current: Option<Goal>,
}

impl<'a> Solver<'a> {
    /// Creates a solver for a grammar and a text, without any results.
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

    /// Returns the empty set of positions in the text.
    fn none(&self) -> Positions {
        Positions::repeat(false, self.text.len() + 1)
    }

    /// Returns the set that contains a single position in the text.
    fn only(&self, position: usize) -> Positions {
        let mut positions = self.none();
        positions.set(position, true);
        positions
    }

    /// Returns the positions in the text at which an expression may end if it starts at one of the
    /// positions `from`. Also computes every call that the expression depends on, to the fixpoint.
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

    /// Puts a goal (rule and start position) on the agenda, unless it is there already.
    fn queue(&mut self, goal: Goal) {
        if self.queued.insert(goal) {
            self.agenda.push(goal);
        }
    }

    /// Returns the positions at which an expression may end if it starts at one of the positions
    /// `from`. Uses the ends of calls that are known so far.
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
                // Position by position, because all operands have to agree on both the start and
                // the end.
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

    /// Returns the known positions at which a call may end. The goal is the called rule and the
    /// position where it starts. Records that the current goal depends on this one.
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

    /// Returns the positions at which a repetition of `body` may end if it starts at one of the
    /// positions `from`.
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
            // A nullable body only adds positions. Any other body advances by at least one byte.
            // Either way, the sets become stable, and every higher count reaches the same
            // positions.
            if next == reached {
                to |= &reached;
                break;
            }
            reached = next;
        }
        to
    }

    /// Returns the positions at which a path through a graph may end if it starts at one of the
    /// positions `from`. Required keys and counters are unrolled first.
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

    /// Returns the set of the positions that `end` computes from each position in `from`. Where
    /// `end` returns `None`, there is no position.
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

    /// Returns a grammar of one rule, whose expression may call the rule.
    fn grammar(expr: impl FnOnce(RuleId) -> Expr) -> Grammar {
        let mut builder = GrammarBuilder::new();
        let root = builder.declare("root");
        builder.define(root, expr(root), Origin::default());
        builder.finish(root)
    }

    /// Returns all strings of `a` and `b` of at most `length` bytes that the grammar accepts.
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
        // The operands of an intersection agree on start and end. Neither "aab" nor "abb" contains
        // a span that both accept.
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
