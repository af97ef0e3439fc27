//! The parameters of a network: its vocabulary, its roots, its limits, and the form of large
//! repetitions.

use grammarc_artifacts::tables::Tables;
use grammarc_grammar::lexicon::Lexicon;

use super::shared::SharedRules;

/// The vocabulary that a network is built for.
#[derive(Clone, Copy)]
pub(crate) struct Vocabulary<'a> {
    /// The tokens of the vocabulary.
    pub(crate) lexicon: &'a dyn Lexicon,
    /// The tables with the vocabulary's rules. A rule of the grammar that equals one of them is
    /// replaced by it.
    pub(crate) shared: Tables<'a>,
    /// The facts about the vocabulary's rules.
    pub(crate) facts: &'a SharedRules,
}

/// Limits on the size of a network. The defaults are far above what real grammars need. Exceeding a
/// limit is an error, except where a field says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkLimits {
    /// The most states of the automaton of one rule.
    pub rule_states: usize,
    /// The most states of all rules together.
    pub states: usize,
    /// The most rules, with the rules made for parts of expressions.
    pub rules: usize,
    /// The number of texts from which on a set of texts is packed instead of unrolled into states.
    /// Front ends make sets of at least 1,024 texts and 16 KiB. The states of packed sets (texts as
    /// a packed automaton) do not count towards the other limits.
    pub packed_texts: usize,
    /// The number of states near the bounds of a counter from which on masks depend on the
    /// remaining count instead. One state then serves all counts, with a mask for each count.
    pub count_dependent_states: usize,
    /// The most states to which the automaton of a rule is determinized. Twice the number of
    /// nondeterministic states is always allowed. A larger automaton stays nondeterministic: it
    /// becomes several rules, and a text has several parses at once. With 0, every rule with a
    /// choice stays nondeterministic.
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
    /// Every kept rule, which other grammars call. Used to compile a vocabulary.
    Kept,
}

/// The form of repetitions with large bounds, of counters, and of sets of required keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepeatForm {
    /// The count, or the set, is in a register of the activation (the call in progress).
    Register,
    /// Each count, or each set, is a state or a rule of its own.
    Unrolled,
}
