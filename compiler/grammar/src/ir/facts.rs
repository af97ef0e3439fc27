//! Facts that the network needs before it builds a rule: whether the rule derives any string,
//! whether it derives the empty string, and the length of its shortest string. For the few
//! expressions that need them, also the bytes that occur in their strings.
//!
//! All facts are least fixpoints over the rules. Callees come before callers, so most rules are
//! visited once. A recursive rule is visited again after the facts of a callee change.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{ByteSet, Expr, ExprGraph, Grammar, RuleGroup, Step, Survey, Texts};
use crate::automata::Dfa;
use crate::budget::Budget;
use crate::graph::Lists;

/// A summary of the bytes that occur in a set of strings, for a fixpoint over the rules of a
/// grammar. The type `()` stores nothing and is used if the bytes are not needed.
pub trait ByteFacts: Copy + Eq {
    /// The bytes of the empty set of strings: none.
    const NONE: Self;
    /// The bytes of the set of all strings: each byte, at each place.
    const ANY: Self;

    /// Returns the bytes that occur in strings of one byte from `set`.
    fn of_bytes(set: ByteSet) -> Self;
    /// Returns the bytes that occur in a single string.
    fn of_literal(bytes: &[u8]) -> Self;
    /// Returns the bytes that occur in the strings that an automaton accepts.
    fn of_dfa(dfa: &Dfa) -> Self;
    /// Returns the bytes that occur in a set of texts.
    fn of_texts(texts: &Texts) -> Self;
    /// Returns the bytes that occur in concatenations of a string of `self` and a string of `next`.
    /// `nullable` says whether `self` contains the empty string.
    #[must_use]
    fn then(self, next: Self, nullable: bool) -> Self;
    /// Returns the bytes that occur in the union of two sets of strings.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// Returns a set of bytes that contains those that occur in the intersection of two sets of
    /// strings.
    #[must_use]
    fn and(self, other: Self) -> Self;
}

impl ByteFacts for () {
    const NONE: Self = ();
    const ANY: Self = ();

    fn of_bytes(_: ByteSet) -> Self {}
    fn of_literal(_: &[u8]) -> Self {}
    fn of_dfa(_: &Dfa) -> Self {}
    fn of_texts(_: &Texts) -> Self {}
    fn then(self, (): Self, _: bool) -> Self {}
    fn or(self, (): Self) -> Self {}
    fn and(self, (): Self) -> Self {}
}

/// The bytes that occur in a set of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alphabet {
    /// The bytes with which a string can begin.
    pub first: ByteSet,
    /// The bytes that occur anywhere in a string.
    pub all: ByteSet,
}

impl ByteFacts for Alphabet {
    const NONE: Self = Self { first: ByteSet::EMPTY, all: ByteSet::EMPTY };
    const ANY: Self = Self { first: ByteSet::FULL, all: ByteSet::FULL };

    fn of_bytes(set: ByteSet) -> Self {
        Self { first: set, all: set }
    }

    fn of_literal(bytes: &[u8]) -> Self {
        let first = bytes.first().copied().into_iter().collect();
        Self { first, all: bytes.iter().copied().collect() }
    }

    fn of_dfa(dfa: &Dfa) -> Self {
        let bytes = |edges: &[crate::automata::Edge]| {
            edges.iter().fold(ByteSet::EMPTY, |set, edge| {
                set.union(ByteSet::range(edge.lo as u8, edge.hi as u8))
            })
        };
        let all = dfa.states.iter().fold(ByteSet::EMPTY, |set, s| set.union(bytes(&s.edges)));
        Self { first: bytes(&dfa.states[0].edges), all }
    }

    fn of_texts(texts: &Texts) -> Self {
        let first = texts.iter().map(|text| text[0]).collect();
        Self { first, all: texts.iter().flatten().copied().collect() }
    }

    fn then(self, next: Self, nullable: bool) -> Self {
        let first = if nullable { self.first.union(next.first) } else { self.first };
        Self { first, all: self.all.union(next.all) }
    }

    fn or(self, other: Self) -> Self {
        Self { first: self.first.union(other.first), all: self.all.union(other.all) }
    }

    fn and(self, other: Self) -> Self {
        Self { first: self.first.intersect(other.first), all: self.all.intersect(other.all) }
    }
}

/// Properties of the set of strings that an expression or a rule derives: whether there is any,
/// whether the empty string is one, and the shortest length. With [`Alphabet`] as the parameter,
/// also the bytes in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts<L = ()> {
    /// Whether the expression derives any string.
    pub productive: bool,
    /// Whether the expression derives the empty string.
    pub nullable: bool,
    /// The length in bytes of the shortest nonempty string that is derived, where a token counts as
    /// one byte. `u32::MAX` if no nonempty string is derived.
    pub shortest: u32,
    /// The bytes that occur in the derived strings. `()` if they are not computed.
    pub bytes: L,
}

impl<L: ByteFacts> Facts<L> {
    /// The properties of the empty language.
    const NEVER: Self =
        Self { productive: false, nullable: false, shortest: u32::MAX, bytes: L::NONE };
    /// The properties of the language that has only the empty string.
    const EMPTY: Self = Self { productive: true, nullable: true, ..Self::NEVER };

    /// Returns the properties of the concatenation of a language with the properties `self` and one
    /// with the properties `next`.
    fn then(self, next: Self) -> Self {
        if !self.productive || !next.productive {
            return Self::NEVER;
        }
        let both = self.shortest.saturating_add(next.shortest);
        let left = if next.nullable { self.shortest } else { u32::MAX };
        let right = if self.nullable { next.shortest } else { u32::MAX };
        Self {
            productive: true,
            nullable: self.nullable && next.nullable,
            shortest: both.min(left).min(right),
            bytes: self.bytes.then(next.bytes, self.nullable),
        }
    }

    /// Returns the properties of the union of two languages, given the properties of both.
    fn or(self, other: Self) -> Self {
        Self {
            productive: self.productive || other.productive,
            nullable: self.nullable || other.nullable,
            shortest: self.shortest.min(other.shortest),
            bytes: self.bytes.or(other.bytes),
        }
    }

    /// Returns the properties of a language without the empty string. Its shortest string has
    /// `shortest` bytes, at least 1. `bytes` says which bytes occur in its strings.
    fn of_length(shortest: u32, bytes: L) -> Self {
        Self { productive: true, nullable: false, shortest, bytes }
    }

    /// Returns the properties of the language of an automaton: whether it is empty, whether it has
    /// the empty string, its shortest length, and its bytes.
    fn of_dfa(dfa: &Dfa) -> Self {
        let mut seen = vec![false; dfa.states.len()];
        seen[0] = true;
        // The states in the order of their distance, so that the first path to an accepting state
        // is the shortest.
        let mut queue = VecDeque::from([(0u32, 0)]);
        let mut shortest = u32::MAX;
        while let Some((state, distance)) = queue.pop_front() {
            let targets = dfa.states[state as usize].edges.iter().map(|edge| edge.target);
            if targets.clone().any(|target| dfa.states[target as usize].accepting) {
                shortest = distance + 1;
                break;
            }
            let new =
                targets.filter(|&target| !std::mem::replace(&mut seen[target as usize], true));
            queue.extend(new.map(|target| (target, distance + 1)));
        }
        let nullable = dfa.states[0].accepting;
        let productive = nullable || shortest < u32::MAX;
        Self { productive, nullable, shortest, bytes: L::of_dfa(dfa) }
    }
}

/// For each rule of a grammar, returns its [`Facts`]: whether it derives any string, whether it
/// derives the empty string, and its shortest length. `survey` must be that of the grammar. If the
/// budget is spent, the result is invalid.
pub fn of_rules(grammar: &Grammar, survey: &Survey, budget: &Budget) -> Vec<Facts> {
    let mut facts = vec![Facts::NEVER; grammar.rules.len()];
    for group in survey.groups() {
        resolve_group(grammar, survey, group, &mut facts, budget);
    }
    facts
}

/// Computes the [`Facts`] of a group of mutually recursive rules, by fixpoint iteration, and stores
/// them in `facts`. The facts of all other rules that they call have to be there already. If the
/// budget is spent, the stored facts are invalid.
fn resolve_group<L: ByteFacts>(
    grammar: &Grammar,
    survey: &Survey,
    group: RuleGroup<'_>,
    facts: &mut [Facts<L>],
    budget: &Budget,
) {
    let within = |expr: &Expr, rules: &[Facts<L>]| {
        Known { rules, graphs: FxHashMap::default(), budget: Some(budget) }.of_expr(expr)
    };
    let RuleGroup { rules: group, is_recursive } = group;
    if !is_recursive {
        let rule = group[0] as usize;
        facts[rule] = within(&grammar.rules[rule].expr, facts);
        return;
    }
    // For each rule of the group, by its index in the group, the indices of its callers in the
    // group. The rules of a group are in ascending order.
    let place = |rule: &u32| group.binary_search(rule).ok().map(|place| place as u32);
    let calls = (0..).zip(group).flat_map(|(caller, &rule)| {
        survey
            .calls
            .of(rule as usize)
            .iter()
            .filter_map(move |callee| Some((place(callee)?, caller)))
    });
    let callers = Lists::of_pairs(group.len(), calls);
    let mut waits = vec![true; group.len()];
    let mut work: VecDeque<u32> = (0..group.len() as u32).collect();
    while let Some(place) = work.pop_front() {
        let rule = group[place as usize] as usize;
        if budget.spend(survey.sizes[rule]).is_err() {
            return;
        }
        waits[place as usize] = false;
        let new = within(&grammar.rules[rule].expr, facts);
        if std::mem::replace(&mut facts[rule], new) != new {
            let callers = callers.of(place as usize).iter();
            work.extend(
                callers.filter(|&&caller| !std::mem::replace(&mut waits[caller as usize], true)),
            );
        }
    }
}

/// A cache of the [`Facts`] of rules, including the bytes in their strings. Only requested rules
/// and the rules that these call are computed.
#[derive(Default)]
pub struct Alphabets {
    /// For each rule, its [`Facts`], if they are known. Empty before the first request.
    facts: Vec<Facts<Alphabet>>,
    /// For each rule, whether its entry in `facts` is known.
    is_known: Vec<bool>,
}

impl Alphabets {
    /// Returns the [`Facts`] of an expression of a grammar, including the bytes in its strings.
    /// O(rules), besides the cost of the rules whose facts are not known yet. If the budget is
    /// spent, the result is invalid.
    pub fn of_expr(
        &mut self,
        expr: &Expr,
        grammar: &Grammar,
        survey: &Survey,
        budget: &Budget,
    ) -> Facts<Alphabet> {
        let count = grammar.rules.len();
        self.facts.resize(count, Facts::NEVER);
        self.is_known.resize(count, false);
        let mut asked: Vec<u32> = Vec::new();
        expr.for_each_call(&mut |rule| asked.push(rule.index() as u32));
        let mut is_new = Vec::new();
        while let Some(rule) = asked.pop() {
            if !std::mem::replace(&mut self.is_known[rule as usize], true) {
                is_new.resize(count, false);
                is_new[rule as usize] = true;
                asked.extend(survey.calls.of(rule as usize));
            }
        }
        if !is_new.is_empty() {
            // Rules that call each other become known together.
            for group in survey.groups().filter(|group| is_new[group.rules[0] as usize]) {
                resolve_group(grammar, survey, group, &mut self.facts, budget);
            }
        }
        of_expr(expr, &self.facts)
    }
}

/// Returns the [`Facts`] of an expression, given those of each rule of the grammar: whether it
/// derives any string, whether it derives the empty string, and the shortest length.
///
/// For intersections and complements the result is an upper bound, which is safe for every use but
/// `nullable` and `productive`. The network determines those two when it builds the automaton.
pub fn of_expr<L: ByteFacts>(expr: &Expr, rules: &[Facts<L>]) -> Facts<L> {
    Known { rules, graphs: FxHashMap::default(), budget: None }.of_expr(expr)
}

/// The record of one state of an expression graph, while the [`Facts`] of the graph are computed.
#[derive(Clone, Copy)]
struct Reached<L> {
    /// The [`Facts`] of the strings on paths from the start of the graph to the state.
    facts: Facts<L>,
    /// Whether the facts of the state have changed since its edges were visited.
    waits: bool,
    /// The index of one edge that leaves the state, or `usize::MAX` if there is none. The entry of
    /// that edge has the index of the next one.
    edge: usize,
}

/// Computes the [`Facts`] of expressions from those of rules. Keeps the facts of graphs, which
/// several expressions may share.
struct Known<'a, L> {
    /// For each rule of the grammar, its [`Facts`].
    rules: &'a [Facts<L>],
    /// Maps the address of each visited graph to its [`Facts`]. In an object, several expressions
    /// share the graph of the keys that the schema does not name.
    graphs: FxHashMap<*const ExprGraph, Facts<L>>,
    /// The budget of the compilation. Once it is spent, results are invalid. `None` if work is not
    /// counted.
    budget: Option<&'a Budget>,
}

impl<L: ByteFacts> Known<'_, L> {
    /// Returns the [`Facts`] of an expression. Invalid if the budget is spent.
    fn of_expr(&mut self, expr: &Expr) -> Facts<L> {
        if self.budget.is_some_and(|budget| budget.spend(1).is_err()) {
            return Facts::NEVER;
        }
        match expr {
            Expr::Never => Facts::NEVER,
            Expr::Empty => Facts::EMPTY,
            Expr::Bytes(set) => Facts::of_length(1, L::of_bytes(*set)),
            Expr::Literal(bytes) => Facts::of_length(bytes.len() as u32, L::of_literal(bytes)),
            Expr::Token(_) => Facts::of_length(1, L::NONE),
            Expr::Call(rule) => self.rules[rule.index()],
            Expr::Seq(parts) => {
                parts.iter().fold(Facts::EMPTY, |facts, part| facts.then(self.of_expr(part)))
            }
            Expr::Alt(choices) => {
                choices.iter().fold(Facts::NEVER, |facts, choice| facts.or(self.of_expr(choice)))
            }
            Expr::Repeat { body, min, .. } => {
                let once = self.of_expr(body);
                let nullable = *min == 0 || once.nullable;
                let least = if once.nullable { 1 } else { (*min).max(1) };
                Facts {
                    productive: nullable || once.productive,
                    nullable,
                    shortest: once.shortest.saturating_mul(least),
                    ..once
                }
            }
            Expr::Regular(dfa) => Facts::of_dfa(dfa),
            Expr::Texts(texts) => {
                let shortest = texts.iter().map(<[u8]>::len).min().unwrap_or(0);
                Facts::of_length(shortest as u32, L::of_texts(texts))
            }
            Expr::Graph(graph) => {
                if let Some(&known) = self.graphs.get(&Arc::as_ptr(graph)) {
                    return known;
                }
                let facts = self.of_graph(graph);
                self.graphs.insert(Arc::as_ptr(graph), facts);
                facts
            }
            Expr::And(parts) => parts.iter().map(|part| self.of_expr(part)).fold(
                Facts { productive: true, nullable: true, shortest: 1, bytes: L::ANY },
                |a, b| Facts {
                    productive: a.productive && b.productive,
                    nullable: a.nullable && b.nullable,
                    shortest: a.shortest.max(b.shortest),
                    bytes: a.bytes.and(b.bytes),
                },
            ),
            Expr::Not(body) => Facts {
                productive: true,
                nullable: !self.of_expr(body).nullable,
                shortest: 1,
                bytes: L::ANY,
            },
        }
    }

    /// Returns the [`Facts`] of a graph, by fixpoint iteration. Computes for each state the facts
    /// of the strings that lead from the start to the state. Most edges lead to higher states, so
    /// one sweep is enough for most graphs.
    ///
    /// For a graph with required keys, `shortest` and `bytes` are the facts of all paths, which is
    /// a safe bound. Such a graph counts as productive if each key is on some path. The network
    /// detects later if no single path visits all keys.
    fn of_graph(&mut self, graph: &ExprGraph) -> Facts<L> {
        let start = ExprGraph::START as usize;
        let unseen = Reached { facts: Facts::NEVER, waits: false, edge: usize::MAX };
        let mut states = vec![unseen; graph.states() as usize];
        states[start] = Reached { facts: Facts::EMPTY, waits: true, ..unseen };
        let edges = graph.edges().enumerate().map(|(edge, (from, part, to))| {
            let another = std::mem::replace(&mut states[from as usize].edge, edge);
            (self.of_expr(part), to as usize, another)
        });
        // For each edge, the facts of its label, its target, and the index of another edge of the
        // same source.
        let edges: Vec<(Facts<L>, usize, usize)> = edges.collect();
        let mut again = true;
        while std::mem::take(&mut again) {
            for state in 0..states.len() {
                if !std::mem::take(&mut states[state].waits) {
                    continue;
                }
                let mut edge = states[state].edge;
                while let Some(&(part, to, another)) = edges.get(edge) {
                    let new = states[to].facts.or(states[state].facts.then(part));
                    if std::mem::replace(&mut states[to].facts, new) != new {
                        states[to].waits = true;
                        again |= to <= state;
                    }
                    edge = another;
                }
            }
        }
        let end = graph.end() as usize;
        if !graph.counters().is_empty() {
            return Facts { nullable: self.is_nullable(graph), ..states[end].facts };
        }
        if graph.required_keys() == 0 {
            return states[end].facts;
        }
        let mut ends = vec![false; states.len()];
        ends[end] = true;
        while graph.edges().zip(&edges).fold(false, |changed, ((from, _, to), (part, ..))| {
            let leads = part.productive && ends[to as usize];
            leads && !std::mem::replace(&mut ends[from as usize], true) || changed
        }) {}
        let visited = graph.required_key_states().iter().filter(|&&(state, _)| {
            let state = state as usize;
            states[state].facts.productive && ends[state]
        });
        if visited.fold(0, |keys, &(_, key)| keys | 1 << key) != graph.required_keys() {
            return Facts::NEVER;
        }
        Facts { nullable: false, ..states[end].facts }
    }

    /// Whether a graph with counters derives the empty string. The path of the empty string has no
    /// increment, so every check of a counter finds the count 0.
    fn is_nullable(&mut self, graph: &ExprGraph) -> bool {
        let mut passes = vec![true; graph.states() as usize];
        for &(state, step) in graph.steps() {
            passes[state as usize] &= match step {
                Step::Reset(_) => true,
                Step::Increment(_) => false,
                Step::Check(counter) => graph.counters()[usize::from(counter)].min == 0,
            };
        }
        let mut reached = vec![false; passes.len()];
        reached[ExprGraph::START as usize] = true;
        let edges = graph.edges();
        let empty =
            edges.filter(|(_, part, to)| passes[*to as usize] && self.of_expr(part).nullable);
        let empty: Vec<(u32, u32)> = empty.map(|(from, _, to)| (from, to)).collect();
        while empty.iter().fold(false, |changed, &(from, to)| {
            reached[from as usize] && !std::mem::replace(&mut reached[to as usize], true) || changed
        }) {}
        reached[graph.end() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_that_stand_twice_are_known_each_for_itself() {
        let graph = |text: &str| {
            let mut graph = ExprGraph::new();
            graph.edge(ExprGraph::START, Expr::literal(text), graph.end());
            Expr::Graph(graph.into())
        };
        let [short, long] = ["a", "abc"].map(graph);
        let inner = Expr::alt([long.clone(), Expr::seq([short.clone(), short.clone()])]);
        let expr = Expr::seq([short.clone(), long.clone(), inner, long, short]);
        let facts: Facts<Alphabet> = of_expr(&expr, &[]);
        assert_eq!((facts.shortest, facts.nullable, facts.productive), (10, false, true));
        assert_eq!(facts.bytes.first, ByteSet::range(b'a', b'a'));
        assert_eq!(facts.bytes.all, ByteSet::range(b'a', b'c'));
    }
}
