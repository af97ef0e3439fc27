//! Numbers of rules: expressions refer to rules by them, and grammars list rules in their order.

/// Number of a rule within its grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(u32);

impl RuleId {
    /// Returns the number of the rule with this index.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a grammar has fewer than 2^32 rules"))
    }

    /// Returns the index into the rules of the grammar.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
