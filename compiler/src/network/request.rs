//! What a network is built for: its vocabulary, its roots, its limits, and the form of large repetitions.

use grammarc_artifacts::tables::Tables;
use grammarc_grammar::lexicon::Lexicon;

use super::shared::SharedRules;

/// The vocabulary of a network.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary<'a> {
    /// The tokens.
    pub(crate) lexicon: &'a dyn Lexicon,
    /// The vocabulary's rules. A rule of the grammar that equals one of them is replaced by it.
    pub(crate) shared: Tables<'a>,
    /// Facts about these rules.
    pub(crate) facts: &'a SharedRules,
}

/// Bounds on the size of what is built. The defaults are far above what real grammars need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkLimits {
    /// States of one rule's automaton.
    pub rule_states: usize,
    /// States of all rules together.
    pub states: usize,
    /// Rules.
    pub rules: usize,
    /// Texts from which on a set of them is packed instead of unrolled into states. Front ends make sets of at least
    /// 1,024 texts and 16 KiB. The states of packed sets are no part of the other bounds.
    pub packed_texts: usize,
    /// States near the bounds of a counter from which on they are one state for all counts, with a mask for each count.
    pub count_dependent_states: usize,
    /// States up to which the automaton of a rule is determinized, if they are more than two for each
    /// nondeterministic one. A larger automaton stays nondeterministic: it becomes several rules, and a text has
    /// several parses at once. 0: every rule with a choice stays nondeterministic.
    pub deterministic_states: usize,
}

impl Default for NetworkLimits {
    fn default() -> Self {
        Self {
            rule_states: 200_000,
            states: 1_000_000,
            rules: 200_000,
            packed_texts: 1,
            count_dependent_states: 1 << 12,
            deterministic_states: 1 << 14,
        }
    }
}

/// The rules that a network is built for.
#[derive(Clone, Copy, Debug)]
pub enum Roots {
    /// The grammar's start rule, at the bottom of the stack.
    Start,
    /// Every kept rule, to be called from other grammars.
    Kept,
}

/// The form of repetitions with large bounds, of counters and of sets of required keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepeatForm {
    /// The count is in a register of the frame.
    Register,
    /// Each count is a state or a rule of its own.
    Unrolled,
}
