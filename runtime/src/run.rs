//! The way through a token while there is one configuration and nothing to choose.
//!
//! Nearly every token of real text is read this way. A configuration is three numbers in registers; a byte takes one
//! move (see [`moves`](crate::moves)), a call interns a frame and a return reads one. Nothing is kept for rollback on
//! the way: the position after the token goes to the trail, and a token that is refused leaves nothing but frames that
//! nothing reaches, which are collected in time.
//!
//! Where a byte can be read in several ways the run stops before it, and the machine of [`step`](crate::step), which
//! follows sets of configurations, goes on from there. The two agree: a run takes a move only where the closure of
//! the configuration reaches no other state that takes the byte. For calls this is decided when the artifact is
//! opened. For returns it is decided here: a final state's own move and what is below it on the stack exclude one
//! another, or the run stops.

use grammarc_artifacts::sections::network::{NONE, state_flags};

use crate::error::LimitError;
use crate::moves::{Move, Moves};
use crate::position::Configuration;
use crate::stack::{BOTTOM, Frames};

/// The moves of a grammar and its vocabulary.
#[derive(Clone, Copy)]
pub(crate) struct Runner<'g> {
    /// Of the shared rules.
    pub(crate) shared: &'g Moves,
    /// Of the grammar's own rules.
    pub(crate) own: &'g Moves,
    /// Id of the grammar's first own state.
    pub(crate) first_own: u32,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// All bytes are read.
    Read,
    /// A byte is not allowed.
    Refused,
    /// This many bytes are read, and the next can be read in several ways.
    Open(usize),
}

impl<'g> Runner<'g> {
    /// The moves that hold a state, and the id of their first state.
    #[inline]
    fn home(&self, state: u32) -> (&'g Moves, u32) {
        if state >= self.first_own { (self.own, self.first_own) } else { (self.shared, 0) }
    }

    /// The flags of a state.
    #[inline]
    fn flags(&self, state: u32) -> u32 {
        let (home, base) = self.home(state);
        home.flags(state - base)
    }

    /// Follows bytes from a configuration, which becomes the one after the bytes that were read.
    /// `max_frames` is the limit on the frames of the sequence.
    ///
    /// # Errors
    ///
    /// The limit on frames was met.
    #[inline]
    pub(crate) fn run(
        &self,
        frames: &mut Frames,
        at: &mut Configuration,
        bytes: &[u8],
        max_frames: usize,
    ) -> Result<Run, LimitError> {
        let (mut home, mut base) = self.home(at.state);
        let mut read = 0;
        while let Some(&byte) = bytes.get(read) {
            let index = at.state - base;
            let mut next = home.on(index, byte);
            if at.frame != BOTTOM && home.has(index, state_flags::FINAL) {
                if next == Move::Refused {
                    *at = returned(frames, at.frame);
                    (home, base) = self.home(at.state);
                    continue;
                }
                if self.takes_below(frames, at.frame, byte) {
                    next = Move::Open;
                }
            }
            match next {
                Move::Go(index) => {
                    at.state = base + index;
                    read += 1;
                }
                Move::Arrive(index) => {
                    *at = self.arrive(frames, *at, base + index);
                    (home, base) = self.home(at.state);
                    read += 1;
                }
                Move::Call(index) => {
                    self.call(frames, at, (home, base), index, max_frames)?;
                    (home, base) = self.home(at.state);
                }
                Move::Refused => return Ok(Run::Refused),
                Move::Open => return Ok(Run::Open(read)),
            }
        }
        Ok(Run::Read)
    }

    /// Whether some state that a stack may return to takes a byte, or may.
    fn takes_below(&self, frames: &Frames, mut frame: u32, byte: u8) -> bool {
        while frame != BOTTOM {
            let top = frames.get(frame);
            let (home, base) = self.home(top.ret);
            if home.on(top.ret - base, byte) != Move::Refused {
                return true;
            }
            if !home.has(top.ret - base, state_flags::FINAL) {
                return false;
            }
            frame = top.parent;
        }
        false
    }

    /// Arrival at a state by a transition: see [`Machine`](crate::step::Machine).
    fn arrive(&self, frames: &Frames, from: Configuration, target: u32) -> Configuration {
        let (state, count) = self.enter(target, from.count);
        let mut at = Configuration { state, count, frame: from.frame };
        while at.frame != BOTTOM && self.flags(at.state) & state_flags::POP_ONLY != 0 {
            at = returned(frames, at.frame);
        }
        at
    }

    #[inline]
    fn enter(&self, state: u32, count: u32) -> (u32, u32) {
        let (home, base) = self.home(state);
        let (index, count) = home.enter(state - base, count);
        (base + index, count)
    }

    /// Enters a callee: the frame is the caller's own for a tail call, and the parent itself where another frame of
    /// an absorbing state would change nothing.
    #[inline]
    fn call(
        &self,
        frames: &mut Frames,
        at: &mut Configuration,
        (home, base): (&Moves, u32),
        call: u32,
        max_frames: usize,
    ) -> Result<(), LimitError> {
        let call = home.call(call);
        if call.ret != NONE {
            let (index, count) = home.enter(call.ret - base, at.count);
            let (ret, flags) = (base + index, home.flags(index));
            let parent = frames.get(at.frame);
            let absorbed = flags & state_flags::ABSORBING != 0
                && at.frame != BOTTOM
                && parent.ret == ret
                && parent.count == count;
            if !absorbed {
                at.frame = frames.intern(ret, count, at.frame, flags, max_frames)?;
            }
        }
        (at.state, at.count) = (call.first_state, call.count);
        Ok(())
    }

    /// Whether the input may end in a configuration.
    #[inline]
    pub(crate) fn is_accepting(&self, frames: &Frames, at: Configuration) -> bool {
        self.flags(at.state) & state_flags::FINAL != 0 && frames.get(at.frame).is_nullable()
    }

    /// Whether whole tokens lead on from a configuration.
    #[inline]
    pub(crate) fn rests(&self, frames: &Frames, at: Configuration) -> bool {
        self.flags(at.state) & state_flags::RESTS != 0 && frames.get(at.frame).rests()
    }
}

/// The configuration after the rule on top of a frame has returned.
#[inline]
pub(crate) fn returned(frames: &Frames, frame: u32) -> Configuration {
    let top = frames.get(frame);
    Configuration { state: top.ret, count: top.count, frame: top.parent }
}
