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
        if !rule.keep {
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
