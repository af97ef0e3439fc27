//! A small recognizer for the grammars of this front end, which have no left recursion and no tokens. It memoises the
//! ends of each rule from each start, and replaces the Earley recognizer of the IR.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::ir::{Expr, ExprGraph, Grammar, RuleId};

type Ends = BTreeSet<usize>;

struct Recognizer<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    known: FxHashMap<(RuleId, usize), Ends>,
}

/// Returns whether a grammar accepts a text.
pub(super) fn accepts(grammar: &Grammar, text: &[u8]) -> bool {
    let mut recognizer = Recognizer { grammar, text, known: FxHashMap::default() };
    recognizer.call(grammar.start, 0).contains(&text.len())
}

impl Recognizer<'_> {
    fn call(&mut self, rule: RuleId, start: usize) -> Ends {
        if let Some(ends) = self.known.get(&(rule, start)) {
            return ends.clone();
        }
        let grammar = self.grammar;
        let ends = self.ends(&grammar.rule(rule).expr, start);
        self.known.insert((rule, start), ends.clone());
        ends
    }

    fn each(&mut self, expr: &Expr, starts: &Ends) -> Ends {
        starts.iter().flat_map(|&start| self.ends(expr, start)).collect()
    }

    fn ends(&mut self, expr: &Expr, start: usize) -> Ends {
        let rest = &self.text[start..];
        match expr {
            Expr::Never => Ends::new(),
            Expr::Empty => Ends::from([start]),
            Expr::Bytes(set) => match rest.first() {
                Some(&byte) if set.contains(byte) => Ends::from([start + 1]),
                _ => Ends::new(),
            },
            Expr::Literal(bytes) if rest.starts_with(bytes) => Ends::from([start + bytes.len()]),
            Expr::Literal(_) => Ends::new(),
            Expr::Texts(texts) => {
                texts.begun_by(rest).into_iter().map(|length| start + length).collect()
            }
            Expr::Call(rule) => self.call(*rule, start),
            Expr::Seq(parts) => {
                let mut at = Ends::from([start]);
                for part in parts {
                    if at.is_empty() {
                        break;
                    }
                    at = self.each(part, &at);
                }
                at
            }
            Expr::Alt(choices) => {
                choices.iter().flat_map(|choice| self.ends(choice, start)).collect()
            }
            Expr::Repeat { body, min, max } => {
                let mut at = Ends::from([start]);
                for _ in 0..*min {
                    at = self.each(body, &at);
                    if at.is_empty() {
                        return at;
                    }
                }
                let mut all = at.clone();
                for _ in *min..max.unwrap_or(u32::MAX) {
                    at = self.each(body, &at).difference(&all).copied().collect();
                    if at.is_empty() {
                        break;
                    }
                    all.extend(&at);
                }
                all
            }
            Expr::Regular(dfa) => {
                let mut ends = Ends::new();
                let mut state = 0;
                for at in start..=self.text.len() {
                    if dfa.states[state as usize].accepting {
                        ends.insert(at);
                    }
                    let next = self.text.get(at).and_then(|&byte| dfa.next(state, byte.into()));
                    let Some(next) = next else { break };
                    state = next;
                }
                ends
            }
            Expr::Graph(graph) => {
                let graph = graph
                    .unrolled(StateBudget::of(usize::MAX))
                    .expect("there is room for all sets");
                let mut from = vec![Vec::new(); graph.states() as usize];
                graph.edges().for_each(|(source, part, to)| from[source as usize].push((part, to)));
                let mut seen = BTreeSet::from([(ExprGraph::START, start)]);
                let mut open = vec![(ExprGraph::START, start)];
                while let Some((state, at)) = open.pop() {
                    for &(part, to) in &from[state as usize] {
                        let new = self.ends(part, at).into_iter().map(|end| (to, end));
                        open.extend(new.filter(|place| seen.insert(*place)));
                    }
                }
                let ends = seen.into_iter().filter(|(state, _)| *state == graph.end());
                ends.map(|(_, at)| at).collect()
            }
            other => panic!("this front end does not make {other}"),
        }
    }
}
