//! Grammars on CUDA devices: masks are computed where the logits are.
//!
//! A compiled grammar is tables of plain numbers, so a device can hold them. The mask of a row becomes a few numbers
//! of stored masks, and a position advances on the device that sampled its token. `README.md` beside this crate
//! specifies the tables and the division of work between host and device.
//!
//! | a host that | uses | sends for each row and step |
//! | --- | --- | --- |
//! | lets the device advance | [`Slots`] | nothing |
//! | advances on its own | [`RowTable`] | four bytes |
//! | has its own kernels over the same tables | [`HostTables`] | what it likes |
//! | has its own bitmask | [`Device::apply_bitmask`] | the bitmask |
//!
//! Building needs nothing of CUDA, and the driver is loaded when a [`Device`] is opened. The host owns the memory and
//! the streams of logits: see [`DevicePointer`] and [`Stream`].
//!
//! Tests: `src/tests`, on the kernels' emulator and on a device if there is one; `tests/gpu` of the workspace.

mod device;
mod driver;
mod error;
mod host;
mod image;
mod layout;
mod logits;
mod pool;
mod resident;
mod rows;
mod slots;
#[cfg(test)]
mod tests;

pub use device::{Device, DeviceBitmask, DeviceOptions};
pub use driver::{DevicePointer, Stream};
pub use error::CudaError;
pub use host::{HostRow, HostTables, POSITION_WORDS, ROW_WORDS};
pub use logits::{DeviceLogits, Dtype};
pub use pool::{Patch, PoolUsage};
pub use resident::Resident;
pub use rows::RowTable;
pub use slots::{DeviceTokens, Sampling, Slots, Status};
