//! A builder of outcomes.

use super::Outcome;
use crate::ir::ByteSet;
use crate::masks::trie::children::Children;

/// An outcome (consumed tokens and exit nodes) under construction.
///
/// An exit, a trie node at which the rule returns, matters only if some byte below it may follow the rule. All other
/// exits are left out. So an identifier, which may end after any character, has few exits: the nodes with a child on a
/// FOLLOW byte.
pub(crate) struct OutcomeBuilder<'a> {
    /// The consumed tokens and exits (nodes where the rule returns) that were added so far.
    pub(crate) outcome: Outcome,
    /// The FOLLOW bytes of the rule in which the walk began.
    pub(crate) after: ByteSet,
    /// The children of the trie's nodes, by byte.
    children: &'a Children,
}

impl<'a> OutcomeBuilder<'a> {
    /// Returns a builder that adds to `outcome`. `after` has the FOLLOW bytes of the rule in which the walk begins.
    pub(crate) fn new(outcome: Outcome, after: ByteSet, children: &'a Children) -> Self {
        Self { outcome, after, children }
    }

    /// Adds `node` to the exits (nodes where the rule returns) if one of its children is on a FOLLOW byte of the rule.
    /// The root is always added, because tokens matched by id are looked for there.
    pub(crate) fn leave(&mut self, node: u32) {
        if node == 0 || self.children.any_on(node, self.after) {
            self.outcome.exits.push(node);
        }
    }
}
