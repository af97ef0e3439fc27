//! Shortest texts: a text of a grammar with the lowest cost.
//!
//! The cost of a text is mostly its length in bytes. Among texts of equal length, those of letters
//! and digits cost less than those with other printable characters, and these less than others. So
//! examples are plain.
//!
//! The costs of the rules are the least fixpoint over the grammar, as in Knuth's generalization of
//! Dijkstra's algorithm (*A generalization of Dijkstra's algorithm*, 1977). Each call costs a
//! little, so the choice of the cheapest alternatives never returns to a rule in progress.
//!
//! Tests: unit tests here; `compiler/json-schema/src/relation`.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use rustc_hash::FxHashMap;

use super::{ByteSet, Expr, ExprGraph, Grammar, RuleId, Step, Survey};
use crate::automata::Dfa;
use crate::budget::Budget;

/// Cost of a plain byte (a letter or digit of ASCII) in a text. The text with the lowest sum is
/// chosen.
const PLAIN: u64 = 64;
/// Cost of another printable byte of ASCII.
const PRINTABLE: u64 = 65;
/// Cost of a byte that is not printable ASCII. It is the highest cost, so texts without such bytes are
/// preferred.
const OTHER: u64 = 72;
/// Cost of a call of a rule.
const CALL: u64 = 1;

/// Maximum number of positions that the search for a path of one expression graph visits. A position
/// is a state with the counts of its counters, or with the required keys visited so far. Beyond it,
/// the search gives up, as if the graph denoted no text.
const MOST_POSITIONS: usize = 1 << 18;

/// Returns the shortest text of a grammar's start rule. `None` if there is no text, if all texts
/// have tokens that are matched by id, intersections or complements, or if the budget is spent.
///
/// Cost: one visit of each expression for each time that the costs of its callees change.
pub fn shortest_text(grammar: &Grammar, survey: &Survey, budget: &Budget) -> Option<Vec<u8>> {
    let mut costs =
        Costs { of_rules: vec![None; grammar.rules.len()], graphs: FxHashMap::default() };
    for group in survey.groups() {
        let mut again = true;
        while std::mem::take(&mut again) {
            for &rule in group.rules {
                if budget.spend(survey.sizes[rule as usize]).is_err() {
                    return None;
                }
                let new = costs.of(&grammar.rules[rule as usize].expr);
                again |= std::mem::replace(&mut costs.of_rules[rule as usize], new) != new;
            }
            costs.graphs.clear();
            again &= group.is_recursive;
        }
    }
    costs.of_rules[grammar.start.index()]?;
    Some(costs.text(grammar, grammar.start))
}

/// The costs of rules and graphs so far. `None` stands for no known text.
struct Costs {
    /// For each rule, the cost of its cheapest known text.
    of_rules: Vec<Option<u64>>,
    /// Maps the addresses of graphs to their costs, while the costs of rules do not change.
    graphs: FxHashMap<*const ExprGraph, Option<u64>>,
}

impl Costs {
    /// Returns the cost of the cheapest text of an expression. `None` if there is none.
    fn of(&mut self, expr: &Expr) -> Option<u64> {
        match expr {
            Expr::Never | Expr::Token(_) | Expr::And(_) | Expr::Not(_) => None,
            Expr::Empty => Some(0),
            Expr::Bytes(set) => best(*set).map(|(cost, _)| cost),
            Expr::Literal(bytes) => Some(of_bytes(bytes)),
            Expr::Call(rule) => self.of_rules[rule.index()].map(|cost| cost + CALL),
            Expr::Seq(parts) => {
                parts.iter().try_fold(0_u64, |cost, part| Some(cost.saturating_add(self.of(part)?)))
            }
            Expr::Alt(choices) => choices.iter().filter_map(|choice| self.of(choice)).min(),
            Expr::Repeat { min: 0, .. } => Some(0),
            Expr::Repeat { body, min, .. } => {
                self.of(body).map(|cost| cost.saturating_mul(u64::from(*min)))
            }
            Expr::Regular(dfa) => of_dfa(dfa).map(|(cost, _)| cost),
            Expr::Texts(texts) => texts.iter().map(of_bytes).min(),
            Expr::Graph(graph) => {
                let address: *const ExprGraph = &raw const **graph;
                if let Some(&known) = self.graphs.get(&address) {
                    return known;
                }
                let cost = self.path(graph).map(|(cost, _)| cost);
                self.graphs.insert(address, cost);
                cost
            }
        }
    }

    /// Returns the cheapest text of a rule. The costs of all rules must be known.
    fn text(&mut self, grammar: &Grammar, start: RuleId) -> Vec<u8> {
        let mut text = Vec::new();
        // Expressions to write, the next one last, each with a number of repetitions.
        let call = Expr::Call(start);
        let mut open: Vec<(&Expr, u32)> = vec![(&call, 1)];
        while let Some((expr, times)) = open.pop() {
            if times > 1 {
                open.push((expr, times - 1));
            }
            match expr {
                Expr::Bytes(set) => text.extend(best(*set).map(|(_, byte)| byte)),
                Expr::Literal(bytes) => text.extend_from_slice(bytes),
                Expr::Call(rule) => open.push((&grammar.rule(*rule).expr, 1)),
                Expr::Seq(parts) => open.extend(parts.iter().rev().map(|part| (part, 1))),
                Expr::Alt(choices) => {
                    let costs = choices.iter().map(|choice| (choice, self.of(choice)));
                    let cheapest = costs.filter_map(|(choice, cost)| Some((choice, cost?)));
                    let cheapest = cheapest.min_by_key(|&(_, cost)| cost);
                    open.extend(cheapest.map(|(choice, _)| (choice, 1)));
                }
                Expr::Repeat { body, min, .. } if *min > 0 => open.push((body, *min)),
                Expr::Regular(dfa) => text.extend(of_dfa(dfa).unwrap_or_default().1),
                Expr::Texts(texts) => {
                    text.extend_from_slice(
                        texts.iter().min_by_key(|text| of_bytes(text)).unwrap_or_default(),
                    );
                }
                Expr::Graph(graph) => {
                    let parts = self.path(graph).unwrap_or_default().1;
                    open.extend(parts.into_iter().rev().map(|part| (part, 1)));
                }
                Expr::Repeat { .. } | Expr::Empty => {}
                Expr::Never | Expr::Token(_) | Expr::And(_) | Expr::Not(_) => {}
            }
        }
        text
    }

    /// Returns the cheapest path of a graph that its counters and required keys allow: its cost, and
    /// the labels of its edges. `None` if there is none, or if it takes too many positions.
    fn path<'g>(&mut self, graph: &'g ExprGraph) -> Option<(u64, Vec<&'g Expr>)> {
        let states = graph.states() as usize;
        let mut edges: Vec<Vec<(u64, &Expr, u32)>> = vec![Vec::new(); states];
        for (from, part, to) in graph.edges() {
            if let Some(cost) = self.of(part) {
                edges[from as usize].push((cost, part, to));
            }
        }
        let mut steps: Vec<Vec<Step>> = vec![Vec::new(); states];
        graph.steps().iter().for_each(|&(state, step)| steps[state as usize].push(step));
        let mut keys = vec![0_u32; states];
        graph
            .required_key_states()
            .iter()
            .for_each(|&(state, key)| keys[state as usize] |= 1 << key);
        let start = Position {
            state: ExprGraph::START,
            keys: 0,
            counts: vec![0; graph.counters().len()].into(),
        };
        // For each position, the cheapest known cost, and the position and label before it.
        let mut found: Vec<(u64, Option<(usize, &Expr)>)> = vec![(0, None)];
        let mut numbers: HashMap<Position, usize> = HashMap::from([(start.clone(), 0)]);
        let mut positions = vec![start];
        let mut open = BinaryHeap::from([Reverse((0_u64, 0_usize))]);
        while let Some(Reverse((cost, at))) = open.pop() {
            if cost > found[at].0 {
                continue;
            }
            let position = positions[at].clone();
            if position.state == graph.end() && position.keys == graph.required_keys() {
                let mut path = Vec::new();
                let mut at = at;
                while let Some((before, part)) = found[at].1 {
                    path.push(part);
                    at = before;
                }
                path.reverse();
                return Some((cost, path));
            }
            for &(more, part, to) in &edges[position.state as usize] {
                let Some(next) = position.after(graph, to, keys[to as usize], &steps[to as usize])
                else {
                    continue;
                };
                let new = numbers.len();
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    positions.push(next.clone());
                    found.push((u64::MAX, None));
                    new
                });
                if new > MOST_POSITIONS {
                    return None;
                }
                let cost = cost.saturating_add(more);
                if cost < found[number].0 {
                    found[number] = (cost, Some((at, part)));
                    open.push(Reverse((cost, number)));
                }
            }
        }
        None
    }
}

/// A position on a path of a graph: the state, the visited required keys as bits, and the counts.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Position {
    state: u32,
    keys: u32,
    counts: Box<[u32]>,
}

impl Position {
    /// Returns the position after an edge to the state `to`, which has the required keys `keys` and
    /// these steps. `None` if a counter does not allow it.
    fn after(&self, graph: &ExprGraph, to: u32, keys: u32, steps: &[Step]) -> Option<Self> {
        let mut counts = self.counts.clone();
        for step in steps {
            let at = usize::from(step.counter());
            let counter = graph.counters()[at];
            match step {
                Step::Reset(_) => counts[at] = 0,
                Step::Increment(_) if counter.max == Some(counts[at]) => return None,
                Step::Increment(_) => counts[at] = counter.saturated(counts[at] + 1),
                Step::Check(_) if counts[at] < counter.min => return None,
                Step::Check(_) => {}
            }
        }
        Some(Self { state: to, keys: self.keys | keys, counts })
    }
}

fn of_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| cheapest(byte, byte).0).sum()
}

/// Returns the cheapest byte of a set, with its cost. `None` for the empty set.
fn best(set: ByteSet) -> Option<(u64, u8)> {
    set.ranges().map(|(lo, hi)| cheapest(lo, hi)).min()
}

/// Returns the cheapest byte from `lo` to `hi`, both inclusive, with its cost.
fn cheapest(lo: u8, hi: u8) -> (u64, u8) {
    let kinds =
        [(b'a', b'z', PLAIN), (b'0', b'9', PLAIN), (b'A', b'Z', PLAIN), (b' ', b'~', PRINTABLE)];
    let within = kinds.into_iter().find_map(|(from, to, cost)| {
        let (first, last) = (lo.max(from), hi.min(to));
        (first <= last).then_some((cost, first))
    });
    within.unwrap_or((OTHER, lo))
}

/// Returns the cheapest text of an automaton over bytes, with its cost. `None` if it accepts none.
fn of_dfa(dfa: &Dfa) -> Option<(u64, Vec<u8>)> {
    let mut found: Vec<(u64, Option<(u32, u8)>)> = vec![(u64::MAX, None); dfa.states.len()];
    found[0].0 = 0;
    let mut open = BinaryHeap::from([Reverse((0_u64, 0_u32))]);
    while let Some(Reverse((cost, state))) = open.pop() {
        if cost > found[state as usize].0 {
            continue;
        }
        if dfa.states[state as usize].accepting {
            let (mut text, mut at) = (Vec::new(), state);
            while let Some((before, byte)) = found[at as usize].1 {
                text.push(byte);
                at = before;
            }
            text.reverse();
            return Some((cost, text));
        }
        for edge in &dfa.states[state as usize].edges {
            let (Ok(lo), hi) = (u8::try_from(edge.lo), edge.hi.min(u32::from(u8::MAX)) as u8)
            else {
                continue;
            };
            let (more, byte) = cheapest(lo, hi);
            if cost + more < found[edge.target as usize].0 {
                found[edge.target as usize] = (cost + more, Some((state, byte)));
                open.push(Reverse((cost + more, edge.target)));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Counter, GrammarBuilder, Origin};

    fn shortest(define: impl FnOnce(&mut GrammarBuilder) -> RuleId) -> Option<String> {
        let mut builder = GrammarBuilder::default();
        let start = define(&mut builder);
        let grammar = builder.finish(start);
        let budget = Budget::new();
        let text = shortest_text(&grammar, &Survey::new(&grammar, &budget), &budget);
        text.map(|text| String::from_utf8(text).unwrap())
    }

    fn of(expr: Expr) -> Option<String> {
        shortest(|builder| {
            let start = builder.declare("start");
            builder.define(start, expr, Origin::default());
            start
        })
    }

    #[test]
    fn plain_texts_come_first() {
        let any = Expr::Bytes(ByteSet::FULL);
        assert_eq!(of(any.clone().repeat(3, None)).as_deref(), Some("aaa"));
        assert_eq!(of(Expr::alt([Expr::literal("-"), Expr::literal("7")])).as_deref(), Some("7"));
        assert_eq!(of(Expr::alt([Expr::literal("abc"), any.star()])).as_deref(), Some(""));
        assert_eq!(of(Expr::Never), None);
        assert_eq!(of(Expr::Repeat { body: Expr::Never.into(), min: 2, max: None }), None);
    }

    #[test]
    fn recursive_rules_end() {
        let text = shortest(|builder| {
            let (list, item) = (builder.declare("list"), builder.declare("item"));
            let inner = Expr::seq([Expr::literal("["), Expr::Call(item), Expr::literal("]")]);
            builder.define(list, inner, Origin::default());
            let choices = [Expr::Call(list), Expr::Call(item), Expr::literal("123456")];
            builder.define(item, Expr::alt(choices), Origin::default());
            list
        });
        assert_eq!(text.as_deref(), Some("[123456]"));
        let endless = shortest(|builder| {
            let rule = builder.declare("rule");
            builder.define(
                rule,
                Expr::seq([Expr::literal("a"), Expr::Call(rule)]),
                Origin::default(),
            );
            rule
        });
        assert_eq!(endless, None);
    }

    #[test]
    fn graphs_keep_their_counters_and_keys() {
        let mut graph = ExprGraph::new();
        let (loops, end) = (graph.state(), graph.end());
        let counter = graph.counter(Counter { min: 3, max: Some(4) });
        graph.edge(ExprGraph::START, Expr::literal("x"), loops);
        graph.edge(loops, Expr::literal("x"), loops);
        graph.edge(loops, Expr::Empty, end);
        graph.step(loops, Step::Increment(counter));
        graph.step(end, Step::Check(counter));
        assert_eq!(of(Expr::Graph(graph.into())).as_deref(), Some("xxx"));

        let mut graph = ExprGraph::new();
        let (one, two, end) = (graph.state(), graph.state(), graph.end());
        for state in [ExprGraph::START, one, two] {
            graph.edge(state, Expr::literal("a"), one);
            graph.edge(state, Expr::literal("b"), two);
            graph.edge(state, Expr::Empty, end);
        }
        graph.require_key(one, 0);
        graph.require_key(two, 1);
        let text = of(Expr::Graph(graph.into())).unwrap();
        assert!(text == "ab" || text == "ba", "{text}");
    }
}
