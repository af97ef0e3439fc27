//! The tools of one thread: a walker, the runs of characters, and room to encode in.

use crate::budget::Budget;
use crate::masks::derive::batch::Derivation;
use crate::masks::derive::char_runs::CharRuns;
use crate::masks::derive::early;
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::outcome::Outcome;
use crate::masks::shortcuts::Shortcut;
use crate::masks::walk::walker::Walker;

/// A walker, and what it has at hand.
pub(crate) struct Worker<'a> {
    pub(crate) walker: Walker<'a>,
    runs: &'a CharRuns,
    /// Room to encode in, once that is done ahead.
    scratch: Option<Scratch>,
}

impl<'a> Worker<'a> {
    /// One that works as long as a budget lasts. Of no use is what is found once it is spent.
    pub(crate) fn new(walker: Walker<'a>, runs: &'a CharRuns, budget: &'a Budget) -> Self {
        Self { walker: walker.within(budget), runs, scratch: None }
    }

    /// The outcome of `state` at the root.
    pub(crate) fn base(&mut self, state: u32) -> Outcome {
        let along = self.runs.outcome(&mut self.walker, state);
        along.unwrap_or_else(|| self.walker.base(state))
    }

    /// The union of the outcomes of the return state `ret` at the nodes of an exit class; `shared` is the class's
    /// number where it is one of the vocabulary's.
    pub(crate) fn follow(&mut self, ret: u32, nodes: &[u32], shared: Option<u32>) -> Outcome {
        match nodes {
            [0, rest @ ..] => {
                let at_root = self.base(ret);
                self.walker.follow(ret, Some(at_root), rest, shared)
            }
            _ => self.walker.follow(ret, None, nodes, shared),
        }
    }

    /// The outcome of a derived state that is found without its reference, or with less than a batch takes.
    pub(crate) fn early(&mut self, derived: &Derivation<'_>) -> Option<Outcome> {
        early::outcome(&mut self.walker, self.runs, derived)
    }

    /// Encodes the tokens of what was found, unless the same was encoded here before.
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
