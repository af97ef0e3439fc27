//! Steps that also append to the text of items.

use crate::error::LimitError;
use crate::position::stack::Frames;
use crate::position::{Configuration, Configurations};
use crate::step::machine::Machine;

/// Appends one byte to the text of items, and reads it from each of the configurations `from`. Sets `next` to the
/// configurations after the byte.
///
/// # Errors
///
/// The limit on configurations or on frames is met.
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
