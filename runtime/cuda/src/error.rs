//! Errors of devices and drivers.

use thiserror::Error;

/// Why a device, or a call of it, is not to be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CudaError {
    /// There is no driver.
    #[error("no CUDA driver was found ({}): install NVIDIA's driver 530 or later, or mask on the host", tried.join("; "))]
    NoDriver {
        /// The names that were tried, each with the system's answer.
        tried: Vec<String>,
    },
    /// The driver lacks a function.
    #[error("the CUDA driver has no {name}: install NVIDIA's driver 530 or later")]
    Function {
        /// The function.
        name: &'static str,
    },
    /// The driver is too old.
    #[error(
        "the CUDA driver is of version {found}, and {needed} is needed: install NVIDIA's driver 530 or later"
    )]
    OldDriver {
        /// Its version: 1,000 times the major number and 10 times the minor one.
        found: i32,
        /// The least version.
        needed: i32,
    },
    /// There is no such device.
    #[error("there is no CUDA device {ordinal}: the driver shows {count}")]
    NoDevice {
        /// The device that was asked for.
        ordinal: u32,
        /// The number of devices.
        count: i32,
    },
    /// The device is too old.
    #[error("the device has compute capability {}.{}, and {}.{} is needed", found.0, found.1, needed.0, needed.1)]
    OldDevice {
        /// Its compute capability.
        found: (i32, i32),
        /// The least compute capability.
        needed: (i32, i32),
    },
    /// A call of the driver failed.
    #[error("{call} failed: {name} {text}")]
    Call {
        /// The call.
        call: &'static str,
        /// Its status.
        status: i32,
        /// The status by name.
        name: String,
        /// The driver's text for it.
        text: String,
    },
    /// The pool has no room for the tables of a grammar.
    #[error(
        "the pool would take {needed} bytes, and {most} is its limit: drop grammars, or open the device with a larger one"
    )]
    Full {
        /// Bytes that the pool would take.
        needed: u64,
        /// Bytes that it may take.
        most: u64,
    },
    /// All rows of a table are in use in this step.
    #[error("all {rows} rows are in use in this step: make the table with more")]
    Rows {
        /// Rows of the table.
        rows: u32,
    },
    /// There is no such slot.
    #[error("slot {slot} of {slots}")]
    Slot {
        /// The slot.
        slot: u32,
        /// The number of slots.
        slots: u32,
    },
    /// More drafts than each slot has places for.
    #[error("{drafts} drafts, and each slot has places for {most}")]
    Drafts {
        /// Drafts of the call.
        drafts: u32,
        /// Drafts that the slots were made for.
        most: u32,
    },
    /// A matcher follows another grammar than the resident one.
    #[error("the matcher follows another grammar than the one that is on the device")]
    OtherGrammar,
    /// The masks of an unmasked grammar are still computed.
    #[error("the grammar's masks are still computed: upload it once it is complete")]
    Early,
    /// A matcher ends with other tokens, or has another logit width, than the grammar was uploaded with.
    #[error(
        "the matcher has other end tokens than the grammar was uploaded with: upload it with the matcher's"
    )]
    OtherEnds,
    /// A bitmask does not fit the logits.
    #[error("a bitmask of {words} words a row speaks of fewer tokens than {tokens}")]
    Words {
        /// Words of a row.
        words: u32,
        /// Tokens of the call.
        tokens: u32,
    },
}
