//! Steps over the text of items, and the distinct rules on a stack.

use crate::error::LimitError;
use crate::position::stack::{BOTTOM, Frames};
use crate::position::{Configuration, Configurations};
use crate::step::machine::Machine;

/// An activation of a distinct rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Activation {
    /// State to which the callee above it returns.
    pub(super) state: u32,
    /// Register of the activation: the number of its [list](super::items).
    pub(super) list: u32,
}

/// Appends one byte to the text and reads it. `next` becomes the position after the byte.
///
/// # Errors
///
/// A limit of the machine was met.
pub(super) fn read(
    machine: &Machine<'_>,
    frames: &mut Frames,
    from: &[Configuration],
    byte: u8,
    closure: &mut Configurations,
    next: &mut Configurations,
) -> Result<(), LimitError> {
    frames.items.push(&[byte]);
    // An item is ended while the byte after it is read, and it ends before that byte.
    frames.items.leave(1);
    machine.step(frames, from, byte, closure, next)?;
    frames.items.leave(0);
    Ok(())
}

/// The activations of distinct rules on a configuration's stack, innermost first. The configuration's own rule is not among
/// them.
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

/// The list of the distinct rule on a configuration's stack. `None` if there is no such rule, or more than one.
pub(super) fn only_caller(
    machine: &Machine<'_>,
    frames: &Frames,
    at: Configuration,
) -> Option<u32> {
    let mut callers = callers(machine, frames, at);
    let caller = callers.next()?;
    (callers.next().is_none() && !machine.distinct.contains(at.state)).then_some(caller.list)
}
