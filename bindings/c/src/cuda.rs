//! Grammars on CUDA devices: the functions of `include/grammarc_cuda.h`.

use std::ffi::c_void;

use ::grammarc_cuda::{
    CudaError, Device, DeviceBitmask, DeviceOptions, Resident, RowTable, Sampling, Slots, Stream,
};

use crate::args::{self, object};
use crate::cuda_arguments::{
    grammarc_cuda_logits, grammarc_cuda_options, grammarc_cuda_sampling, grammarc_cuda_tokens,
    logits_of, on_device, tokens_of,
};
use crate::error::grammarc_status::{self, *};
use crate::error::{Fault, grammarc_error, make, report};
use crate::handles::{ask, boxed, free};
use crate::matcher::grammarc_matcher;
use crate::options;
use crate::out_params::write_out;
use crate::single::{Exclusive, Single, asked, exclusive, on};

/// An opened device, with loaded kernels and a memory pool for the tables of grammars.
///
/// Any number of threads may use it at once. Free it once with grammarc_cuda_free(); objects made from it stay valid.
#[derive(Debug)]
pub struct grammarc_cuda {
    inner: Device,
}

/// A grammar on a device, for matchers with one set of end tokens. Any number of threads may use it at once. Free it once
/// with grammarc_cuda_grammar_free().
#[derive(Debug)]
pub struct grammarc_cuda_grammar {
    inner: Resident,
}

/// Positions of sequences on a device, which advances them. Any thread may use them, one at a time. Free them once with
/// grammarc_cuda_slots_free().
#[derive(Debug)]
pub struct grammarc_cuda_slots {
    inner: Single<Slots>,
}

/// A table of numbered mask rows, for hosts that advance their own matchers. Any thread may use it, one at a time. Free it
/// once with grammarc_cuda_rows_free().
#[derive(Debug)]
pub struct grammarc_cuda_rows {
    inner: Single<RowTable>,
}

/// Status bit: the device cannot process the token of a slot. The host accepts the token with its matcher, and calls
/// grammarc_cuda_slots_write().
pub const GRAMMARC_CUDA_WAITS_FOR_HOST: u32 = 1;
/// Status bit: the token of a slot was refused, and the slot kept its position.
pub const GRAMMARC_CUDA_REFUSED: u32 = 2;
/// Status bit: an end token was accepted in a slot.
pub const GRAMMARC_CUDA_FINISHED: u32 = 4;

exclusive!(grammarc_cuda_slots: Slots, grammarc_cuda_rows: RowTable);

impl From<CudaError> for Fault {
    fn from(error: CudaError) -> Self {
        let status = match &error {
            CudaError::NoDriver { .. }
            | CudaError::Function { .. }
            | CudaError::OldDriver { .. }
            | CudaError::OldDevice { .. }
            | CudaError::Call { .. } => GRAMMARC_IO,
            CudaError::Full { .. } | CudaError::Rows { .. } => GRAMMARC_LIMIT,
            CudaError::Early | CudaError::OtherGrammar | CudaError::OtherEnds => GRAMMARC_MISMATCH,
            CudaError::Words { .. } => GRAMMARC_BUFFER,
            _ => GRAMMARC_ARGUMENT,
        };
        Self::said(status, error)
    }
}

/// Runs work with an object that allows one call at a time.
///
/// # Safety
///
/// As [`object`].
unsafe fn single<H: Exclusive, R>(
    what: &'static str,
    handle: *const H,
    work: impl FnOnce(&mut H::Object) -> Result<R, Fault>,
) -> Result<R, Fault> {
    let text = "is in use by another thread, or a defect left it unusable";
    let failed = |status| Fault::Said(status, format!("{what} {text}"));
    object(what, handle)?.single().with(work).map_err(failed)?
}

/// Runs work with slots, and writes an error to the out parameter.
///
/// # Safety
///
/// As [`object`] and [`report`].
unsafe fn on_slots(
    slots: *mut grammarc_cuda_slots,
    error: *mut *mut grammarc_error,
    work: impl FnOnce(&mut Slots) -> Result<(), Fault>,
) -> grammarc_status {
    report(error, || single("the slots", slots, work))
}

/// Runs work with rows, and writes an error to the out parameter.
///
/// # Safety
///
/// As [`object`] and [`report`].
unsafe fn on_rows(
    rows: *mut grammarc_cuda_rows,
    error: *mut *mut grammarc_error,
    work: impl FnOnce(&mut RowTable) -> Result<(), Fault>,
) -> grammarc_status {
    report(error, || single("the rows", rows, work))
}

/// Opens a device in its primary context, which PyTorch and all programs on the CUDA runtime use as well. `options` may be
/// NULL.
///
/// GRAMMARC_IO if there is no driver, or if the driver or the device is too old; the message names the missing part. Takes
/// some tens of milliseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_open(
    options: *const grammarc_cuda_options,
    out: *mut *mut grammarc_cuda,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let given = options::read(options)?;
        let mut options = DeviceOptions { ordinal: given.ordinal, ..DeviceOptions::default() };
        if !given.driver.is_null() {
            options.driver = Some(args::path(given.driver, given.driver_length)?);
        }
        if given.pool_bytes > 0 {
            options.pool_bytes = given.pool_bytes;
        }
        let inner = Device::open(&options)?;
        Ok(boxed(grammarc_cuda { inner }))
    })
}

/// Writes the bytes of device memory in use by tables, and the bytes allocated by the pool. `used` and `held` may be NULL.
/// Both are 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_usage(
    device: *const grammarc_cuda,
    used: *mut u64,
    held: *mut u64,
) {
    let usage = ask(device, (0, 0), |device| {
        let usage = device.inner.usage();
        (usage.used, usage.held)
    });
    write_out(used, usage.0);
    write_out(held, usage.1);
}

/// Uploads the tables of a matcher's grammar to the device, and of its vocabulary unless they are there already.
///
/// The matcher determines the end tokens, and does not move. The copy runs on `stream`, a `CUstream` or `cudaStream_t`;
/// NULL is the default stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_upload(
    device: *const grammarc_cuda,
    matcher: *mut grammarc_matcher,
    stream: *mut c_void,
    out: *mut *mut grammarc_cuda_grammar,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let device = &object("the device", device)?.inner;
        let inner = single("the matcher", matcher, |matcher| {
            Ok(device.upload(matcher, Stream::from_raw(stream))?)
        })?;
        Ok(boxed(grammarc_cuda_grammar { inner }))
    })
}

/// Makes `slots` slots, each for one sequence and up to `drafts` draft tokens.
///
/// A slot has `drafts + 1` positions. Position `slot * (drafts + 1) + j` is the sequence after `j` draft tokens. The memory
/// of slots never moves, so a captured graph may refer to them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_new(
    device: *const grammarc_cuda,
    slots: u32,
    drafts: u32,
    stream: *mut c_void,
    out: *mut *mut grammarc_cuda_slots,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let device = &object("the device", device)?.inner;
        let inner = Single::new(device.slots(slots, drafts, Stream::from_raw(stream))?);
        Ok(boxed(grammarc_cuda_slots { inner }))
    })
}

/// Writes the position of a matcher to a slot: at the start of a sequence, after a rollback, and after
/// GRAMMARC_CUDA_WAITS_FOR_HOST. GRAMMARC_MISMATCH if the matcher has another grammar or other end tokens than `grammar`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_write(
    slots: *mut grammarc_cuda_slots,
    slot: u32,
    grammar: *const grammarc_cuda_grammar,
    matcher: *mut grammarc_matcher,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    on_slots(slots, error, |slots| {
        let grammar = &object("the grammar", grammar)?.inner;
        single("the matcher", matcher, |matcher| {
            Ok(slots.write(slot, grammar, matcher, Stream::from_raw(stream))?)
        })
    })
}

/// Releases a slot. From then on its rows allow every token, and tokens do not advance it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_release(
    slots: *mut grammarc_cuda_slots,
    slot: u32,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    on_slots(slots, error, |slots| Ok(slots.release(slot, Stream::from_raw(stream))?))
}

/// Sets the logits of forbidden tokens to negative infinity. The `numbers` of the logits are positions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_apply(
    slots: *mut grammarc_cuda_slots,
    logits: *const grammarc_cuda_logits,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    on_slots(slots, error, |slots| Ok(slots.apply(&logits_of(logits)?, Stream::from_raw(stream))?))
}

/// Writes masks to `rows` rows of a bitmask on the device, for hosts with their own kernels.
///
/// Each row has `words` words, and begins `stride` words after the previous row. `numbers`, on the device, has the position
/// of each row, or -1 to leave the row unchanged. NULL: row `i` is position `i`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_fill(
    slots: *mut grammarc_cuda_slots,
    bitmask: *mut u32,
    words: u32,
    stride: i64,
    rows: u32,
    numbers: *const i32,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    on_slots(slots, error, |slots| {
        let bitmask = DeviceBitmask { at: on_device(bitmask), words, stride };
        Ok(slots.fill(&bitmask, rows, on_device(numbers), Stream::from_raw(stream))?)
    })
}

/// Advances each sequence's slot by one token. `accepted`, on the device, has the number of accepted draft tokens before
/// the token, by sequence. NULL: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_advance(
    slots: *mut grammarc_cuda_slots,
    tokens: *const grammarc_cuda_tokens,
    accepted: *const i32,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    on_slots(slots, error, |slots| {
        let tokens = tokens_of(tokens)?;
        Ok(slots.advance(&tokens, on_device(accepted), Stream::from_raw(stream))?)
    })
}

/// Computes the positions after each of `drafts` draft tokens, up to the first refused one. Later rows repeat the last row.
///
/// `allowed`, on the device, receives the number of leading allowed draft tokens, by sequence. NULL: not written.
/// GRAMMARC_ARGUMENT if `drafts` exceeds the drafts of the slots.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_draft(
    slots: *mut grammarc_cuda_slots,
    tokens: *const grammarc_cuda_tokens,
    drafts: u32,
    allowed: *mut i32,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    on_slots(slots, error, |slots| {
        let tokens = tokens_of(tokens)?;
        Ok(slots.draft(&tokens, drafts, on_device(allowed), Stream::from_raw(stream))?)
    })
}

/// Samples an allowed token for each row of logits. With `sampling->advances`, the row's slot is advanced by the token.
/// GRAMMARC_ARGUMENT if there are more rows than positions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_sample(
    slots: *mut grammarc_cuda_slots,
    logits: *const grammarc_cuda_logits,
    sampling: *const grammarc_cuda_sampling,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    on_slots(slots, error, |slots| {
        let logits = logits_of(logits)?;
        object("the sampling", sampling)?;
        let given = options::read(sampling)?;
        let sampling = Sampling {
            tokens: on_device(given.tokens),
            temperatures: on_device(given.temperatures),
            seeds: on_device(given.seeds),
            steps: on_device(given.steps),
        };
        let by_row = (given.advances != 0).then(|| on_device(given.slots));
        Ok(slots.sample(&logits, &sampling, by_row, Stream::from_raw(stream))?)
    })
}

/// Returns the device address of the slots' statuses, one word for each slot, for the host to copy together with its tokens.
///
/// A status is 0, or a bitwise or of GRAMMARC_CUDA_WAITS_FOR_HOST, GRAMMARC_CUDA_REFUSED and GRAMMARC_CUDA_FINISHED. NULL
/// for NULL, and while another thread uses the slots.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_status(
    slots: *const grammarc_cuda_slots,
) -> *const u32 {
    asked(slots, 0, |slots| slots.status().address()) as *const u32
}

/// Makes a table of `rows` mask rows, for a host that advances its own matchers. For each row of logits the host sends a
/// number. Each row of the table, 64 bytes, is sent once for all its uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_new(
    device: *const grammarc_cuda,
    rows: u32,
    stream: *mut c_void,
    out: *mut *mut grammarc_cuda_rows,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    make(out, error, || {
        let device = &object("the device", device)?.inner;
        let inner = Single::new(device.rows(rows, Stream::from_raw(stream))?);
        Ok(boxed(grammarc_cuda_rows { inner }))
    })
}

/// Begins a step. From then on, rows of earlier steps may be replaced, unless they are requested again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_begin(
    rows: *mut grammarc_cuda_rows,
) -> grammarc_status {
    on(rows, |rows| {
        rows.begin();
        GRAMMARC_OK
    })
}

/// Writes the number of the row with a matcher's mask to `*number`, for the `numbers` of logits. GRAMMARC_LIMIT if all rows
/// are in use in this step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_number(
    rows: *mut grammarc_cuda_rows,
    grammar: *const grammarc_cuda_grammar,
    matcher: *mut grammarc_matcher,
    stream: *mut c_void,
    number: *mut i32,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    on_rows(rows, error, |rows| {
        let grammar = &object("the grammar", grammar)?.inner;
        single("the matcher", matcher, |matcher| {
            let found = rows.number(grammar, matcher, Stream::from_raw(stream))?;
            write_out(number, found as i32);
            Ok(())
        })
    })
}

/// Copies new rows to the device. Call it before the kernels that refer to the rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_flush(
    rows: *mut grammarc_cuda_rows,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    on_rows(rows, error, |rows| Ok(rows.flush(Stream::from_raw(stream))?))
}

/// Sets the logits of forbidden tokens to negative infinity. The `numbers` of the logits come from
/// grammarc_cuda_rows_number().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_apply(
    rows: *mut grammarc_cuda_rows,
    logits: *const grammarc_cuda_logits,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    on_rows(rows, error, |rows| Ok(rows.apply(&logits_of(logits)?, Stream::from_raw(stream))?))
}

/// Applies a bitmask on the device, whose rows are computed by the host.
///
/// Each row has `words` words for `tokens` tokens, and begins `stride` words after the previous row. Tokens beyond `tokens`
/// are forbidden. The `numbers` of the logits are rows of the bitmask. GRAMMARC_BUFFER if a row is too short for the
/// tokens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_apply_bitmask(
    device: *const grammarc_cuda,
    bitmask: *const u32,
    words: u32,
    stride: i64,
    tokens: u32,
    logits: *const grammarc_cuda_logits,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    report(error, || {
        let device = &object("the device", device)?.inner;
        let logits = logits_of(logits)?;
        let bitmask = DeviceBitmask { at: on_device(bitmask), words, stride };
        Ok(device.apply_bitmask(&bitmask, tokens, &logits, Stream::from_raw(stream))?)
    })
}

/// Frees a device. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_free(device: *mut grammarc_cuda) {
    free(device)
}

/// Frees a grammar on a device. Slots with the grammar keep its tables alive. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_grammar_free(grammar: *mut grammarc_cuda_grammar) {
    free(grammar)
}

/// Frees slots. Waits for the kernels that use them. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_free(slots: *mut grammarc_cuda_slots) {
    free(slots)
}

/// Frees a table of rows. Waits for the kernels that use it. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_free(rows: *mut grammarc_cuda_rows) {
    free(rows)
}
