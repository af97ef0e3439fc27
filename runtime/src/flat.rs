//! The tables that a step reads, as words: for a device that keeps the tables and makes the steps itself.
//!
//! A device has no use for our types, and no step of its own is worth an interface here. So this is the border: tables as
//! slices of `u32` in the order that each field says, and the place of a matcher as numbers. Whoever walks them follows
//! [`run`](crate::run) for a token and [`chains`](crate::chains) for a mask; ids are those of the artifact.
//!
//! Only positions of one configuration have a flat form: those of nearly all steps of nearly all grammars.

use std::borrow::Cow;

use grammarc_artifacts::sections::network::state_flags;

use crate::chains::Chains;
use crate::grammar::Grammar;
use crate::mask::Mask;
use crate::matcher::Matcher;
use crate::moves::{Move, Moves};
use crate::stack::BOTTOM;

pub use crate::texts::is_plain;

/// The tables of the vocabulary's rules, or of a grammar's own. An *index* is a state's id less the id of the first state.
#[derive(Clone, Debug)]
pub struct FlatTables<'g> {
    /// Three words a state: the lowest and the highest byte of a range and, from bit 16 on, flags; the move on the range; and
    /// where the state has a row of moves for other bytes (flag 16), the place of its first.
    pub states: Cow<'g, [u32]>,
    /// The class of each byte.
    pub classes: &'g [u8; 256],
    /// Moves by byte class: a kind (0 refused, 1 go, 2 arrive, 3 call, 4 open) in the three highest bits, and an index.
    /// Arrivals that lower or set fields of a register are open, and those at a state whose mask depends on its register.
    pub rows: Cow<'g, [u32]>,
    /// Three words a call: the callee's first state, the state to return to or [`NONE`](grammarc_artifacts::NONE), and the
    /// callee's register.
    pub calls: &'g [u32],
    /// Three words for each state whose arrival lowers the register, ascending: its index, its count exit, its flags.
    pub counted: Vec<u32>,
    /// Four words a state, and four that close the last: base mask, exit class, place of the first link, flags.
    pub heads: &'g [u32],
    /// Three words a link, ascending by class for each state: exit class, follow mask, next exit class.
    pub links: &'g [u32],
}

impl<'g> FlatTables<'g> {
    fn new(moves: &'g Moves, chains: &'g Chains) -> Self {
        let (all_states, all_rows, classes, calls) = moves.tables();
        let mut states = Cow::Borrowed(bytemuck::cast_slice(all_states));
        let mut rows = Cow::Borrowed(bytemuck::cast_slice(all_rows));
        if moves.counted().iter().any(|(_, record)| record.has_field()) {
            let open = |word: &mut u32| {
                let is_graded =
                    || Moves::target(*word).is_some_and(|index| chains.is_graded(index));
                if moves.arrives_at_field(*word) || is_graded() {
                    *word = bytemuck::cast(Move::OPEN);
                }
            };
            states.to_mut().iter_mut().skip(1).step_by(3).for_each(open);
            rows.to_mut().iter_mut().for_each(open);
        }
        let counted = moves.counted().iter();
        let counted = counted.flat_map(|(index, state)| [*index, state.count_exit, state.flags]);
        let (heads, links) = chains.tables();
        Self {
            states,
            classes,
            rows,
            calls: bytemuck::cast_slice(calls),
            counted: counted.collect(),
            heads: bytemuck::cast_slice(heads),
            links: bytemuck::cast_slice(links),
        }
    }
}

/// The tables that a device needs of a grammar besides the masks of its artifacts.
#[derive(Clone, Debug)]
pub struct FlatGrammar<'g> {
    /// Of the vocabulary's rules, whose first state has id 0.
    pub shared: FlatTables<'g>,
    /// Of the grammar's own rules.
    pub own: FlatTables<'g>,
    /// Id of the first of the grammar's own states.
    pub first_own: u32,
    /// Id of the start state.
    pub start: u32,
    /// A bit for each token that a token edge carries, bit t % 32 of word t / 32; no words where there is none.
    pub edge_tokens: &'g [u32],
}

impl Grammar {
    /// The tables that a step reads. Derives the moves where no token was read yet: see [`Grammar`].
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
    /// State in which the caller goes on.
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
    /// The position as numbers; `None` where it has several configurations or none, where the grammar has items that must
    /// differ, whose texts are no numbers, where it is [early](Grammar::early) or the position within a catalogue or at a graded
    /// state, whose nodes and grades a device does not have, or where the stack has more frames than `most`.
    pub fn flat_position(&self, most: usize) -> Option<FlatPosition> {
        let &[at] = self.sequence.trail.current() else { return None };
        let is_listed = self.grammar().is_early() || self.grammar().catalogues().contains(at.state);
        let tables = self.grammar().tables();
        let is_graded = tables.state(at.state).flags & state_flags::GRADED != 0;
        if !self.grammar().distinct().is_empty() || is_listed || is_graded {
            return None;
        }
        let mut frames = Vec::new();
        let mut frame = at.frame;
        while frame != BOTTOM {
            if frames.len() == most {
                return None;
            }
            let top = self.sequence.frames.get(frame);
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

impl<'m> Mask<'m> {
    /// Ids of the stored masks whose union this is, ascending; `None` where tokens are excluded or allowed one by one. The
    /// end tokens come in addition where [`has_ends`](Self::has_ends) says so.
    pub fn stored_parts(&self) -> Option<&'m [u32]> {
        self.parts_alone()
    }
}
