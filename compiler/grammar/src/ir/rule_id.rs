//! Numbers of rules. Expressions refer to rules by number, and a grammar lists its rules in the
//! order of their numbers.

/// The number of a rule within its grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(u32);

impl RuleId {
    /// Returns the number of the rule at an index in the grammar's list of rules.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a grammar has fewer than 2^32 rules"))
    }

    /// Returns the index of the rule in the grammar's list of rules.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
