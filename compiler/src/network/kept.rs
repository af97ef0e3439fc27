//! Kept rules recognised by their expressions.
//!
//! Every grammar of a front end brings the same kept rules, which the vocabulary holds. The first grammar builds their
//! automata and finds them there by their content; from then on the expressions are enough. A rule's *text* is its
//! expression and those of all rules that it leads to, with the rules numbered in the order in which they are met, so
//! that it does not depend on the rest of the grammar. Texts are compared as they are.
//!
//! Cost: O(size of the expressions) for each kept rule of a grammar.

use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;

use crate::ir::{Expr, Grammar, RuleId};

/// Most texts that are remembered.
const MOST_TEXTS: usize = 256;

/// A rule's expressions as words.
pub(super) type Text = Box<[u32]>;

/// The texts of rules that the vocabulary holds, as far as they were met.
#[derive(Debug, Default)]
pub(super) struct KeptRules(RwLock<FxHashMap<Text, u32>>);

impl KeptRules {
    /// The vocabulary's rule with this text.
    pub(super) fn get(&self, text: &[u32]) -> Option<u32> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(text).copied()
    }

    /// Remembers the text of one of the vocabulary's rules.
    pub(super) fn learn(&self, text: Text, rule: u32) {
        let mut texts = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if texts.len() < MOST_TEXTS {
            texts.insert(text, rule);
        }
    }
}

/// The text of a kept rule; none where it leads to rules that are not kept, whose automata depend on their other
/// callers, or to what depends on more than the expression.
pub(super) fn text(grammar: &Grammar, rule: RuleId) -> Option<Text> {
    let mut writer = Writer { words: Vec::new(), rules: vec![rule] };
    let mut at = 0;
    while let Some(&rule) = writer.rules.get(at) {
        at += 1;
        let rule = grammar.rule(rule);
        if !rule.is_kept() {
            return None;
        }
        writer.expr(&rule.expr)?;
    }
    Some(writer.words.into())
}

struct Writer {
    words: Vec<u32>,
    rules: Vec<RuleId>,
}

impl Writer {
    fn expr(&mut self, expr: &Expr) -> Option<()> {
        match expr {
            Expr::Never => self.words.push(0),
            Expr::Empty => self.words.push(1),
            Expr::Bytes(set) => {
                self.words.push(2);
                self.words.extend(set.to_words());
            }
            Expr::Literal(bytes) => {
                self.words.extend([3, bytes.len() as u32]);
                self.words.extend(bytes.iter().map(|&byte| u32::from(byte)));
            }
            Expr::Call(rule) => {
                let known = self.rules.iter().position(|other| other == rule);
                let number = known.unwrap_or(self.rules.len());
                if known.is_none() {
                    self.rules.push(*rule);
                }
                self.words.extend([4, number as u32]);
            }
            Expr::Seq(parts) => self.parts(5, parts)?,
            Expr::Alt(parts) => self.parts(6, parts)?,
            Expr::Repeat { body, min, max } => {
                self.words.extend([7, *min, u32::from(max.is_some()), max.unwrap_or(0)]);
                self.expr(body)?;
            }
            Expr::Graph(graph) => {
                self.words.extend([8, graph.states(), graph.end(), graph.edges().count() as u32]);
                self.words.push(graph.marked().len() as u32);
                self.words.extend(graph.marked().iter().flat_map(|&(at, mark)| [at, mark.into()]));
                for (from, part, to) in graph.edges() {
                    self.words.extend([from, to]);
                    self.expr(part)?;
                }
            }
            Expr::Regular(dfa) => {
                self.words.extend([9, dfa.states.len() as u32]);
                for state in &dfa.states {
                    self.words.extend([u32::from(state.accepting), state.edges.len() as u32]);
                    self.words.extend(state.edges.iter().flat_map(|e| [e.lo, e.hi, e.target]));
                }
            }
            Expr::Token(_) | Expr::And(_) | Expr::Not(_) => return None,
        }
        Some(())
    }

    fn parts(&mut self, kind: u32, parts: &[Expr]) -> Option<()> {
        self.words.extend([kind, parts.len() as u32]);
        parts.iter().try_for_each(|part| self.expr(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{GrammarBuilder, Origin};

    /// The texts of two kept rules that call each other, in a grammar with some rules before them.
    fn texts(before: usize, last: &str) -> [Option<Text>; 2] {
        let mut builder = GrammarBuilder::new();
        for index in 0..before {
            let rule = builder.declare(format!("r{index}"));
            builder.define(rule, Expr::literal("x"), Origin::default());
        }
        let rules = ["a", "b"].map(|name| builder.declare(name));
        let [a, b] = rules;
        let expr = Expr::alt([Expr::seq([Expr::byte(b'('), Expr::Call(b)]), Expr::literal("()")]);
        builder.define_kept(a, expr, Origin::default());
        let expr = Expr::seq([Expr::Call(a), Expr::literal(last)]);
        builder.define_kept(b, expr, Origin::default());
        let grammar = builder.finish(a);
        rules.map(|rule| text(&grammar, rule))
    }

    #[test]
    fn texts_depend_on_what_rules_lead_to_and_on_nothing_else() {
        let [a, b] = texts(0, ")");
        assert!(a.is_some() && a != b);
        assert_eq!(texts(3, ")"), [a.clone(), b.clone()]);
        let other = texts(0, "]");
        assert!(other[0] != a && other[1] != b);
    }

    #[test]
    fn rules_that_lead_to_others_than_kept_ones_have_no_text() {
        let mut builder = GrammarBuilder::new();
        let (kept, other) = (builder.declare("kept"), builder.declare("other"));
        builder.define_kept(kept, Expr::Call(other), Origin::default());
        builder.define(other, Expr::literal("x"), Origin::default());
        let grammar = builder.finish(kept);
        assert_eq!(text(&grammar, kept), None);
    }
}
