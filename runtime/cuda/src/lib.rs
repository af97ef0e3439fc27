//! Grammars on CUDA devices: masks that are already where the logits are.
//!
//! A compiled grammar is tables of plain numbers, so a device can hold them: the mask of a row becomes a few numbers of stored
//! masks, and a position advances where its token was sampled. `README.md` beside this crate is the specification of the tables and
//! of who advances what.
//!
//! | a host that | uses | sends for each row and step |
//! | --- | --- | --- |
//! | lets the device advance | [`Slots`] | nothing |
//! | advances itself | [`RowTable`] | four bytes |
//! | has kernels of its own over the same tables | [`HostTables`] | what it likes |
//! | has a bitmask of its own | [`Device::apply_bitmask`] | the bitmask |
//!
//! Nothing of CUDA is needed to build, and the driver is found when a [`Device`] is opened. Memory and streams of logits are the
//! host's: see [`DevicePointer`] and [`Stream`].

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
