//! The tools of one thread: a walker, the character runs of states, and buffers for encoding.

use crate::budget::Budget;
use crate::masks::derive::batch::Derivation;
use crate::masks::derive::char_runs::CharRuns;
use crate::masks::derive::early;
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::outcome::Outcome;
use crate::masks::shortcuts::Shortcut;
use crate::masks::walk::walker::Walker;

/// One thread's walker over the trie, with the character runs (states within one character class) of the grammar's
/// states, and buffers for encoding.
pub(crate) struct Worker<'a> {
    /// Walks states over the token trie.
    pub(crate) walker: Walker<'a>,
    /// The character runs (states within one character class) of the grammar's states.
    runs: &'a CharRuns,
    /// Buffers for encoding token sets. `None` until a set is encoded ahead.
    scratch: Option<Scratch>,
}

impl<'a> Worker<'a> {
    /// Returns a worker. Its results are invalid once the budget is spent.
    pub(crate) fn new(walker: Walker<'a>, runs: &'a CharRuns, budget: &'a Budget) -> Self {
        Self { walker: walker.within(budget), runs, scratch: None }
    }

    /// Returns the outcome of `state` at the root of the trie: the tokens consumed within its rule, and the nodes at
    /// which the rule returns.
    pub(crate) fn base(&mut self, state: u32) -> Outcome {
        let along = self.runs.outcome(&mut self.walker, state);
        along.unwrap_or_else(|| self.walker.base(state))
    }

    /// Returns the union of the outcomes (tokens and exits) of the return state `ret` at the trie nodes `nodes`, at
    /// which a callee returns. `shared` is the id of this set of nodes, if the vocabulary has it.
    pub(crate) fn follow(&mut self, ret: u32, nodes: &[u32], shared: Option<u32>) -> Outcome {
        match nodes {
            [0, rest @ ..] => {
                let at_root = self.base(ret);
                self.walker.follow(ret, Some(at_root), rest, shared)
            }
            _ => self.walker.follow(ret, None, nodes, shared),
        }
    }

    /// Returns the outcome (consumed tokens and exit nodes) of a derived state, if it is found without a batch. A batch
    /// is a pass over the trie for many states. The outcome is found without the reference (source of its mask), or in
    /// less work than a batch takes. `None` otherwise.
    pub(crate) fn early(&mut self, derived: &Derivation<'_>) -> Option<Outcome> {
        early::outcome(&mut self.walker, self.runs, derived)
    }

    /// Encodes the token set of a computed outcome (consumed tokens and exit nodes) ahead, unless this worker has
    /// encoded an equal outcome before. Does nothing if the shortcut [`Shortcut::EncodeAhead`] is left out.
    pub(crate) fn encode(&mut self, encoder: &Encoder<'_>, found: &mut Computed) {
        let cursor = &mut self.walker.cursor;
        if !cursor.has(Shortcut::EncodeAhead) {
            return;
        }
        cursor.count(Shortcut::EncodeAhead);
        let row_words = encoder.lengths().row_words;
        let scratch = self.scratch.get_or_insert_with(|| Scratch::new(row_words));
        encoder.encode_new(found, scratch);
    }
}
