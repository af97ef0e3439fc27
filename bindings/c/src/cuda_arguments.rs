//! Arguments of the functions for devices: versioned structs, converted to the types of the crate.

use std::ffi::{c_char, c_void};

use ::grammarc_cuda::{DeviceLogits, DevicePointer, DeviceTokens, Dtype};

use crate::args::object;
use crate::error::Fault;
use crate::options::{self, growing};

/// The settings of a device. Set all bytes to zero, the default of every field, and then `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_cuda_options {
    /// `sizeof(grammarc_cuda_options)`.
    pub struct_size: usize,
    /// Path of the driver's library. NULL: the library that the system finds by name.
    pub driver: *const c_char,
    /// Length of `driver` in bytes.
    pub driver_length: usize,
    /// Maximum size of all tables in bytes, at most 16 GB. Memory is allocated as grammars are uploaded. Default: 4 GiB.
    pub pool_bytes: u64,
    /// Index of the device in the driver's list.
    pub ordinal: u32,
    /// Must be zero.
    pub reserved: u32,
}

/// A matrix of logits on the device. Column `c` is token `first_token + c`, or token `column_tokens[c]`. Columns without a
/// token of the vocabulary are forbidden. Zero is the default of every field but `at`, `rows` and `columns`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_cuda_logits {
    /// `sizeof(grammarc_cuda_logits)`.
    pub struct_size: usize,
    /// Device address of the first logit, aligned to its type. Rows aligned to 16 bytes are written faster.
    pub at: *mut c_void,
    /// Distance between the starts of two rows, in logits. Default: `columns`.
    pub stride: i64,
    /// Number of rows.
    pub rows: u32,
    /// Number of logits in a row.
    pub columns: u32,
    /// Type of a logit, one of `grammarc_dtype`.
    pub dtype: u32,
    /// Token of column 0, for a vocabulary that is split over devices.
    pub first_token: u32,
    /// On the device: the mask of each row, or -1 to leave the row unchanged. The called function defines the numbers.
    /// NULL: row `i` has number `i`.
    pub numbers: *const i32,
    /// On the device: the token of each column, negative for none. NULL: column `c` is token `first_token + c`.
    pub column_tokens: *const i32,
}

/// The tokens of sequences on the device.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_cuda_tokens {
    /// `sizeof(grammarc_cuda_tokens)`.
    pub struct_size: usize,
    /// On the device: the first token of each sequence, or -1 for none.
    pub tokens: *const i32,
    /// Distance between the first tokens of two sequences, in tokens. Default: 1.
    pub stride: i64,
    /// On the device: the slot of each sequence, or -1 for none. NULL: sequence `i` has slot `i`.
    pub slots: *const i32,
    /// Number of sequences.
    pub count: u32,
    /// Must be zero.
    pub reserved: u32,
}

/// The settings of sampling. All arrays are on the device, with one element for each row of logits.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_cuda_sampling {
    /// `sizeof(grammarc_cuda_sampling)`.
    pub struct_size: usize,
    /// Output: the sampled token. -1 if no token is allowed, the row is left out, or the slot waits for the host.
    pub tokens: *mut i32,
    /// Temperatures; 0 selects the greatest logit. NULL: 0 for all rows.
    pub temperatures: *const f32,
    /// Seeds. NULL: 0 for all rows.
    pub seeds: *const u64,
    /// Numbers that occur once for each seed, such as the index of the token. NULL: 0 for all rows.
    pub steps: *const u64,
    /// The slots to advance, -1 for none. NULL: row `i` has slot `i`. Read only with `advances`.
    pub slots: *const i32,
    /// Whether the slots are advanced by their tokens, zero or nonzero.
    pub advances: u32,
    /// Must be zero.
    pub reserved: u32,
}

growing!(grammarc_cuda_options, grammarc_cuda_logits, grammarc_cuda_tokens, grammarc_cuda_sampling);

/// Converts a device pointer of a caller.
///
/// # Safety
///
/// As [`DevicePointer::from_raw`].
pub(crate) unsafe fn on_device<T>(pointer: *const T) -> DevicePointer {
    DevicePointer::from_raw(pointer as u64)
}

/// Converts the logits of a caller.
///
/// # Safety
///
/// `given` is NULL or a struct as the header says.
pub(crate) unsafe fn logits_of(given: *const grammarc_cuda_logits) -> Result<DeviceLogits, Fault> {
    object("the logits", given)?;
    let given = options::read(given)?;
    let dtype = match given.dtype {
        0 => Dtype::F32,
        1 => Dtype::F16,
        2 => Dtype::Bf16,
        other => return Err(Fault::argument(format!("{other} is no grammarc_dtype"))),
    };
    let at = on_device(given.at);
    if !(given.at as u64).is_multiple_of(dtype.bytes()) {
        return Err(Fault::argument("the logits are not aligned for their type"));
    }
    let mut logits =
        DeviceLogits::new(at, dtype, given.rows, given.columns).first_token(given.first_token);
    if given.stride != 0 {
        logits = logits.stride(given.stride);
    }
    let (numbers, tokens) = (on_device(given.numbers), on_device(given.column_tokens));
    Ok(logits.numbers(numbers).column_tokens(tokens))
}

/// Converts the tokens of a caller.
///
/// # Safety
///
/// `given` is NULL or a struct as the header says.
pub(crate) unsafe fn tokens_of(given: *const grammarc_cuda_tokens) -> Result<DeviceTokens, Fault> {
    object("the tokens", given)?;
    let given = options::read(given)?;
    let stride = if given.stride == 0 { 1 } else { given.stride };
    let (tokens, slots) = (on_device(given.tokens), on_device(given.slots));
    Ok(DeviceTokens { count: given.count, tokens, stride, slots })
}
