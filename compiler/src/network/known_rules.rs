//! Finds rules of the vocabulary by the expressions that they were compiled from.
//!
//! Every grammar of a front end has the same kept rules, and many grammars repeat the same bodies
//! under some bound. The vocabulary holds both in compiled form, with digests of their expressions.
//! So a grammar takes such rules from there without building their automata. The *text* of a rule
//! is its expression in words, with the expressions of all rules reachable from it. Rules are
//! numbered in the order in which the text names them, so a text does not depend on the rest of the
//! grammar. Texts are compared by a digest of the text and of this compiler's version.
//!
//! Cost: O(size of the expressions) for each kept rule of a grammar and for each bounded
//! repetition. Texts that the vocabulary holds are cached, because a digest costs as much as many
//! comparisons.

use std::sync::{PoisonError, RwLock};

use grammarc_artifacts::ExpressionRecord;
use rustc_hash::FxHashMap;

use super::content_hash::{self, Digest, RuleHash};
use super::repeat::rule::{More, RepeatRule, Run};
use crate::ir::{Expr, Grammar, RuleId, Step};

/// The rules of the vocabulary, by the digests of their texts (expressions as 32-bit words).
#[derive(Debug, Default)]
pub(super) struct KnownRules {
    /// Maps the digest of a rule's text (expression as 32-bit words) to the id of the vocabulary's rule.
    rules: FxHashMap<Digest, u32>,
    /// A cache of texts (expressions as 32-bit words) that were found, with the ids of their rules. At
    /// most as many texts as there are digests.
    found: RwLock<FxHashMap<Box<[u32]>, u32>>,
}

impl KnownRules {
    /// Returns an index of the rules whose digests a vocabulary artifact records.
    pub(super) fn new(records: &[ExpressionRecord]) -> Self {
        let rules = records.iter().map(|record| (record.digest, record.rule)).collect();
        Self { rules, found: RwLock::default() }
    }

    /// Returns the id of the vocabulary's rule whose text (expression as 32-bit words) has this digest.
    /// Returns `None` if there is none.
    pub(super) fn get(&self, digest: &Digest) -> Option<u32> {
        self.rules.get(digest).copied()
    }

    /// Returns the id of the vocabulary's rule with the same text (expression as 32-bit words) as a kept
    /// rule (shared by many grammars). Returns `None` if there is none, or if the kept rule has no
    /// text (see [`of_rule`]).
    pub(super) fn like(&self, grammar: &Grammar, rule: RuleId) -> Option<u32> {
        let text = Writer::new(vec![rule]).finish(grammar)?;
        let found = self.found.read().unwrap_or_else(PoisonError::into_inner).get(&*text).copied();
        found.or_else(|| {
            let rule = self.get(&digest("text", &text))?;
            self.found.write().unwrap_or_else(PoisonError::into_inner).insert(text.into(), rule);
            Some(rule)
        })
    }
}

/// Returns the records of expressions for a vocabulary artifact. `sources` pairs the digest of a
/// text (expression as 32-bit words) with the content hash of the rule compiled from it. `rules` has the
/// content hashes of all rules, in the order of their ids.
pub(super) fn records(
    sources: impl Iterator<Item = (Digest, RuleHash)>,
    rules: impl Iterator<Item = RuleHash>,
) -> Vec<ExpressionRecord> {
    let ids: FxHashMap<RuleHash, u32> = rules.zip(0..).collect();
    let records = sources.filter_map(|(digest, hash)| {
        let rule = *ids.get(&hash)?;
        Some(ExpressionRecord { digest, rule })
    });
    let mut records: Vec<ExpressionRecord> = records.collect();
    records.sort_unstable();
    records.dedup_by_key(|record| record.digest);
    records
}

/// Returns the digest of a kept rule's text (expression as 32-bit words). Returns `None` if the rule
/// reaches a rule that is not kept, whose automaton depends on its other callers. Also returns
/// `None` if the rule reaches an expression that depends on the vocabulary.
pub(super) fn of_rule(grammar: &Grammar, rule: RuleId) -> Option<Digest> {
    Some(digest("text", &Writer::new(vec![rule]).finish(grammar)?))
}

/// Returns the digest of an expression's text (expression as 32-bit words). Returns `None` if the
/// expression reaches a rule that is not kept, or an expression that depends on the vocabulary.
pub(super) fn of_expr(grammar: &Grammar, expr: &Expr) -> Option<Digest> {
    let mut writer = Writer::new(Vec::new());
    writer.expr(expr)?;
    Some(digest("text", &writer.finish(grammar)?))
}

/// Returns the digest of a rule made for a repetition. `repeated` is the digest of its body, or the
/// byte sets of a bounded tail (byte run with a last byte of its own).
pub(super) fn of_repeat_rule(rule: RepeatRule, repeated: &[u32]) -> Digest {
    let run = |Run { least, more }: Run| match more {
        More::UpTo(more) => [least, 0, more],
        More::Counted(count) => [least, 1, count],
        More::Any => [least, 2, 0],
    };
    let (kind, run) = match rule {
        RepeatRule::Body(_) => ([0, 0], [0; 3]),
        RepeatRule::Chain(_, rest) => ([1, 0], run(rest)),
        RepeatRule::Loop { prefix, end, is_optional, .. } => {
            ([2 + u32::from(is_optional), prefix], run(end))
        }
        RepeatRule::TailChain(_, most) => ([4, most], [0; 3]),
        RepeatRule::TailLoop(_) => ([5, 0], [0; 3]),
    };
    digest("part", &[&kind[..], &run, repeated].concat())
}

/// Returns the digest of words, of the compiler's version and of `what`, which separates kinds of
/// texts.
fn digest(what: &str, words: &[u32]) -> Digest {
    let version = env!("CARGO_PKG_VERSION");
    let mut bytes = Vec::with_capacity(version.len() + what.len() + 4 * words.len());
    bytes.extend_from_slice(version.as_bytes());
    bytes.extend_from_slice(what.as_bytes());
    words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    content_hash::hash(&bytes)
}

/// A text (expression as 32-bit words) under construction.
struct Writer {
    /// The words of the text (expression as 32-bit words) so far.
    words: Vec<u32>,
    /// The rules that the text (expression as 32-bit words) names, in the order of their numbers.
    rules: Vec<RuleId>,
}

/// Initial capacity of a text (expression as 32-bit words), in words of 32 bits, enough for most texts.
const WORDS: usize = 256;

impl Writer {
    /// Begins a text (expression as 32-bit words) that has the expressions of `rules`.
    fn new(rules: Vec<RuleId>) -> Self {
        Self { words: Vec::with_capacity(WORDS), rules }
    }

    /// Adds the expressions of all rules that the text names, and returns the complete text.
    /// Returns `None` if a rule is not kept, or depends on the vocabulary.
    fn finish(mut self, grammar: &Grammar) -> Option<Vec<u32>> {
        let mut at = 0;
        while let Some(&rule) = self.rules.get(at) {
            at += 1;
            let rule = grammar.rule(rule);
            if !rule.is_kept() {
                return None;
            }
            self.expr(&rule.expr)?;
        }
        Some(self.words)
    }

    /// Adds an expression to the text (expression as 32-bit words). Returns `None` if the expression
    /// depends on the vocabulary.
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
                self.words.push(graph.required_key_states().len() as u32);
                self.words.extend(
                    graph.required_key_states().iter().flat_map(|&(at, mark)| [at, mark.into()]),
                );
                if !graph.counters().is_empty() {
                    self.words.extend([10, graph.counters().len() as u32]);
                    self.words.extend(graph.counters().iter().flat_map(|counter| {
                        [counter.min, u32::from(counter.max.is_some()), counter.max.unwrap_or(0)]
                    }));
                    self.words.push(graph.steps().len() as u32);
                    self.words.extend(graph.steps().iter().flat_map(|&(state, step)| match step {
                        Step::Reset(counter) => [state, 0, counter.into()],
                        Step::Increment(counter) => [state, 1, counter.into()],
                        Step::Check(counter) => [state, 2, counter.into()],
                    }));
                }
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
            Expr::Token(_) | Expr::And(_) | Expr::Not(_) | Expr::Texts(_) => return None,
        }
        Some(())
    }

    /// Adds the parts of a sequence (`kind` 5) or of an alternation (`kind` 6) to the text.
    fn parts(&mut self, kind: u32, parts: &[Expr]) -> Option<()> {
        self.words.extend([kind, parts.len() as u32]);
        parts.iter().try_for_each(|part| self.expr(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{GrammarBuilder, Origin};

    /// Returns the digests of two kept rules (shared by many grammars) that call each other, in a
    /// grammar with `before` other rules before them. `last` is the end of the second rule.
    fn texts(before: usize, last: &str) -> [Option<Digest>; 2] {
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
        rules.map(|rule| of_rule(&grammar, rule))
    }

    #[test]
    fn texts_depend_on_what_rules_lead_to_and_on_nothing_else() {
        let [a, b] = texts(0, ")");
        assert!(a.is_some() && a != b);
        assert_eq!(texts(3, ")"), [a, b]);
        let other = texts(0, "]");
        assert!(other[0] != a && other[1] != b);
    }

    #[test]
    fn texts_that_were_found_are_found_again() {
        let mut builder = GrammarBuilder::new();
        let rules = ["a", "b"].map(|name| builder.declare(name));
        for (rule, text) in rules.into_iter().zip(["x", "y"]) {
            builder.define_kept(rule, Expr::literal(text), Origin::default());
        }
        let grammar = builder.finish(rules[0]);
        let digest = of_rule(&grammar, rules[0]).expect("it leads to no other");
        let known = KnownRules::new(&[ExpressionRecord { digest, rule: 7 }]);
        for _ in 0..2 {
            assert_eq!(rules.map(|rule| known.like(&grammar, rule)), [Some(7), None]);
        }
        assert_eq!(known.found.read().map(|found| found.len()).ok(), Some(1));
    }

    #[test]
    fn rules_that_lead_to_others_than_kept_ones_have_no_text() {
        let mut builder = GrammarBuilder::new();
        let (kept, other) = (builder.declare("kept"), builder.declare("other"));
        builder.define_kept(kept, Expr::Call(other), Origin::default());
        builder.define(other, Expr::literal("x"), Origin::default());
        let grammar = builder.finish(kept);
        assert_eq!(of_rule(&grammar, kept), None);
        assert_eq!([kept, other].map(|rule| of_expr(&grammar, &Expr::Call(rule))), [None; 2]);
    }
}
