//! The repeated expressions of a grammar, numbered, with what is known of each.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::rule::RepeatRule;
use crate::automata::Dfa;
use crate::ir::{Expr, Grammar};
use crate::network::content_hash::Digest;
use crate::network::known_rules;

/// An interner of the bodies of repetitions.
#[derive(Default)]
pub(in crate::network) struct Bodies {
    exprs: IndexSet<Expr, FxBuildHasher>,
    automata: FxHashMap<usize, Dfa>,
    digests: FxHashMap<usize, Option<Digest>>,
    /// Bodies of which the vocabulary's rule for a fixed number is called.
    fixed: FxHashSet<usize>,
}

impl Bodies {
    /// Returns the number of a body.
    pub(in crate::network) fn number(&mut self, body: &Expr) -> usize {
        match self.exprs.get_index_of(body) {
            Some(number) => number,
            None => self.exprs.insert_full(body.clone()).0,
        }
    }

    /// Returns a body by its number.
    pub(in crate::network) fn expr(&self, body: usize) -> &Expr {
        &self.exprs[body]
    }

    /// Returns the automaton of a body, if it was built.
    pub(in crate::network) fn automaton(&self, body: usize) -> Option<&Dfa> {
        self.automata.get(&body)
    }

    /// Keeps the automaton of a body.
    pub(in crate::network) fn keep(&mut self, body: usize, dfa: Dfa) {
        self.automata.insert(body, dfa);
    }

    /// Forgets the automata, which depend on the rules that are inlined into them.
    pub(in crate::network) fn forget_automata(&mut self) {
        self.automata.clear();
    }

    /// Whether the vocabulary's rule for a fixed number of a body is called somewhere.
    pub(in crate::network) fn is_fixed(&self, body: usize) -> bool {
        self.fixed.contains(&body)
    }

    /// Notes that the vocabulary's rule for a fixed number of a body is called.
    pub(in crate::network) fn note_fixed(&mut self, body: usize) {
        self.fixed.insert(body);
    }

    /// Returns the digest of a rule made for a repetition. `None` if the expression of its body has no digest.
    pub(in crate::network) fn digest(
        &mut self,
        rule: RepeatRule,
        grammar: &Grammar,
    ) -> Option<Digest> {
        let body = match rule {
            RepeatRule::Body(body) | RepeatRule::Chain(body, _) | RepeatRule::Loop { body, .. } => {
                body
            }
            RepeatRule::TailChain(bytes, _) | RepeatRule::TailLoop(bytes) => {
                return Some(known_rules::of_repeat_rule(rule, &bytes.to_words()));
            }
        };
        let of_body = || known_rules::of_expr(grammar, &self.exprs[body]);
        let digest = self.digests.entry(body).or_insert_with(of_body).as_ref()?;
        Some(known_rules::of_repeat_rule(rule, digest))
    }
}
