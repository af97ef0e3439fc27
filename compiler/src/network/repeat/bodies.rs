//! The repeated expressions (bodies) of a grammar, numbered, with their automata and digests.

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
    /// The bodies by number.
    exprs: IndexSet<Expr, FxBuildHasher>,
    /// Maps the number of a body to its automaton, once built.
    automata: FxHashMap<usize, Dfa>,
    /// Maps the number of a body to the digest of its expression. `None` if the expression has no
    /// digest.
    digests: FxHashMap<usize, Option<Digest>>,
    /// The numbers of the bodies for which the grammar calls a vocabulary's rule for a fixed number
    /// of repetitions.
    fixed: FxHashSet<usize>,
}

impl Bodies {
    /// Returns the number of a body, and adds the body if it is new.
    pub(in crate::network) fn number(&mut self, body: &Expr) -> usize {
        match self.exprs.get_index_of(body) {
            Some(number) => number,
            None => self.exprs.insert_full(body.clone()).0,
        }
    }

    /// Returns the body with this number.
    pub(in crate::network) fn expr(&self, body: usize) -> &Expr {
        &self.exprs[body]
    }

    /// Returns the automaton of the body with this number. Returns `None` if it has not been built.
    pub(in crate::network) fn automaton(&self, body: usize) -> Option<&Dfa> {
        self.automata.get(&body)
    }

    /// Stores the automaton of the body with this number, for [`Self::automaton`].
    pub(in crate::network) fn keep(&mut self, body: usize, dfa: Dfa) {
        self.automata.insert(body, dfa);
    }

    /// Drops all automata of bodies. They depend on which rules are inlined, so they are built
    /// again after a change of that choice.
    pub(in crate::network) fn forget_automata(&mut self) {
        self.automata.clear();
    }

    /// Whether the grammar already calls a vocabulary's rule for a fixed number of repetitions of
    /// this body.
    pub(in crate::network) fn is_fixed(&self, body: usize) -> bool {
        self.fixed.contains(&body)
    }

    /// Records that the grammar calls a vocabulary's rule for a fixed number of repetitions of this
    /// body.
    pub(in crate::network) fn note_fixed(&mut self, body: usize) {
        self.fixed.insert(body);
    }

    /// Returns the digest of a rule made for a repetition. Returns `None` if the expression of its
    /// body has no digest, because it depends on the grammar.
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
