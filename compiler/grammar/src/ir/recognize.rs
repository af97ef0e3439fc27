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

use std::cmp::Reverse;

use bitvec::vec::BitVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph_position::{GraphPosition, StateActions};
use super::{ByteSet, Expr, ExprGraph, Grammar, RuleId};
use crate::budget::Budget;

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

/// What may come behind a prefix of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// The bytes that may come next. Empty if no text begins with the prefix and one more byte.
    pub bytes: ByteSet,
    /// Whether the prefix is a whole text.
    pub may_end: bool,
    /// The rules that say which byte comes next, without repetition: those that begin last come first.
    pub rules: Vec<RuleId>,
}

/// Returns what may come behind the prefix `bytes` in the texts of a grammar's start rule.
///
/// Every expression of the grammar has to have a text: otherwise some of the bytes may lead nowhere. So may those
/// behind the beginning of an intersection or a complement.
pub fn behind(grammar: &Grammar, bytes: &[u8]) -> Behind {
    behind_within(grammar, bytes, &Budget::unlimited()).unwrap_or_default()
}

/// Returns what may come behind a prefix, as [`behind`] does. `None` if the budget is spent.
pub fn behind_within(grammar: &Grammar, bytes: &[u8], budget: &Budget) -> Option<Behind> {
    let mut solver = Solver { budget: Some(budget), ..Solver::new(grammar, bytes) };
    let from = solver.only(0);
    let ends = solver.solve(&Expr::Call(grammar.start), &from);
    let mut open: Vec<Goal> = solver.open.into_iter().collect();
    open.sort_by_key(|&(rule, start)| (Reverse(start), rule));
    let mut rules: Vec<RuleId> = Vec::new();
    for (rule, _) in open {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let may_end = ends[bytes.len()];
    (!solver.is_spent).then_some(Behind { bytes: solver.next, may_end, rules })
}

/// Positions of a set that are read or written in one step of the budget.
const POSITIONS_A_STEP: usize = 64;

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
    /// The bytes that may come behind the text, as found so far.
    next: ByteSet,
    /// The goals (rule and start position) whose own expressions have such bytes.
    open: FxHashSet<Goal>,
    /// The budget of the computation. `None` for no limit.
    budget: Option<&'a Budget>,
    /// Whether the budget was spent, so that the result is not whole.
    is_spent: bool,
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
            next: ByteSet::EMPTY,
            open: FxHashSet::default(),
            budget: None,
            is_spent: false,
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
        let steps = 1 + self.text.len() / POSITIONS_A_STEP;
        self.is_spent |= self.budget.is_some_and(|budget| budget.spend(steps).is_err());
        if from.not_any() || self.is_spent {
            return self.none();
        }
        match expr {
            Expr::Never | Expr::Token(_) => self.none(),
            Expr::Empty => from.clone(),
            Expr::Bytes(set) => {
                if from[self.text.len()] {
                    self.comes_next(set.iter());
                }
                self.each(from, |text, at| {
                    text.get(at).is_some_and(|&byte| set.contains(byte)).then_some(at + 1)
                })
            }
            Expr::Literal(bytes) => {
                for start in from.iter_ones() {
                    self.expect(start, bytes);
                }
                self.each(from, |text, at| text[at..].starts_with(bytes).then(|| at + bytes.len()))
            }
            Expr::Texts(texts) => {
                let mut to = self.none();
                for start in from.iter_ones() {
                    texts.iter().for_each(|text| self.expect(start, text));
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
                        let Some(&byte) = self.text.get(at) else {
                            let edges = &dfa.states[state as usize].edges;
                            let bytes = edges.iter().flat_map(|edge| edge.lo..=edge.hi);
                            self.comes_next(bytes.filter_map(|byte| u8::try_from(byte).ok()));
                            break;
                        };
                        let Some(next) = dfa.next(state, byte.into()) else { break };
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
                self.comes_next(ByteSet::FULL.iter());
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
    /// positions `from`.
    fn graph(&mut self, graph: &ExprGraph, from: &Positions) -> Positions {
        let actions = StateActions::of(graph);
        let mut edges: Vec<Vec<(&Expr, u32)>> = vec![Vec::new(); graph.states() as usize];
        graph.edges().for_each(|(from, part, to)| edges[from as usize].push((part, to)));
        let mut to = self.none();
        let start = GraphPosition::start(graph);
        let mut reached = FxHashMap::from_iter([(start.clone(), from.clone())]);
        let mut open = vec![start];
        while let Some(position) = open.pop() {
            let from = reached[&position].clone();
            if position.is_end(graph) {
                to |= &from;
            }
            for &(part, target) in &edges[position.state as usize] {
                let Some(next) = position.after(graph, target, &actions) else { continue };
                // Without all required keys, the last state leads nowhere.
                let is_last = target == graph.end() && edges[target as usize].is_empty();
                if is_last && !next.is_end(graph) {
                    continue;
                }
                let mut found = self.advance(part, &from);
                if found.not_any() {
                    continue;
                }
                let known = reached.entry(next.clone()).or_insert_with(|| self.none());
                found |= &*known;
                if *known != found {
                    *known = found;
                    open.push(next);
                }
            }
        }
        to
    }

    /// Records the byte of `bytes` that comes behind the text, if the text from `start` on is its beginning.
    fn expect(&mut self, start: usize, bytes: &[u8]) {
        let rest = bytes.strip_prefix(&self.text[start..]).unwrap_or_default();
        self.comes_next(rest.first().copied());
    }

    /// Records bytes that may come behind the text, by the expression of the current goal.
    fn comes_next(&mut self, bytes: impl IntoIterator<Item = u8>) {
        let mut bytes = bytes.into_iter().peekable();
        if bytes.peek().is_some() {
            self.open.extend(self.current);
        }
        self.next.extend(bytes);
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
    use crate::ir::{GrammarBuilder, Origin};

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
    fn bytes_behind_a_prefix() {
        let words = grammar(|_| {
            let words = Expr::alt([Expr::literal("aab"), Expr::literal("b"), Expr::literal("ac")]);
            Expr::seq([words, Expr::byte(b',')]).repeat(1, Some(2))
        });
        let cases = [
            ("", "ab", false),
            ("a", "ac", false),
            ("aab", ",", false),
            ("aab,", "ab", true),
            ("b,b,", "", true),
            ("x", "", false),
        ];
        for (prefix, bytes, may_end) in cases {
            let bytes = bytes.bytes().collect();
            let found = behind(&words, prefix.as_bytes());
            assert_eq!((found.bytes, found.may_end), (bytes, may_end), "{prefix}");
            assert_eq!(found.rules.is_empty(), found.bytes.is_empty());
        }
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
