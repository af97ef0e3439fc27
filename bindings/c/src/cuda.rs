//! Grammars on CUDA devices: what is declared in `include/grammarc_cuda.h`.

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
use crate::guard::guarded;
use crate::matcher::grammarc_matcher;
use crate::options;
use crate::out_params::write_out;
use crate::single::Single;

/// A device, opened: its kernels loaded, and a pool for the tables of grammars.
///
/// Any number of threads may use it at once. grammarc_cuda_free(), once; what was made of it lives on.
#[derive(Debug)]
pub struct grammarc_cuda {
    inner: Device,
}

/// A grammar on a device, with the end tokens of its matchers. Any number of threads may use it at once.
#[derive(Debug)]
pub struct grammarc_cuda_grammar {
    inner: Resident,
}

/// Sequences on a device. Of one thread at a time, as a matcher.
#[derive(Debug)]
pub struct grammarc_cuda_slots {
    inner: Single<Slots>,
}

/// Rows by number, for hosts that advance themselves. Of one thread at a time, as a matcher.
#[derive(Debug)]
pub struct grammarc_cuda_rows {
    inner: Single<RowTable>,
}

/// The device does not decide the token of a slot: the host takes it, and calls grammarc_cuda_slots_write().
pub const GRAMMARC_CUDA_WAITS_FOR_HOST: u32 = 1;
/// The token of a slot was not allowed, and the position stayed.
pub const GRAMMARC_CUDA_REFUSED: u32 = 2;
/// An end token was taken in a slot.
pub const GRAMMARC_CUDA_FINISHED: u32 = 4;

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

/// Does work with an object of one thread at a time.
fn single<T, R>(
    what: &str,
    object: &Single<T>,
    work: impl FnOnce(&mut T) -> Result<R, Fault>,
) -> Result<R, Fault> {
    let text = |status| {
        Fault::Said(
            status,
            format!("{what} is in use by another thread, or a defect left it unusable"),
        )
    };
    object.with(work).map_err(text)?
}

/// Does work with slots, and reports.
///
/// # Safety
///
/// NULL, or slots that were handed out and are not freed meanwhile; `error` as the header says.
unsafe fn on_slots(
    slots: *mut grammarc_cuda_slots,
    error: *mut *mut grammarc_error,
    work: impl FnOnce(&mut Slots) -> Result<(), Fault>,
) -> grammarc_status {
    // SAFETY: the caller's promise.
    unsafe { report(error, || single("the slots", &object("the slots", slots)?.inner, work)) }
}

/// As [`on_slots`], with rows.
///
/// # Safety
///
/// As [`on_slots`].
unsafe fn on_rows(
    rows: *mut grammarc_cuda_rows,
    error: *mut *mut grammarc_error,
    work: impl FnOnce(&mut RowTable) -> Result<(), Fault>,
) -> grammarc_status {
    // SAFETY: the caller's promise.
    unsafe { report(error, || single("the rows", &object("the rows", rows)?.inner, work)) }
}

/// Opens a device in its primary context, the one that PyTorch and all others on the runtime interface use. GRAMMARC_IO where there
/// is no driver, or the driver or the device is too old: the message says what is missing. Some tens of milliseconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_open(
    options: *const grammarc_cuda_options,
    out: *mut *mut grammarc_cuda,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
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
            Ok(Box::into_raw(Box::new(grammarc_cuda { inner })))
        })
    }
}

/// Bytes that tables take on the device, and bytes of its memory that the pool holds. Each place may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_usage(
    device: *const grammarc_cuda,
    used: *mut u64,
    held: *mut u64,
) {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        let usage = args::ask(device, (0, 0), |device| {
            let usage = device.inner.usage();
            (usage.used, usage.held)
        });
        write_out(used, usage.0);
        write_out(held, usage.1);
    }
}

/// Copies a grammar's tables to the device, and those of its vocabulary where they are not there. The end tokens are those of the
/// matcher, which does not move. The copy is on the stream, a `CUstream` or `cudaStream_t`; NULL is the default one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_upload(
    device: *const grammarc_cuda,
    matcher: *mut grammarc_matcher,
    stream: *mut c_void,
    out: *mut *mut grammarc_cuda_grammar,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let device = &object("the device", device)?.inner;
            let matcher = &object("the matcher", matcher)?.inner;
            let inner = single("the matcher", matcher, |matcher| {
                Ok(device.upload(matcher, Stream::from_raw(stream))?)
            })?;
            Ok(Box::into_raw(Box::new(grammarc_cuda_grammar { inner })))
        })
    }
}

/// Places for some sequences, and for `drafts` draft tokens after each: place `slot * (drafts + 1) + j` is where a sequence is after j
/// of them. Slots are fixed: a captured graph may hold them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_new(
    device: *const grammarc_cuda,
    slots: u32,
    drafts: u32,
    stream: *mut c_void,
    out: *mut *mut grammarc_cuda_slots,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let device = &object("the device", device)?.inner;
            let inner = Single::new(device.slots(slots, drafts, Stream::from_raw(stream))?);
            Ok(Box::into_raw(Box::new(grammarc_cuda_slots { inner })))
        })
    }
}

/// Writes where a sequence is: at its beginning, after a rollback, or where the device waits for the host. GRAMMARC_MISMATCH where the
/// matcher follows another grammar, or ends with other tokens than the grammar was uploaded with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_write(
    slots: *mut grammarc_cuda_slots,
    slot: u32,
    grammar: *const grammarc_cuda_grammar,
    matcher: *mut grammarc_matcher,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on_slots(slots, error, |slots| {
            let grammar = &object("the grammar", grammar)?.inner;
            single("the matcher", &object("the matcher", matcher)?.inner, |matcher| {
                Ok(slots.write(slot, grammar, matcher, Stream::from_raw(stream))?)
            })
        })
    }
}

/// Lets a slot go: its rows allow everything from here on, and nothing advances it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_release(
    slots: *mut grammarc_cuda_slots,
    slot: u32,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe { on_slots(slots, error, |slots| Ok(slots.release(slot, Stream::from_raw(stream))?)) }
}

/// Writes negative infinity over the logits that are not allowed, and leaves the others as they are. The numbers of rows are places.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_apply(
    slots: *mut grammarc_cuda_slots,
    logits: *const grammarc_cuda_logits,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on_slots(slots, error, |slots| {
            Ok(slots.apply(&logits_of(logits)?, Stream::from_raw(stream))?)
        })
    }
}

/// Writes masks as `rows` rows of a bitmask on the device, of `words` words each and `stride` words apart, for hosts that apply it
/// themselves. `numbers` are places by row, as those of logits, or NULL.
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
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on_slots(slots, error, |slots| {
            let bitmask = DeviceBitmask { at: on_device(bitmask), words, stride };
            Ok(slots.fill(&bitmask, rows, on_device(numbers), Stream::from_raw(stream))?)
        })
    }
}

/// Takes a token in each sequence's slot. `accepted`, on the device and by sequence, is the number of its drafts after which its token
/// comes; NULL: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_advance(
    slots: *mut grammarc_cuda_slots,
    tokens: *const grammarc_cuda_tokens,
    accepted: *const i32,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on_slots(slots, error, |slots| {
            let tokens = tokens_of(tokens)?;
            Ok(slots.advance(&tokens, on_device(accepted), Stream::from_raw(stream))?)
        })
    }
}

/// Makes the places after each of `drafts` draft tokens, up to the first that is not allowed: from there on rows are as that one's.
/// `allowed`, on the device and by sequence, receives how many are allowed; NULL where nobody asks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_draft(
    slots: *mut grammarc_cuda_slots,
    tokens: *const grammarc_cuda_tokens,
    drafts: u32,
    allowed: *mut i32,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on_slots(slots, error, |slots| {
            let tokens = tokens_of(tokens)?;
            Ok(slots.draft(&tokens, drafts, on_device(allowed), Stream::from_raw(stream))?)
        })
    }
}

/// Samples an allowed token in each row of logits, and takes it in the row's slot where that is asked for. At most as many rows as there
/// are places.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_sample(
    slots: *mut grammarc_cuda_slots,
    logits: *const grammarc_cuda_logits,
    sampling: *const grammarc_cuda_sampling,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
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
}

/// The address of the slots' statuses on the device: a word each, of GRAMMARC_CUDA_WAITS_FOR_HOST, GRAMMARC_CUDA_REFUSED and
/// GRAMMARC_CUDA_FINISHED, or 0. A host copies them with its tokens. NULL for NULL, and while another thread uses the slots.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_status(
    slots: *const grammarc_cuda_slots,
) -> *const u32 {
    // SAFETY: the caller keeps the header's rules.
    let slots = unsafe { slots.as_ref() };
    let address = slots.and_then(|slots| slots.inner.with(|slots| slots.status().address()).ok());
    address.unwrap_or(0) as *const u32
}

/// A table of rows for a host that advances itself: it sends a number for each row of logits, and a row of 64 bytes once for many of
/// them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_new(
    device: *const grammarc_cuda,
    rows: u32,
    stream: *mut c_void,
    out: *mut *mut grammarc_cuda_rows,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        make(out, error, || {
            let device = &object("the device", device)?.inner;
            let inner = Single::new(device.rows(rows, Stream::from_raw(stream))?);
            Ok(Box::into_raw(Box::new(grammarc_cuda_rows { inner })))
        })
    }
}

/// Begins a step: rows of earlier steps that are not asked for in it may be given up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_begin(
    rows: *mut grammarc_cuda_rows,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    match unsafe { rows.as_ref() } {
        None => GRAMMARC_ARGUMENT,
        Some(rows) => {
            rows.inner.with(RowTable::begin).map_or_else(|status| status, |()| GRAMMARC_OK)
        }
    }
}

/// The number of the row that a matcher allows, for the numbers of logits. GRAMMARC_LIMIT where all rows are in use in this step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_number(
    rows: *mut grammarc_cuda_rows,
    grammar: *const grammarc_cuda_grammar,
    matcher: *mut grammarc_matcher,
    stream: *mut c_void,
    number: *mut i32,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on_rows(rows, error, |rows| {
            let grammar = &object("the grammar", grammar)?.inner;
            single("the matcher", &object("the matcher", matcher)?.inner, |matcher| {
                let found = rows.number(grammar, matcher, Stream::from_raw(stream))?;
                write_out(number, found as i32);
                Ok(())
            })
        })
    }
}

/// Copies the rows that are new to the device: before the work that names them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_flush(
    rows: *mut grammarc_cuda_rows,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe { on_rows(rows, error, |rows| Ok(rows.flush(Stream::from_raw(stream))?)) }
}

/// As grammarc_cuda_slots_apply(); the numbers of rows are those of grammarc_cuda_rows_number().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_apply(
    rows: *mut grammarc_cuda_rows,
    logits: *const grammarc_cuda_logits,
    stream: *mut c_void,
    error: *mut *mut grammarc_error,
) -> grammarc_status {
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        on_rows(rows, error, |rows| Ok(rows.apply(&logits_of(logits)?, Stream::from_raw(stream))?))
    }
}

/// Applies a host's bitmask on the device: rows of `words` words, `stride` words apart, that speak of `tokens` tokens; the others are not
/// allowed. The numbers of rows of logits are rows of the bitmask. GRAMMARC_BUFFER where a row is too short for the tokens.
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
    // SAFETY: the caller keeps the header's rules.
    unsafe {
        report(error, || {
            let device = &object("the device", device)?.inner;
            let logits = logits_of(logits)?;
            let bitmask = DeviceBitmask { at: on_device(bitmask), words, stride };
            Ok(device.apply_bitmask(&bitmask, tokens, &logits, Stream::from_raw(stream))?)
        })
    }
}

/// Frees a handle that was handed out and is not used again; NULL is allowed.
///
/// # Safety
///
/// As it says.
unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        let handle = unsafe { Box::from_raw(handle) };
        // A panic cannot be reported here, and must not leave the function.
        let _ = guarded(|| drop(handle));
    }
}

/// Frees a device. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_free(device: *mut grammarc_cuda) {
    // SAFETY: the caller keeps the header's rules.
    unsafe { free(device) }
}

/// Frees a grammar of a device; slots that follow it keep its tables. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_grammar_free(grammar: *mut grammarc_cuda_grammar) {
    // SAFETY: the caller keeps the header's rules.
    unsafe { free(grammar) }
}

/// Frees slots, which waits for the work that uses them. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_slots_free(slots: *mut grammarc_cuda_slots) {
    // SAFETY: the caller keeps the header's rules.
    unsafe { free(slots) }
}

/// Frees a table of rows, which waits for the work that uses them. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_cuda_rows_free(rows: *mut grammarc_cuda_rows) {
    // SAFETY: the caller keeps the header's rules.
    unsafe { free(rows) }
}
