//! Runs: one configuration over the bytes of a token, while each byte can be read in one way.
//!
//! Nearly every token of real text is read so. The configuration stays in processor registers. A byte takes one
//! [move](crate::step::moves), a call interns a frame, and a return reads one. Nothing is recorded for rollback on the
//! way. A refused token leaves unreachable frames, which a later collection removes.
//!
//! A run stops before a byte that can be read in several ways. The [machine](crate::step::machine) continues from there
//! with sets of configurations.
//!
//! Invariant: a run agrees with the machine. A run takes a move only if the closure has no other state that reads the
//! byte. For calls this is decided when the moves are derived. For returns it is decided here, by the states on the
//! stack.

use grammarc_artifacts::sections::network::{NONE, state_flags};

use crate::position::Configuration;
use crate::position::stack::{BOTTOM, Frames};
use crate::step::moves::{Kind, Move, Moves, State};

/// The moves of a grammar and of its vocabulary: for each state and byte, the effect of the byte.
#[derive(Clone, Copy)]
pub(crate) struct Runner<'g> {
    /// Moves of the vocabulary's shared rules.
    pub(crate) shared: &'g Moves,
    /// Moves of the grammar's own rules.
    pub(crate) own: &'g Moves,
    /// Id of the first state of the grammar's own rules.
    pub(crate) first_own: u32,
}

/// The outcome of a run over some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// All bytes were read.
    Read,
    /// A byte is not allowed at its place.
    Refused,
    /// A call needs a new frame, and the limit on frames was met.
    Full,
    /// The run stopped before a byte that can be read in several ways. Holds the number of bytes read before it.
    Open(usize),
}

/// The moves of the artifact that holds a state.
#[derive(Clone, Copy)]
struct Home<'g> {
    moves: &'g Moves,
    /// Id of the state with index 0 in `moves`.
    base: u32,
}

impl<'g> Runner<'g> {
    /// Returns the moves of the artifact that holds a state.
    #[inline]
    fn home(&self, state: u32) -> Home<'g> {
        match state >= self.first_own {
            true => Home { moves: self.own, base: self.first_own },
            false => Home { moves: self.shared, base: 0 },
        }
    }

    /// Returns the moves of one state.
    #[inline]
    fn state(&self, state: u32) -> State {
        let home = self.home(state);
        home.moves.state(state - home.base)
    }

    /// Whether a state [goes to itself](State::loops) on every plain byte.
    #[inline]
    pub(crate) fn loops(&self, state: u32) -> bool {
        self.state(state).loops()
    }

    /// Reads bytes from the configuration `at`, and sets `at` to the configuration after the bytes that were read.
    /// `max_frames` is the limit on the frames of the sequence.
    #[inline(always)]
    pub(crate) fn run(
        &self,
        frames: &mut Frames,
        at: &mut Configuration,
        bytes: &[u8],
        max_frames: usize,
    ) -> Run {
        let mut home = self.home(at.state);
        let mut index = at.state - home.base;
        let mut read = 0;
        while let Some(&byte) = bytes.get(read) {
            let state = home.moves.state(index);
            if let Some(next) = state.step(byte) {
                index = next;
                read += 1;
                continue;
            }
            let mut next = home.moves.on(state, byte);
            if state.has(state_flags::FINAL) && at.frame != BOTTOM {
                if next == Move::REFUSED {
                    *at = frames.returned(at.frame);
                    home = self.home(at.state);
                    index = at.state - home.base;
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
            at.state = home.base + index;
            if next.is(Kind::Call) {
                if !self.call(frames, at, home, next.index(), max_frames) {
                    return Run::Full;
                }
            } else if next.is(Kind::Arrive) {
                self.arrive(frames, at, home.base + next.index());
                read += 1;
            } else {
                return if next == Move::REFUSED { Run::Refused } else { Run::Open(read) };
            }
            home = self.home(at.state);
            index = at.state - home.base;
        }
        at.state = home.base + index;
        Run::Read
    }

    /// Whether one of the states to which the stack may return has a move on a byte. The search goes down while the
    /// return states are final.
    fn takes_below(&self, frames: &Frames, mut frame: u32, byte: u8) -> bool {
        while frame != BOTTOM {
            let top = frames.get(frame);
            let home = self.home(top.ret);
            let state = home.moves.state(top.ret - home.base);
            if home.moves.on(state, byte) != Move::REFUSED {
                return true;
            }
            if !state.has(state_flags::FINAL) {
                return false;
            }
            frame = top.parent;
        }
        false
    }

    /// Arrives at the state `target`, as [`Machine::arrive`](crate::step::machine::Machine::arrive) does. A pop-only
    /// state returns to its caller at once.
    #[inline]
    fn arrive(&self, frames: &Frames, at: &mut Configuration, target: u32) {
        (at.state, at.count) = self.enter(target, at.count);
        while at.frame != BOTTOM && self.state(at.state).has(state_flags::POP_ONLY) {
            *at = frames.returned(at.frame);
        }
    }

    /// Returns the state and the register after an arrival at `state`, which updates counters.
    #[inline]
    fn enter(&self, state: u32, count: u32) -> (u32, u32) {
        let home = self.home(state);
        let (index, count) = home.moves.enter(state - home.base, count);
        (home.base + index, count)
    }

    /// Enters the callee of the call with index `call`, as [`Machine::call`](crate::step::machine::Machine::call) does.
    /// Returns `false` if a new frame is needed and the limit on frames was met.
    #[inline]
    fn call(
        &self,
        frames: &mut Frames,
        at: &mut Configuration,
        home: Home<'_>,
        call: u32,
        max_frames: usize,
    ) -> bool {
        let call = home.moves.call(call);
        if call.ret != NONE {
            let (index, count) = home.moves.enter(call.ret - home.base, at.count);
            let (ret, flags) = (home.base + index, home.moves.state(index).flags());
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

    /// Whether a token may end in a configuration: some sequence of whole tokens continues from its state and from
    /// every return state on its stack.
    #[inline]
    pub(crate) fn rests(&self, frames: &Frames, at: Configuration) -> bool {
        self.state(at.state).has(state_flags::RESTS) && frames.get(at.frame).rests()
    }
}
