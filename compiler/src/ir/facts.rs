//! Facts about rules that the network needs before it builds one: which derive something, which derive the empty
//! string, and with which bytes.
//!
//! All are least fixpoints over the rules. Callees come before their callers, so that most rules are looked at once;
//! those that lead back to themselves are swept until nothing changes.

use std::collections::VecDeque;

use super::{ByteSet, Expr, ExprGraph, Grammar};
use crate::automata::Dfa;
use crate::graph::components_by;

/// What is known of an expression or a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Derives some string.
    pub productive: bool,
    /// Derives the empty string.
    pub nullable: bool,
    /// Length in bytes of the shortest derived string that is not empty; a token counts as one byte. `u32::MAX` where
    /// there is none.
    pub shortest: u32,
    /// Bytes with which a derived string can begin.
    pub first: ByteSet,
    /// Bytes that occur in derived strings.
    pub alphabet: ByteSet,
}

impl Facts {
    const NEVER: Self = Self {
        productive: false,
        nullable: false,
        shortest: u32::MAX,
        first: ByteSet::EMPTY,
        alphabet: ByteSet::EMPTY,
    };
    const EMPTY: Self = Self { productive: true, nullable: true, ..Self::NEVER };

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
            first: if self.nullable { self.first.union(next.first) } else { self.first },
            alphabet: self.alphabet.union(next.alphabet),
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            productive: self.productive || other.productive,
            nullable: self.nullable || other.nullable,
            shortest: self.shortest.min(other.shortest),
            first: self.first.union(other.first),
            alphabet: self.alphabet.union(other.alphabet),
        }
    }

    fn of_bytes(set: ByteSet) -> Self {
        Self { productive: true, nullable: false, shortest: 1, first: set, alphabet: set }
    }

    fn of_dfa(dfa: &Dfa) -> Self {
        let bytes = |edges: &[crate::automata::Edge]| {
            edges.iter().fold(ByteSet::EMPTY, |set, edge| {
                set.union(ByteSet::range(edge.lo as u8, edge.hi as u8))
            })
        };
        let alphabet = dfa.states.iter().fold(ByteSet::EMPTY, |set, s| set.union(bytes(&s.edges)));
        let mut distance = vec![u32::MAX; dfa.states.len()];
        let mut queue = VecDeque::from([0u32]);
        distance[0] = 0;
        let mut shortest = u32::MAX;
        while let Some(state) = queue.pop_front() {
            for edge in &dfa.states[state as usize].edges {
                let next = distance[state as usize] + 1;
                if dfa.states[edge.target as usize].accepting {
                    shortest = shortest.min(next);
                }
                if distance[edge.target as usize] == u32::MAX {
                    distance[edge.target as usize] = next;
                    queue.push_back(edge.target);
                }
            }
        }
        let nullable = dfa.states[0].accepting;
        Self {
            productive: nullable || shortest < u32::MAX,
            nullable,
            shortest,
            first: bytes(&dfa.states[0].edges),
            alphabet,
        }
    }
}

/// Facts of every rule, by rule index.
pub fn of_rules(grammar: &Grammar) -> Vec<Facts> {
    let count = grammar.rules.len();
    let calls = grammar.calls();
    let component = components_by(count, |rule| calls[rule].len(), |rule, at| calls[rule][at]);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&rule| component[rule]);
    let mut facts = vec![Facts::NEVER; count];
    for group in order.chunk_by(|&a, &b| component[a] == component[b]) {
        let recursive = group.len() > 1 || calls[group[0]].contains(&group[0]);
        loop {
            let mut changed = false;
            for &rule in group {
                let new = of_expr(&grammar.rules[rule].expr, &facts);
                changed |= std::mem::replace(&mut facts[rule], new) != new;
            }
            if !(recursive && changed) {
                break;
            }
        }
    }
    facts
}

/// Facts of an expression, given those of the rules it calls. Of intersections and complements only what the operands
/// allow at most is known, which is on the safe side for every use but `nullable` and `productive`; those two are
/// settled when the network builds the automaton.
pub fn of_expr(expr: &Expr, rules: &[Facts]) -> Facts {
    match expr {
        Expr::Never => Facts::NEVER,
        Expr::Empty => Facts::EMPTY,
        Expr::Bytes(set) => Facts::of_bytes(*set),
        Expr::Literal(bytes) => Facts {
            shortest: bytes.len() as u32,
            first: bytes.first().copied().into_iter().collect(),
            alphabet: bytes.iter().copied().collect(),
            ..Facts::of_bytes(ByteSet::EMPTY)
        },
        Expr::Token(_) => Facts::of_bytes(ByteSet::EMPTY),
        Expr::Call(rule) => rules[rule.index()],
        Expr::Seq(parts) => {
            parts.iter().fold(Facts::EMPTY, |facts, part| facts.then(of_expr(part, rules)))
        }
        Expr::Alt(choices) => {
            choices.iter().fold(Facts::NEVER, |facts, choice| facts.or(of_expr(choice, rules)))
        }
        Expr::Repeat { body, min, .. } => {
            let once = of_expr(body, rules);
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
        Expr::Graph(graph) => of_graph(graph, rules),
        Expr::And(parts) => parts.iter().map(|part| of_expr(part, rules)).fold(
            Facts {
                productive: true,
                nullable: true,
                shortest: 1,
                first: ByteSet::FULL,
                alphabet: ByteSet::FULL,
            },
            |a, b| Facts {
                productive: a.productive && b.productive,
                nullable: a.nullable && b.nullable,
                shortest: a.shortest.max(b.shortest),
                first: a.first.intersect(b.first),
                alphabet: a.alphabet.intersect(b.alphabet),
            },
        ),
        Expr::Not(body) => Facts {
            productive: true,
            nullable: !of_expr(body, rules).nullable,
            shortest: 1,
            first: ByteSet::FULL,
            alphabet: ByteSet::FULL,
        },
    }
}

/// Facts of the strings that lead from the start to each state, spread from state to state until nothing changes. Most
/// edges lead to states of a higher number, so one sweep is enough for most graphs.
///
/// Of a graph with marks, `shortest` and `first` are those of its paths whatever they visit, which is on the safe side
/// for their uses, and it derives something where each mark can be visited on some path; where that takes different
/// paths, the construction of the network finds out.
fn of_graph(graph: &ExprGraph, rules: &[Facts]) -> Facts {
    let parts: Vec<(usize, Facts, usize)> = graph
        .edges()
        .map(|(from, part, to)| (from as usize, of_expr(part, rules), to as usize))
        .collect();
    let mut order: Vec<u32> = (0..parts.len() as u32).collect();
    order.sort_by_key(|&part| parts[part as usize].0);
    let from = |part: u32| parts[part as usize].0;
    let start = ExprGraph::START as usize;
    let mut facts = vec![Facts::NEVER; graph.states() as usize];
    facts[start] = Facts::EMPTY;
    let mut waits = vec![false; facts.len()];
    waits[start] = true;
    let mut again = true;
    while std::mem::take(&mut again) {
        for same in order.chunk_by(|&one, &other| from(one) == from(other)) {
            let state = from(same[0]);
            if !std::mem::take(&mut waits[state]) {
                continue;
            }
            for &(_, part, to) in same.iter().map(|&part| &parts[part as usize]) {
                let new = facts[to].or(facts[state].then(part));
                if std::mem::replace(&mut facts[to], new) != new {
                    waits[to] = true;
                    again |= to <= state;
                }
            }
        }
    }
    let end = graph.end() as usize;
    if graph.marks() == 0 {
        return facts[end];
    }
    let mut ends = vec![false; facts.len()];
    ends[end] = true;
    while parts.iter().fold(false, |changed, &(from, part, to)| {
        let leads = part.productive && ends[to];
        leads && !std::mem::replace(&mut ends[from], true) || changed
    }) {}
    let visited = graph.marked().iter().filter(|&&(state, _)| {
        let state = state as usize;
        facts[state].productive && ends[state]
    });
    if visited.fold(0, |marks, &(_, mark)| marks | 1 << mark) != graph.marks() {
        return Facts::NEVER;
    }
    Facts { nullable: false, ..facts[end] }
}
