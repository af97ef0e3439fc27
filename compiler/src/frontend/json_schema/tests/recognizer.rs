//! A small recogniser for the grammars of this front end, which have no left recursion and no tokens: ends of each
//! (rule, start), memoised. Stands in for the Earley recogniser of the IR.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::ir::{Expr, Grammar, RuleId};

type Ends = BTreeSet<usize>;

struct Recognizer<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    known: FxHashMap<(RuleId, usize), Ends>,
}

/// Whether the grammar accepts the text.
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
            other => panic!("this front end does not make {other}"),
        }
    }
}
