//! The buffers of a simulation over several bytes, and the simulation itself.

use crate::error::LimitError;
use crate::position::Configurations;
use crate::position::stack::Frames;
use crate::step::machine::Machine;
use crate::step::run::{Run, Runner};

/// Buffers of a simulation: sets of configurations. They keep their capacity between steps.
#[derive(Debug, Default)]
pub(crate) struct StepBuffers {
    /// Epsilon closure of the position before a byte.
    pub(crate) closure: Configurations,
    /// Position after the bytes read so far.
    pub(crate) next: Configurations,
    /// Position before the byte that is being read.
    before: Configurations,
}

impl StepBuffers {
    /// Advances the position `next` over bytes. Uses the [`Runner`] while there is one configuration, otherwise the
    /// [`Machine`]. If the bytes are not allowed, `next` is empty afterwards.
    ///
    /// # Errors
    ///
    /// A limit of the machine was met.
    pub(crate) fn read_bytes(
        &mut self,
        machine: &Machine<'_>,
        runner: &Runner<'_>,
        frames: &mut Frames,
        mut bytes: &[u8],
    ) -> Result<(), LimitError> {
        let Self { closure, next, before } = self;
        while !bytes.is_empty() && !next.as_slice().is_empty() {
            if let &[mut at] = next.as_slice() {
                let limit = machine.limits.frames;
                let run = runner.run(frames, &mut at, bytes, limit);
                next.clear();
                match run {
                    Run::Read => return machine.add(next, at),
                    Run::Refused => return Ok(()),
                    Run::Full => return Err(LimitError::Frames { limit }),
                    Run::Open(read) => bytes = &bytes[read..],
                }
                machine.add(next, at)?;
            }
            let Some((&byte, rest)) = bytes.split_first() else { break };
            std::mem::swap(next, before);
            // A machine without distinct rules may read bytes that were not appended to the text of the items.
            if !machine.distinct.is_empty() {
                frames.items.leave(bytes.len());
            }
            machine.step(frames, before.as_slice(), byte, closure, next)?;
            bytes = rest;
        }
        Ok(())
    }
}
