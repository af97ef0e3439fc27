//! The tables of a step and the position of a matcher as words, for a device that makes the steps itself.
//!
//! Each field describes the order of its words. A device that reads them follows `src/step/run.rs` for a token, and
//! `src/mask/chains.rs` for a mask. Ids are those of the artifact.
//!
//! Only a position of one configuration has a flat form. Nearly all steps of nearly all grammars have one.
//!
//! Tests: `runtime/cuda/src/tests/`.

use std::borrow::Cow;

use grammarc_artifacts::sections::network::state_flags;

use crate::grammar::Grammar;
use crate::mask::chains::Chains;
use crate::matcher::Matcher;
use crate::position::stack::BOTTOM;
use crate::step::moves::{Move, Moves};

pub use crate::step::texts::is_plain;

/// The tables of the vocabulary's rules, or of a grammar's own. The *index* of a state is its id minus the id of the first
/// state.
#[derive(Clone, Debug)]
pub struct FlatTables<'g> {
    /// Three words for each state. The first has the lowest and the highest byte of a range and, from bit 16 on, flags. The
    /// second is the move on the range. The third is the index of the first move of a row for other bytes, with flag 16.
    pub states: Cow<'g, [u32]>,
    /// The class of each byte.
    pub classes: &'g [u8; 256],
    /// Moves by byte class: a kind (0 refused, 1 go, 2 arrive, 3 call, 4 open) in the three highest bits, and an index.
    /// An arrival that updates a field of the register is open. So is an arrival at a count-dependent state.
    pub rows: Cow<'g, [u32]>,
    /// Three words for each call: the callee's first state, the return state or [`NONE`](grammarc_artifacts::NONE), and the
    /// callee's register.
    pub calls: &'g [u32],
    /// Three words for each state whose arrival updates the register, ascending: its index, its count exit and its flags.
    pub counted: Vec<u32>,
    /// Four words for each state, and four more that end the links of the last: base mask, exit class, index of the first
    /// link, flags.
    pub heads: &'g [u32],
    /// Three words for each link, ascending by class for each state: exit class, follow mask, next exit class.
    pub links: &'g [u32],
}

impl<'g> FlatTables<'g> {
    fn new(moves: &'g Moves, chains: &'g Chains) -> Self {
        let flat = moves.flat();
        let mut states = Cow::Borrowed(bytemuck::cast_slice(flat.states));
        let mut rows = Cow::Borrowed(bytemuck::cast_slice(flat.rows));
        if moves.counted().iter().any(|(_, record)| record.has_field()) {
            let open = |word: &mut u32| {
                let next: Move = bytemuck::cast(*word);
                let is_count_dependent =
                    || next.target().is_some_and(|index| chains.is_count_dependent(index));
                if moves.arrives_at_field(next) || is_count_dependent() {
                    *word = bytemuck::cast(Move::OPEN);
                }
            };
            states.to_mut().iter_mut().skip(1).step_by(3).for_each(open);
            rows.to_mut().iter_mut().for_each(open);
        }
        let counted = moves.counted().iter();
        let counted = counted.flat_map(|(index, state)| [*index, state.count_exit, state.flags]);
        Self {
            states,
            classes: flat.classes,
            rows,
            calls: bytemuck::cast_slice(flat.calls),
            counted: counted.collect(),
            heads: bytemuck::cast_slice(chains.heads()),
            links: bytemuck::cast_slice(chains.links()),
        }
    }
}

/// The tables of a grammar that a device needs besides the stored masks.
#[derive(Clone, Debug)]
pub struct FlatGrammar<'g> {
    /// The tables of the vocabulary's rules, whose first state has id 0.
    pub shared: FlatTables<'g>,
    /// The tables of the grammar's own rules.
    pub own: FlatTables<'g>,
    /// Id of the first of the grammar's own states.
    pub first_own: u32,
    /// Id of the start state.
    pub start: u32,
    /// A bit for each token that a token edge takes: bit t % 32 of word t / 32. Empty without token edges.
    pub edge_tokens: &'g [u32],
}

impl Grammar {
    /// Returns the tables that a step reads. Derives the moves if no token was read yet.
    pub fn flat(&self) -> FlatGrammar<'_> {
        let (runner, chains) = (self.runner(), self.chains());
        FlatGrammar {
            shared: FlatTables::new(runner.shared, chains.shared),
            own: FlatTables::new(runner.own, chains.own),
            first_own: runner.first_own,
            start: self.initial().state,
            edge_tokens: self.edge_tokens(),
        }
    }
}

/// One frame of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatFrame {
    /// State to which the callee returns.
    pub ret: u32,
    /// Register of the caller's activation.
    pub count: u32,
    /// Whether that state is final.
    pub is_final: bool,
    /// Whether a token may end in that state: some sequence of whole tokens continues from it.
    pub rests: bool,
}

/// A position of one configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatPosition {
    /// State of the network.
    pub state: u32,
    /// Register of the activation.
    pub count: u32,
    /// The stack, the lowest frame first.
    pub frames: Vec<FlatFrame>,
}

impl Matcher {
    /// Returns the position as numbers. `None` if:
    ///
    /// - The position has several configurations or none, or more than `most` frames.
    /// - The grammar is [unmasked](Grammar::early), or has items that must differ. A device has no texts of items.
    /// - The position is within a packed string set, or at a count-dependent state. A device has no tables for these.
    pub fn flat_position(&self, most: usize) -> Option<FlatPosition> {
        let &[at] = self.sequence().history.current() else { return None };
        let is_unstored = self.grammar().is_early() || self.grammar().packed().contains(at.state);
        let tables = self.grammar().tables();
        let is_count_dependent = tables.state(at.state).flags & state_flags::COUNT_DEPENDENT != 0;
        if !self.grammar().distinct().is_empty() || is_unstored || is_count_dependent {
            return None;
        }
        let mut frames = Vec::new();
        let mut frame = at.frame;
        while frame != BOTTOM {
            if frames.len() == most {
                return None;
            }
            let top = self.sequence().frames.get(frame);
            let flags = tables.state(top.ret).flags;
            let has = |flag| flags & flag != 0;
            frames.push(FlatFrame {
                ret: top.ret,
                count: top.count,
                is_final: has(state_flags::FINAL),
                rests: has(state_flags::RESTS),
            });
            frame = top.parent;
        }
        frames.reverse();
        Some(FlatPosition { state: at.state, count: at.count, frames })
    }
}
