//! The way through a token while there is one configuration and nothing to choose.
//!
//! Nearly every token of real text is read this way. A configuration is three numbers in registers; a byte takes one
//! move (see [`moves`](crate::moves)), a call interns a frame and a return reads one. Nothing is kept for rollback on
//! the way: the position after the token goes to the trail, and a token that is refused leaves nothing but frames that
//! nothing reaches, which are collected in time.
//!
//! If a byte can be read in several ways the run stops before it, and the machine of [`step`](crate::step), which
//! follows sets of configurations, goes on from there. The two agree: a run takes a move only where the closure of
//! the configuration reaches no other state that takes the byte. For calls this is decided when the moves
//! are derived. For returns it is decided here: a final state's own move and what is below it on the stack exclude one
//! another, or the run stops.

use grammarc_artifacts::sections::network::{NONE, state_flags};

use crate::moves::{Kind, Move, Moves, State};
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
    /// The limit on frames was met.
    Full,
    /// This many bytes are read, and the next can be read in several ways.
    Open(usize),
}

impl<'g> Runner<'g> {
    /// The moves that hold a state, and the id of their first state.
    #[inline]
    fn home(&self, state: u32) -> (&'g Moves, u32) {
        if state >= self.first_own { (self.own, self.first_own) } else { (self.shared, 0) }
    }

    /// A state.
    #[inline]
    fn state(&self, state: u32) -> State {
        let (home, base) = self.home(state);
        home.state(state - base)
    }

    /// Whether a state goes to itself on every plain byte, and nothing else takes one.
    #[inline]
    pub(crate) fn loops(&self, state: u32) -> bool {
        self.state(state).loops()
    }

    /// Follows bytes from a configuration, which becomes the one after the bytes that were read. `max_frames` is the
    /// limit on the frames of the sequence.
    #[inline(always)]
    pub(crate) fn run(
        &self,
        frames: &mut Frames,
        at: &mut Configuration,
        bytes: &[u8],
        max_frames: usize,
    ) -> Run {
        let (mut home, mut base) = self.home(at.state);
        let mut index = at.state - base;
        let mut read = 0;
        while let Some(&byte) = bytes.get(read) {
            let state = home.state(index);
            if let Some(next) = state.step(byte) {
                index = next;
                read += 1;
                continue;
            }
            let mut next = home.on(state, byte);
            if state.has(state_flags::FINAL) && at.frame != BOTTOM {
                if next == Move::REFUSED {
                    *at = returned(frames, at.frame);
                    (home, base) = self.home(at.state);
                    index = at.state - base;
                    continue;
                }
                if self.takes_below(frames, at.frame, byte) {
                    next = Move::OPEN;
                }
            }
            if next.is(Kind::Go) {
                index = next.index();
                read += 1;
                continue;
            }
            at.state = base + index;
            if next.is(Kind::Call) {
                if !self.call(frames, at, (home, base), next.index(), max_frames) {
                    return Run::Full;
                }
            } else if next.is(Kind::Arrive) {
                self.arrive(frames, at, base + next.index());
                read += 1;
            } else {
                return if next == Move::REFUSED { Run::Refused } else { Run::Open(read) };
            }
            (home, base) = self.home(at.state);
            index = at.state - base;
        }
        at.state = base + index;
        Run::Read
    }

    /// Whether some state that a stack may return to takes a byte, or may.
    fn takes_below(&self, frames: &Frames, mut frame: u32, byte: u8) -> bool {
        while frame != BOTTOM {
            let top = frames.get(frame);
            let (home, base) = self.home(top.ret);
            let state = home.state(top.ret - base);
            if home.on(state, byte) != Move::REFUSED {
                return true;
            }
            if !state.has(state_flags::FINAL) {
                return false;
            }
            frame = top.parent;
        }
        false
    }

    /// Arrival at a state by a transition: see [`Machine`](crate::step::Machine).
    #[inline]
    fn arrive(&self, frames: &Frames, at: &mut Configuration, target: u32) {
        (at.state, at.count) = self.enter(target, at.count);
        while at.frame != BOTTOM && self.state(at.state).has(state_flags::POP_ONLY) {
            *at = returned(frames, at.frame);
        }
    }

    #[inline]
    fn enter(&self, state: u32, count: u32) -> (u32, u32) {
        let (home, base) = self.home(state);
        let (index, count) = home.enter(state - base, count);
        (base + index, count)
    }

    /// Enters a callee: the frame is the caller's own for a tail call, and the parent itself where another frame of
    /// an absorbing state would change nothing. False where the limit on frames was met.
    #[inline]
    fn call(
        &self,
        frames: &mut Frames,
        at: &mut Configuration,
        (home, base): (&Moves, u32),
        call: u32,
        max_frames: usize,
    ) -> bool {
        let call = home.call(call);
        if call.ret != NONE {
            let (index, count) = home.enter(call.ret - base, at.count);
            let (ret, flags) = (base + index, home.state(index).flags());
            let parent = frames.get(at.frame);
            let absorbed = flags & state_flags::ABSORBING != 0
                && at.frame != BOTTOM
                && parent.ret == ret
                && parent.count == count;
            if !absorbed {
                match frames.intern(ret, count, at.frame, flags, max_frames) {
                    Ok(frame) => at.frame = frame,
                    Err(_) => return false,
                }
            }
        }
        (at.state, at.count) = (call.first_state, call.count);
        true
    }

    /// Whether whole tokens lead on from a configuration.
    #[inline]
    pub(crate) fn rests(&self, frames: &Frames, at: Configuration) -> bool {
        self.state(at.state).has(state_flags::RESTS) && frames.get(at.frame).rests()
    }
}

/// The configuration after the rule on top of a frame has returned.
#[inline]
pub(crate) fn returned(frames: &Frames, frame: u32) -> Configuration {
    let top = frames.get(frame);
    Configuration { state: top.ret, count: top.count, frame: top.parent }
}
