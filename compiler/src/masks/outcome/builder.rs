//! An outcome under construction.

use super::Outcome;
use crate::ir::ByteSet;
use crate::masks::trie::children::Children;

/// An outcome under construction.
///
/// An exit node matters only if some byte below it may follow the rule. The others are left out, so the exit classes of
/// an identifier that may end anywhere have only the few nodes at which it does.
pub(crate) struct OutcomeBuilder<'a> {
    pub(crate) outcome: Outcome,
    /// Bytes that may come after the rule the walk began in.
    pub(crate) after: ByteSet,
    children: &'a Children,
}

impl<'a> OutcomeBuilder<'a> {
    /// A builder that adds to an outcome, if these bytes may come after the rule, over a trie with these children.
    pub(crate) fn new(outcome: Outcome, after: ByteSet, children: &'a Children) -> Self {
        Self { outcome, after, children }
    }

    /// Adds `node` to the exits if one of its children starts with a byte that can follow the rule. The root is always
    /// added, since tokens matched by id are looked for there.
    pub(crate) fn leave(&mut self, node: u32) {
        if node == 0 || self.children.any_on(node, self.after) {
            self.outcome.exits.push(node);
        }
    }
}
