//! Whether a configuration of a distinct rule can still reach a new item: an item that differs from all earlier ones.
//!
//! Every state reaches the end of its rule, so a configuration is alive unless all its continuations end in earlier
//! items. A continuation that diverges from all earlier items is new, whatever follows. So the search follows only the
//! earlier items that begin with the text of the open item.
//!
//! Between two items the search runs only in a *scarce* rule, which has an item with finitely many texts. A separator
//! is dead if all these texts occurred. In any other rule a new item is always possible. The compiler ensures that no
//! sequence reaches a place where an item is required and none is left.
//!
//! Cost: the stack frames of the configuration if no earlier item begins with the text. Otherwise a step for each byte
//! up to the first place with two possible bytes, which is nearly always the next.

use grammarc_artifacts::sections::network::state_flags;

use super::items::EMPTY;
use super::reading::{Activation, callers, read};
use crate::error::LimitError;
use crate::position::stack::Frames;
use crate::position::{Configuration, Configurations};
use crate::step::first_bytes::FirstBytes;
use crate::step::machine::Machine;

/// Largest number of configurations in the worklist over one search for a new item. Nearly all searches are short. A
/// search that meets the limit takes about a second and 8 MB, and the accept returns an error.
const SEARCHED: usize = 1 << 18;

/// How a configuration relates to the earlier items of its distinct rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Viability {
    /// The configuration is at the end of an item that is equal to an earlier item, so it is dropped.
    Dead,
    /// The open item may become equal to an earlier item. In a scarce rule, which may run out of new items, so may the
    /// next item.
    Near,
    /// The open item differs from all earlier items, whatever follows.
    New,
}

/// Returns how a configuration relates to the earlier items of its distinct rules.
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

/// Whether an open or later item of a configuration may become equal to an earlier item.
pub(super) fn may_repeat(machine: &Machine<'_>, frames: &Frames, at: Configuration) -> bool {
    near(machine, frames, at, |_| true)
}

/// Whether an open item may become equal to an earlier one, in any distinct rule on the stack. Between two items,
/// returns `true` if `between` returns `true` for the state there and the rule has earlier items.
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

/// A configuration in the worklist, with the length and the last byte of its text.
#[derive(Clone, Copy, Debug)]
struct Open {
    at: Configuration,
    /// Length in bytes of the text up to the configuration.
    len: usize,
    /// Last byte of the text up to the configuration.
    byte: u8,
}

/// Buffers of the search for a new item.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// Configurations from which a new item may still be reached.
    open: Vec<Open>,
    /// Number of configurations that were added to the worklist since the search began.
    added: usize,
    closure: Configurations,
    next: Configurations,
}

impl Search {
    /// Whether a configuration is alive: some continuation makes an item that differs from all earlier ones. The text
    /// must be read up to the configuration.
    ///
    /// # Errors
    ///
    /// The search exceeds [`SEARCHED`] configurations, or the machine meets a limit.
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

    /// Searches depth first for a continuation that makes a new item. Returns whether there is one.
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

    /// Whether some byte makes the open item new. If not, adds the configurations that may still reach a new item to
    /// the worklist.
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
