//! The tables of a step and the position of a matcher as 32-bit words, for a device that makes the steps itself.
//!
//! Each field describes the order of its words. A device that reads them follows `src/step/run.rs` for a token, and
//! `src/mask/chains.rs` for a mask. Ids of states, masks and exit classes are those of the artifact.
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

/// The tables of one artifact: of the vocabulary's shared rules, or of the grammar's own rules. The *index* of a state
/// is its id minus the id of the artifact's first state.
#[derive(Clone, Debug)]
pub struct FlatTables<'g> {
    /// Three words for each state. Word 0 has the lowest byte of a range in bits 0 to 7, the highest in bits 8 to 15,
    /// and flags from bit 16 on. Word 1 is the move on the bytes of that range. Word 2 is the index in `rows` of the
    /// state's row, which has one move for each byte class. It is used for all other bytes, if the flags have bit 4
    /// (value 16).
    pub states: Cow<'g, [u32]>,
    /// Maps each byte to its byte class: a set of bytes that no row distinguishes.
    pub classes: &'g [u8; 256],
    /// Rows of moves: one word for each byte class. The three highest bits of a move are its kind: 0 refused, 1 go, 2
    /// arrive, 3 call, 4 open. The other bits are the index of a state or a call. A move is open, and left to the host,
    /// if its target updates a field of the register or has a count-dependent mask.
    pub rows: Cow<'g, [u32]>,
    /// Three words for each call: the callee's first state, the return state or [`NONE`](grammarc_artifacts::NONE) for
    /// a tail call, and the callee's initial register.
    pub calls: &'g [u32],
    /// Three words for each state whose arrival updates the register, ascending by state: its index, its
    /// [count exit](grammarc_artifacts::sections::network::StateRecord::count_exit) and its flags.
    pub counted: Vec<u32>,
    /// Four words for each state: base mask, exit class, index of the state's first link, flags. Four further words at
    /// the end hold the number of links, as the end of the last state's links.
    pub heads: &'g [u32],
    /// Three words for each link, ascending by exit class within a state: exit class, follow mask, next exit class. A
    /// link gives the tokens that return to the state through the exit class, and the class for the next frame.
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

/// The tables of a grammar that a device needs to make steps, besides the stored masks.
#[derive(Clone, Debug)]
pub struct FlatGrammar<'g> {
    /// Tables of the vocabulary's shared rules, whose first state has id 0.
    pub shared: FlatTables<'g>,
    /// Tables of the grammar's own rules.
    pub own: FlatTables<'g>,
    /// Id of the first state of the grammar's own rules. Smaller ids are states of the vocabulary's shared rules.
    pub first_own: u32,
    /// Id of the state in which a sequence begins.
    pub start: u32,
    /// Bitmask of the tokens that some token edge takes: token t is bit t % 32 of word t / 32. Empty without token
    /// edges.
    pub edge_tokens: &'g [u32],
}

impl Grammar {
    /// Returns the tables that a step reads. Derives the moves of the grammar if no matcher has read a token yet.
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

/// One frame of a stack: a caller whose callee has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatFrame {
    /// Id of the state to which the callee returns.
    pub ret: u32,
    /// Register of the caller's call in progress, which holds counters or required keys.
    pub count: u32,
    /// Whether the return state is final, so that the caller may return at once.
    pub is_final: bool,
    /// Whether a token may end in the return state: some sequence of whole tokens continues from it.
    pub rests: bool,
}

/// A position with one configuration (parse): a state, its register and its stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatPosition {
    /// Id of the state. Ids below [`FlatGrammar::first_own`] are states of the vocabulary's shared rules.
    pub state: u32,
    /// Register of the rule's call in progress, which holds counters or required keys. 0 in rules without one.
    pub count: u32,
    /// Frames of the stack, from the bottom to the top.
    pub frames: Vec<FlatFrame>,
}

impl Matcher {
    /// Returns the matcher's position as numbers. `None` if:
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
