//! Whether a configuration can still reach a new item.
//!
//! Every state reaches the end of its rule, so a configuration is alive unless all its continuations end in earlier items. A
//! continuation that diverges from all earlier items is new, whatever follows. So the search follows only the earlier items
//! that begin with the text of the open one.
//!
//! Between two items the search runs only in a *scarce* rule, which has an item with finitely many texts. A separator is dead
//! if all of these occurred. In any other rule a new item is always possible. The compiler ensures that no sequence reaches a
//! place where an item is required and none is left.
//!
//! Cost: the frames of the configuration if no earlier item begins with the text. Else a step for each byte up to the first
//! place with two possible bytes, which is nearly always the next.

use grammarc_artifacts::sections::network::state_flags;

use super::items::EMPTY;
use super::reading::{Activation, callers, read};
use crate::error::LimitError;
use crate::position::stack::Frames;
use crate::position::{Configuration, Configurations};
use crate::step::first_bytes::FirstBytes;
use crate::step::machine::Machine;

/// Most configurations that one search for a new item puts into its worklist. Nearly all searches are short. One that meets
/// the limit takes about a second and 8 MB, and the accept returns an error.
const SEARCHED: usize = 1 << 18;

/// The relation of a configuration to the earlier items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Viability {
    /// The configuration is at the end of an item that is equal to an earlier one.
    Dead,
    /// The open item, or the next one in a scarce rule, may become equal to an earlier one.
    Near,
    /// The open item differs from all earlier ones, whatever follows.
    New,
}

/// Determines the relation of a configuration to the earlier items.
fn viability(machine: &Machine<'_>, frames: &Frames, at: Configuration) -> Viability {
    let items = &frames.items;
    if machine.distinct.contains(at.state) {
        let list = items.list(at.count);
        if list.is_open() && items.had(list) {
            return Viability::Dead;
        }
    }
    let scarce = |state: u32| machine.distinct.is_scarce(state);
    if near(machine, frames, at, scarce) { Viability::Near } else { Viability::New }
}

/// Whether a continuation of a configuration may be equal to an earlier item.
pub(super) fn may_repeat(machine: &Machine<'_>, frames: &Frames, at: Configuration) -> bool {
    near(machine, frames, at, |_| true)
}

/// Whether the open item may become equal to an earlier one, or the next item may, at states for which `between` returns
/// `true`.
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
    callers(machine, frames, at).any(|Activation { state, list: number }| {
        let list = frames.items.list(number);
        match list.is_open() {
            true => frames.items.may_become(list),
            false => number != EMPTY && between(state),
        }
    })
}

/// A configuration in the worklist.
#[derive(Clone, Copy, Debug)]
struct Open {
    at: Configuration,
    /// Length of the text up to the configuration.
    len: usize,
    /// Last byte of that text.
    byte: u8,
}

/// Buffers of the search.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// Worklist.
    open: Vec<Open>,
    /// Number of configurations that were added to the worklist.
    added: usize,
    closure: Configurations,
    next: Configurations,
}

impl Search {
    /// Whether a configuration is alive. The text is read up to the configuration.
    ///
    /// # Errors
    ///
    /// The search met [`SEARCHED`], or the machine met a limit.
    pub(crate) fn is_alive(
        &mut self,
        machine: &Machine<'_>,
        frames: &mut Frames,
        at: Configuration,
    ) -> Result<bool, LimitError> {
        match viability(machine, frames, at) {
            Viability::Dead => Ok(false),
            Viability::New => Ok(true),
            Viability::Near => self.search(machine, frames, at),
        }
    }

    /// Searches for a continuation that makes a new item, depth first.
    #[inline(never)]
    fn search(
        &mut self,
        machine: &Machine<'_>,
        frames: &mut Frames,
        at: Configuration,
    ) -> Result<bool, LimitError> {
        let start = frames.items.text().len();
        self.open.clear();
        self.open.push(Open { at, len: start, byte: 0 });
        self.added = 0;
        let mut alive = Ok(false);
        while let Some(Open { at, len, byte }) = self.open.pop() {
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

    /// Whether some byte makes the item new. If not, adds the configurations that may still reach a new item to the worklist.
    fn go_on(
        &mut self,
        machine: &Machine<'_>,
        frames: &mut Frames,
        at: Configuration,
        len: usize,
    ) -> Result<bool, LimitError> {
        if self.added > SEARCHED {
            return Err(LimitError::NewItem { limit: SEARCHED });
        }
        let first = FirstBytes::of(machine, frames, &[at], &mut self.closure)?;
        for byte in first.iter() {
            read(machine, frames, &[at], byte, &mut self.closure, &mut self.next)?;
            for &next in self.next.as_slice() {
                match viability(machine, frames, next) {
                    Viability::New => return Ok(true),
                    Viability::Near => {
                        self.open.push(Open { at: next, len: len + 1, byte });
                        self.added += 1;
                    }
                    Viability::Dead => {}
                }
            }
            frames.items.truncate(len);
        }
        Ok(false)
    }
}
