//! Whether a configuration can still become an item that is new.
//!
//! Every state reaches the end of its rule, so a configuration is alive unless all its ways on end in items that were
//! there before. A way on that no such item begins with is new, whatever follows. So it is enough to go along the items
//! that begin with what is read: at each byte some other way is open, or the next byte is theirs alone.
//!
//! Between two items the way on is looked for only in a *scarce* rule, which has an item of a finite number of texts: a
//! separator is dead where all of them were there. In any other rule a new item is always possible. That a sequence
//! does not get to where an item must come and none is left, is seen to by the compiler.
//!
//! Cost: where nothing before begins with what is read, the frames of the configuration; else a step for each byte up
//! to the first place where two bytes may come, which is nearly always the next.

use grammarc_artifacts::sections::network::state_flags;

use super::items::EMPTY;
use super::{callers, read};
use crate::error::LimitError;
use crate::position::{Configuration, Configurations};
use crate::sequence::FirstBytes;
use crate::stack::Frames;
use crate::step::Machine;

/// The relation of a configuration to the items that came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is at the end of an item that is not new.
    Dead,
    /// The next item may be one that is not new.
    Near,
    /// The item that is being read is new in any case.
    New,
}

/// The relation of a configuration to the items before.
fn standing(machine: &Machine<'_>, frames: &Frames, at: Configuration) -> Standing {
    let items = &frames.items;
    if machine.distinct.contains(at.state) {
        let list = items.list(at.count);
        if list.is_open() && items.had(list) {
            return Standing::Dead;
        }
    }
    let scarce = |state: u32| machine.distinct.is_scarce(state);
    if near(machine, frames, at, scarce) { Standing::Near } else { Standing::New }
}

/// Whether what a configuration goes on with may be an item that was there before.
pub(super) fn may_repeat(machine: &Machine<'_>, frames: &Frames, at: Configuration) -> bool {
    near(machine, frames, at, |_| true)
}

/// Whether an item that is being read may become one that was there before, or the next item may be one, where
/// `between` says that this is of interest.
fn near(
    machine: &Machine<'_>,
    frames: &Frames,
    at: Configuration,
    between: impl Fn(u32) -> bool,
) -> bool {
    let ends = machine.state(at.state).flags & state_flags::FINAL != 0;
    let distinct = machine.distinct;
    if distinct.contains(at.state) && at.count != EMPTY && !ends && between(at.state) {
        return true;
    }
    callers(machine, frames, at).any(|(state, register)| {
        let list = frames.items.list(register);
        match list.is_open() {
            true => frames.items.may_become(list),
            false => register != EMPTY && between(state),
        }
    })
}

/// Buffers of the search.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// Configurations to go on from, each with the length of the text up to it and the last byte of that.
    open: Vec<(Configuration, usize, u8)>,
    closure: Configurations,
    next: Configurations,
}

impl Search {
    /// Whether a configuration is alive. The text is read up to it.
    pub(crate) fn is_alive(
        &mut self,
        machine: &Machine<'_>,
        frames: &mut Frames,
        at: Configuration,
    ) -> Result<bool, LimitError> {
        match standing(machine, frames, at) {
            Standing::Dead => Ok(false),
            Standing::New => Ok(true),
            Standing::Near => self.search(machine, frames, at),
        }
    }

    #[inline(never)]
    fn search(
        &mut self,
        machine: &Machine<'_>,
        frames: &mut Frames,
        at: Configuration,
    ) -> Result<bool, LimitError> {
        let start = frames.items.text().len();
        self.open.clear();
        self.open.push((at, start, 0));
        let mut alive = Ok(false);
        while let Some((at, len, byte)) = self.open.pop() {
            if len > start {
                frames.items.truncate(len - 1);
                frames.items.push(&[byte]);
                frames.items.leave(0);
            }
            alive = self.go_on(machine, frames, at, len);
            if alive != Ok(false) {
                break;
            }
        }
        frames.items.truncate(start);
        alive
    }

    /// Whether some byte leads to what is new; if not, those that may lead there later are added to what is open.
    fn go_on(
        &mut self,
        machine: &Machine<'_>,
        frames: &mut Frames,
        at: Configuration,
        len: usize,
    ) -> Result<bool, LimitError> {
        let first = FirstBytes::of(machine, frames, &[at], &mut self.closure)?;
        for byte in first.iter() {
            read(machine, frames, &[at], byte, &mut self.closure, &mut self.next)?;
            for &next in self.next.as_slice() {
                match standing(machine, frames, next) {
                    Standing::New => return Ok(true),
                    Standing::Near => self.open.push((next, len + 1, byte)),
                    Standing::Dead => {}
                }
            }
            frames.items.truncate(len);
        }
        Ok(false)
    }
}
