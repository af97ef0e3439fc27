//! Steps that also append to the text of items, and the distinct rules (items must differ) on a stack.

use crate::error::LimitError;
use crate::position::stack::{BOTTOM, Frames};
use crate::position::{Configuration, Configurations};
use crate::step::machine::Machine;

/// A call in progress of a distinct rule, whose items must differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Activation {
    /// State to which the callee above the rule returns.
    pub(super) state: u32,
    /// Register of the rule: the number of its [list](super::items) of items.
    pub(super) list: u32,
}

/// Appends one byte to the text and reads it from the position `from`. Sets `next` to the position after the byte.
///
/// # Errors
///
/// The limit on configurations or on frames was met.
pub(super) fn read(
    machine: &Machine<'_>,
    frames: &mut Frames,
    from: &[Configuration],
    byte: u8,
    closure: &mut Configurations,
    next: &mut Configurations,
) -> Result<(), LimitError> {
    frames.items.push(&[byte]);
    // A step ends an item while it reads the byte after the item. So the item ends before that byte.
    frames.items.leave(1);
    machine.step(frames, from, byte, closure, next)?;
    frames.items.leave(0);
    Ok(())
}

/// Returns the distinct rules in progress on a configuration's stack, innermost first. The configuration's own rule is
/// left out.
pub(super) fn callers(
    machine: &Machine<'_>,
    frames: &Frames,
    at: Configuration,
) -> impl Iterator<Item = Activation> {
    let mut frame = at.frame;
    let stack = std::iter::from_fn(move || {
        let top = (frame != BOTTOM).then(|| frames.get(frame))?;
        frame = top.parent;
        Some(Activation { state: top.ret, list: top.count })
    });
    stack.filter(|caller| machine.distinct.contains(caller.state))
}

/// Returns the number of the item list of the only distinct rule in progress. `None` if the stack has no such rule or
/// several, or if the configuration's own rule is distinct.
pub(super) fn only_caller(
    machine: &Machine<'_>,
    frames: &Frames,
    at: Configuration,
) -> Option<u32> {
    let mut callers = callers(machine, frames, at);
    let caller = callers.next()?;
    (callers.next().is_none() && !machine.distinct.contains(at.state)).then_some(caller.list)
}
