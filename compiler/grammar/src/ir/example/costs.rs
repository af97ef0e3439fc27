//! The costs of texts: which text of a rule is the cheapest.
//!
//! The cost of a text is mostly its length in bytes. Among texts of equal length, those of letters and digits cost less
//! than those with other printable characters, and these less than others. So examples are plain.
//!
//! The costs of the rules are the least fixpoint over the grammar, as in Knuth's generalization of Dijkstra's algorithm
//! (*A generalization of Dijkstra's algorithm*, 1977). Each call costs a little, so the choice of the cheapest
//! alternatives never returns to a rule in progress.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use rustc_hash::FxHashMap;

use super::super::graph_position::{GraphPosition, StateActions};
use crate::automata::Dfa;
use crate::budget::Budget;
use crate::ir::{ByteSet, Expr, ExprGraph, Grammar, Survey};

/// Cost of a plain byte (a letter or digit of ASCII) in a text. The text with the lowest sum is chosen.
const PLAIN: u64 = 64;
/// Cost of another printable byte of ASCII.
const PRINTABLE: u64 = 65;
/// Cost of a byte that is not printable ASCII. It is the highest cost, so texts without such bytes are preferred.
const OTHER: u64 = 72;
/// Cost of a call of a rule.
const CALL: u64 = 1;

/// Maximum number of positions that the search for a path of one expression graph visits. Beyond it, the search gives
/// up, as if the graph denoted no text.
const MOST_POSITIONS: usize = 1 << 18;

/// The costs of rules and graphs so far. `None` stands for no known text.
pub(super) struct Costs {
    /// For each rule, the cost of its cheapest known text.
    of_rules: Vec<Option<u64>>,
    /// Maps the addresses of graphs to their costs, while the costs of rules do not change.
    graphs: FxHashMap<*const ExprGraph, Option<u64>>,
}

impl Costs {
    /// Returns the costs of all rules of a grammar. `None` if the budget is spent.
    pub(super) fn new(grammar: &Grammar, survey: &Survey, budget: &Budget) -> Option<Self> {
        let mut costs =
            Self { of_rules: vec![None; grammar.rules.len()], graphs: FxHashMap::default() };
        for group in survey.groups() {
            let mut again = true;
            while std::mem::take(&mut again) {
                for &rule in group.rules {
                    budget.spend(survey.sizes[rule as usize]).ok()?;
                    let new = costs.of(&grammar.rules[rule as usize].expr);
                    again |= std::mem::replace(&mut costs.of_rules[rule as usize], new) != new;
                }
                costs.graphs.clear();
                again &= group.is_recursive;
            }
        }
        Some(costs)
    }

    /// Returns the cost of the cheapest text of an expression. `None` if there is none.
    pub(super) fn of(&mut self, expr: &Expr) -> Option<u64> {
        match expr {
            Expr::Never | Expr::Token(_) | Expr::And(_) | Expr::Not(_) => None,
            Expr::Empty => Some(0),
            Expr::Bytes(set) => best(*set).map(|(cost, _)| cost),
            Expr::Literal(bytes) => Some(of_bytes(bytes)),
            Expr::Call(rule) => self.of_rules[rule.index()].map(|cost| cost.saturating_add(CALL)),
            Expr::Seq(parts) => {
                parts.iter().try_fold(0_u64, |cost, part| Some(cost.saturating_add(self.of(part)?)))
            }
            Expr::Alt(choices) => choices.iter().filter_map(|choice| self.of(choice)).min(),
            Expr::Repeat { min: 0, .. } => Some(0),
            Expr::Repeat { body, min, .. } => {
                self.of(body).map(|cost| cost.saturating_mul(u64::from(*min)))
            }
            Expr::Regular(dfa) => of_dfa(dfa, 0).map(|(cost, _)| cost),
            Expr::Texts(texts) => texts.iter().map(of_bytes).min(),
            Expr::Graph(graph) => {
                let address: *const ExprGraph = &raw const **graph;
                if let Some(&known) = self.graphs.get(&address) {
                    return known;
                }
                let cost = self.path(graph, GraphPosition::start(graph)).map(|(cost, _)| cost);
                self.graphs.insert(address, cost);
                cost
            }
        }
    }

    /// Returns the cheapest path from a position of a graph to its end: its cost, and the labels of its edges. `None`
    /// if there is none, or if it takes too many positions.
    pub(super) fn path<'g>(
        &mut self,
        graph: &'g ExprGraph,
        start: GraphPosition,
    ) -> Option<(u64, Vec<&'g Expr>)> {
        let mut edges: Vec<Vec<(u64, &Expr, u32)>> = vec![Vec::new(); graph.states() as usize];
        for (from, part, to) in graph.edges() {
            if let Some(cost) = self.of(part) {
                edges[from as usize].push((cost, part, to));
            }
        }
        let actions = StateActions::of(graph);
        // For each position, the cheapest known cost, and the position and label before it.
        let mut found: Vec<(u64, Option<(usize, &Expr)>)> = vec![(0, None)];
        let mut numbers: HashMap<GraphPosition, usize> = HashMap::from([(start.clone(), 0)]);
        let mut positions = vec![start];
        let mut open = BinaryHeap::from([Reverse((0_u64, 0_usize))]);
        while let Some(Reverse((cost, at))) = open.pop() {
            if cost > found[at].0 {
                continue;
            }
            let position = positions[at].clone();
            if position.is_end(graph) {
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
                let Some(next) = position.after(graph, to, &actions) else { continue };
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

pub(super) fn of_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().map(|&byte| cheapest(byte, byte).0).sum()
}

/// Returns the cheapest byte of a set, with its cost. `None` for the empty set.
pub(super) fn best(set: ByteSet) -> Option<(u64, u8)> {
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

/// Returns the cheapest text that an automaton over bytes accepts from a state on, with its cost. `None` if there is
/// none.
pub(super) fn of_dfa(dfa: &Dfa, start: u32) -> Option<(u64, Vec<u8>)> {
    let mut found: Vec<(u64, Option<(u32, u8)>)> = vec![(u64::MAX, None); dfa.states.len()];
    found[start as usize].0 = 0;
    let mut open = BinaryHeap::from([Reverse((0_u64, start))]);
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
