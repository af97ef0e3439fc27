//! Arguments of the functions for devices: versioned structs, converted to the types of the crate.

use std::ffi::{c_char, c_void};

use ::grammarc_cuda::{DeviceLogits, DevicePointer, DeviceTokens, Dtype};

use crate::args::object;
use crate::error::Fault;
use crate::options::{self, Growing};

/// How a device is opened. Zero is the default of every field: set all bytes to zero and then `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_cuda_options {
    /// `sizeof(grammarc_cuda_options)`.
    pub struct_size: usize,
    /// Path of the driver's library. NULL: where the system finds it by name.
    pub driver: *const c_char,
    /// Length of the path.
    pub driver_length: usize,
    /// Bytes that tables may take, at most 16 GB; memory is taken as grammars come. Default: 4 GiB.
    pub pool_bytes: u64,
    /// Which device, as the driver counts them.
    pub ordinal: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: integers and raw pointers alone, the size first.
unsafe impl Growing for grammarc_cuda_options {
    const NAME: &'static str = "grammarc_cuda_options";
}

/// A matrix of logits on the device. Column c is token `first_token` + c, or token `column_tokens[c]`; a column whose token is none
/// of the vocabulary's is not allowed. Zero is the default of every field but `at`, `rows` and `columns`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_cuda_logits {
    /// `sizeof(grammarc_cuda_logits)`.
    pub struct_size: usize,
    /// The first logit, aligned for its type. Rows that are aligned to 16 bytes are written faster.
    pub at: *mut c_void,
    /// Logits from one row to the next. Default: `columns`.
    pub stride: i64,
    /// Rows.
    pub rows: u32,
    /// Logits of a row.
    pub columns: u32,
    /// One of `grammarc_dtype`.
    pub dtype: u32,
    /// Token of column 0, where the vocabulary is split over devices.
    pub first_token: u32,
    /// On the device, by row: the place or the number that the row belongs to, or -1 to leave it as it is. NULL: its own number.
    pub numbers: *const i32,
    /// On the device, by column: its token, or a negative number for none. NULL: `first_token` + the column.
    pub column_tokens: *const i32,
}

// SAFETY: integers and raw pointers alone, the size first.
unsafe impl Growing for grammarc_cuda_logits {
    const NAME: &'static str = "grammarc_cuda_logits";
}

/// Tokens of sequences on the device.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_cuda_tokens {
    /// `sizeof(grammarc_cuda_tokens)`.
    pub struct_size: usize,
    /// On the device, by sequence: its first token, or -1 for none.
    pub tokens: *const i32,
    /// Tokens from one sequence to the next. Default: 1.
    pub stride: i64,
    /// On the device, by sequence: its slot, or -1 for none. NULL: its own number.
    pub slots: *const i32,
    /// Sequences.
    pub count: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: integers and raw pointers alone, the size first.
unsafe impl Growing for grammarc_cuda_tokens {
    const NAME: &'static str = "grammarc_cuda_tokens";
}

/// How tokens are sampled, by row of logits, on the device.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct grammarc_cuda_sampling {
    /// `sizeof(grammarc_cuda_sampling)`.
    pub struct_size: usize,
    /// Written: the token, or -1 where none is allowed, or the row is left out or waits for the host.
    pub tokens: *mut i32,
    /// 0 for the greatest logit. NULL: 0 for all.
    pub temperatures: *const f32,
    /// Seeds. NULL: 0 for all.
    pub seeds: *const u64,
    /// A number that a seed is used with once, such as the number of the token. NULL: 0 for all.
    pub steps: *const u64,
    /// The slot in which the token is taken at once, or -1 for none. NULL: its own number. Without `advances`, not read.
    pub slots: *const i32,
    /// Not zero: tokens are taken in their slots.
    pub advances: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: integers and raw pointers alone, the size first.
unsafe impl Growing for grammarc_cuda_sampling {
    const NAME: &'static str = "grammarc_cuda_sampling";
}

/// Returns a device pointer of the caller's.
///
/// # Safety
///
/// As [`DevicePointer::from_raw`].
pub(crate) unsafe fn on_device<T>(pointer: *const T) -> DevicePointer {
    // SAFETY: the caller's promise.
    unsafe { DevicePointer::from_raw(pointer as u64) }
}

/// Returns the logits of a caller.
///
/// # Safety
///
/// NULL, or as the header says.
pub(crate) unsafe fn logits_of(given: *const grammarc_cuda_logits) -> Result<DeviceLogits, Fault> {
    // SAFETY: the caller's promise.
    unsafe {
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
}

/// Returns the tokens of a caller.
///
/// # Safety
///
/// NULL, or as the header says.
pub(crate) unsafe fn tokens_of(given: *const grammarc_cuda_tokens) -> Result<DeviceTokens, Fault> {
    // SAFETY: the caller's promise.
    unsafe {
        object("the tokens", given)?;
        let given = options::read(given)?;
        let stride = if given.stride == 0 { 1 } else { given.stride };
        let (tokens, slots) = (on_device(given.tokens), on_device(given.slots));
        Ok(DeviceTokens { count: given.count, tokens, stride, slots })
    }
}
