//! Statuses, errors and versions.

use std::ffi::{CStr, c_char};
use std::fmt::Display;
use std::ptr;

use grammarc_bindings::failure::{Failure, Kind, chain};

use crate::guard::{Panicked, guarded};
use crate::out_params::{Text, write_out};

/// Number of this interface. A program that was compiled with another number must not use the library: compare it with
/// grammarc_abi_version().
pub const GRAMMARC_ABI_VERSION: u32 = 1;

/// The result of a call. Negative numbers are failures; the others say what happened.
///
/// A call that fails changes nothing: a matcher is where it was, outputs are not written (but for handles, which are set to
/// NULL, and errors).
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_status {
    /// Done.
    GRAMMARC_OK = 0,
    /// The grammar does not allow the token or text. The matcher did not move.
    GRAMMARC_REFUSED = 1,
    /// The sequence has ended, and nothing may follow. The matcher did not move.
    GRAMMARC_FINISHED = 2,
    /// An argument makes no sense: NULL where that is not allowed, an unknown number, more to take back than there is, a
    /// matcher or splitter that another thread is using, a matcher that is listed twice.
    GRAMMARC_ARGUMENT = -1,
    /// The source has errors. The diagnostics of the error say which and where.
    GRAMMARC_SOURCE = -2,
    /// A limit on size was met.
    GRAMMARC_LIMIT = -3,
    /// The time was up. Nothing was remembered: the same request may succeed with more.
    GRAMMARC_TIMEOUT = -4,
    /// The compilation was cancelled.
    GRAMMARC_CANCELLED = -5,
    /// A file was not read or written.
    GRAMMARC_IO = -6,
    /// A file or a text is not what it should be: damaged, cut short, of another format or version.
    GRAMMARC_FORMAT = -7,
    /// An artifact or a position belongs to another vocabulary or grammar.
    GRAMMARC_MISMATCH = -8,
    /// A buffer is too small, or a row does not have the logit width.
    GRAMMARC_BUFFER = -9,
    /// A defect of this library was caught. The matcher or splitter that it happened to answers every call but those that reset
    /// and free it with this status.
    GRAMMARC_INTERNAL = -10,
}

use grammarc_status::*;

/// Why a call failed. Owned by who receives it; of one thread at a time.
///
/// If a function has the parameter `error`, it may be NULL. Otherwise `*error` need not hold anything before the call;
/// after it, it is NULL if the call did not fail, and else an error that grammarc_error_free() takes back.
#[derive(Debug)]
pub struct grammarc_error {
    status: grammarc_status,
    message: Text,
    json: Text,
}

/// The failure of a call, before it becomes an error of the caller's.
#[derive(Debug)]
pub(crate) enum Fault {
    Failed(Failure),
    Said(grammarc_status, String),
}

impl Fault {
    pub(crate) fn argument(text: impl Into<String>) -> Self {
        Self::Said(GRAMMARC_ARGUMENT, text.into())
    }

    pub(crate) fn said(status: grammarc_status, error: impl Display) -> Self {
        Self::Said(status, error.to_string())
    }

    pub(crate) fn status(&self) -> grammarc_status {
        match self {
            Self::Said(status, _) => *status,
            Self::Failed(failure) => match failure.kind() {
                Kind::Argument => GRAMMARC_ARGUMENT,
                Kind::Source => GRAMMARC_SOURCE,
                Kind::Limit => GRAMMARC_LIMIT,
                Kind::Timeout => GRAMMARC_TIMEOUT,
                Kind::Cancelled => GRAMMARC_CANCELLED,
                Kind::Io => GRAMMARC_IO,
                Kind::Format => GRAMMARC_FORMAT,
                Kind::Mismatch => GRAMMARC_MISMATCH,
            },
        }
    }

    pub(crate) fn message(&self) -> String {
        match self {
            Self::Said(_, text) => text.clone(),
            Self::Failed(failure) => chain(failure),
        }
    }

    fn json(&self) -> String {
        match self {
            Self::Failed(failure) => failure.to_json(),
            Self::Said(status, text) => {
                let code = name(*status as i32).to_str().unwrap_or_default();
                let code = code.trim_start_matches("GRAMMARC_").to_ascii_lowercase();
                let one = serde_json::json!({"code": code, "severity": "error", "message": text});
                serde_json::Value::Array(vec![one]).to_string()
            }
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<grammarc_artifacts::Error> for Fault {
    fn from(error: grammarc_artifacts::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Panicked> for Fault {
    fn from(Panicked(text): Panicked) -> Self {
        Self::Said(GRAMMARC_INTERNAL, text)
    }
}

/// Runs work that may fail, and writes an error to the caller's place.
///
/// # Safety
///
/// `error` is NULL or points to memory for a pointer.
pub(crate) unsafe fn report(
    error: *mut *mut grammarc_error,
    work: impl FnOnce() -> Result<(), Fault>,
) -> grammarc_status {
    // SAFETY: the caller's promise.
    unsafe { write_out(error, ptr::null_mut()) };
    let Err(fault) = guarded(work).unwrap_or_else(|panicked| Err(panicked.into())) else {
        return GRAMMARC_OK;
    };
    let status = fault.status();
    if !error.is_null() {
        let made = guarded(|| grammarc_error {
            status,
            message: Text::new(fault.message()),
            json: Text::new(fault.json()),
        });
        if let Ok(made) = made {
            // SAFETY: the caller's promise.
            unsafe { write_out(error, Box::into_raw(Box::new(made))) };
        }
    }
    status
}

/// Runs work that returns a handle, and writes the handle to `out`, NULL on failure.
///
/// # Safety
///
/// As [`report`], and `out` is NULL or points to memory for a pointer.
pub(crate) unsafe fn make<T>(
    out: *mut *mut T,
    error: *mut *mut grammarc_error,
    work: impl FnOnce() -> Result<*mut T, Fault>,
) -> grammarc_status {
    // SAFETY: the caller's promise.
    unsafe {
        write_out(out, ptr::null_mut());
        report(error, || {
            if out.is_null() {
                return Err(Fault::argument("the place for the result is NULL"));
            }
            write_out(out, work()?);
            Ok(())
        })
    }
}

/// The name of a status, such as `GRAMMARC_OK`; `unknown` for a number that is none. Never NULL, not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn grammarc_status_name(status: i32) -> *const c_char {
    name(status).as_ptr()
}

fn name(status: i32) -> &'static CStr {
    let all = [
        (GRAMMARC_OK, c"GRAMMARC_OK"),
        (GRAMMARC_REFUSED, c"GRAMMARC_REFUSED"),
        (GRAMMARC_FINISHED, c"GRAMMARC_FINISHED"),
        (GRAMMARC_ARGUMENT, c"GRAMMARC_ARGUMENT"),
        (GRAMMARC_SOURCE, c"GRAMMARC_SOURCE"),
        (GRAMMARC_LIMIT, c"GRAMMARC_LIMIT"),
        (GRAMMARC_TIMEOUT, c"GRAMMARC_TIMEOUT"),
        (GRAMMARC_CANCELLED, c"GRAMMARC_CANCELLED"),
        (GRAMMARC_IO, c"GRAMMARC_IO"),
        (GRAMMARC_FORMAT, c"GRAMMARC_FORMAT"),
        (GRAMMARC_MISMATCH, c"GRAMMARC_MISMATCH"),
        (GRAMMARC_BUFFER, c"GRAMMARC_BUFFER"),
        (GRAMMARC_INTERNAL, c"GRAMMARC_INTERNAL"),
    ];
    let found = all.into_iter().find(|&(known, _)| known as i32 == status);
    found.map_or(c"unknown", |(_, name)| name)
}

/// The status that the call returned. GRAMMARC_OK for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_error_status(error: *const grammarc_error) -> grammarc_status {
    // SAFETY: NULL or an error that was handed out.
    unsafe { error.as_ref() }.map_or(GRAMMARC_OK, |error| error.status)
}

/// The message, for people: UTF-8 with a NUL after it, which `length` does not count and which the message may also have in
/// it. Lives as long as the error. NULL for NULL; `length` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_error_message(
    error: *const grammarc_error,
    length: *mut usize,
) -> *const c_char {
    // SAFETY: NULL or an error that was handed out; NULL or a place for a number.
    unsafe { error.as_ref().map_or(ptr::null(), |error| error.message.lend(length)) }
}

/// All diagnostics, for programs: a JSON array of objects with `code`, `severity` and `message`, and where there are such,
/// `help`, `pointer` (into a JSON source), `line`, `column`, `span` (bytes) and `related`. As grammarc_error_message()
/// otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_error_json(
    error: *const grammarc_error,
    length: *mut usize,
) -> *const c_char {
    // SAFETY: NULL or an error that was handed out; NULL or a place for a number.
    unsafe { error.as_ref().map_or(ptr::null(), |error| error.json.lend(length)) }
}

/// Takes an error back. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_error_free(error: *mut grammarc_error) {
    if !error.is_null() {
        // SAFETY: it was handed out by `report` and is not used again.
        drop(unsafe { Box::from_raw(error) });
    }
}

/// Number of the library's interface: GRAMMARC_ABI_VERSION of the header that it belongs to.
#[unsafe(no_mangle)]
pub extern "C" fn grammarc_abi_version() -> u32 {
    GRAMMARC_ABI_VERSION
}

/// Version of the library, such as `0.1.0`. Not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn grammarc_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let mut error = ptr::null_mut();
        // SAFETY: the place is there.
        let status = unsafe { report(&mut error, || panic!("on purpose")) };
        assert_eq!(status, GRAMMARC_INTERNAL);
        // SAFETY: `report` has made it.
        unsafe {
            assert_eq!(grammarc_error_status(error), GRAMMARC_INTERNAL);
            let mut length = 0;
            let json = grammarc_error_json(error, &mut length);
            let json = std::slice::from_raw_parts(json.cast::<u8>(), length);
            let json: serde_json::Value = serde_json::from_slice(json).expect("JSON");
            assert_eq!(json[0]["code"], "internal");
            grammarc_error_free(error);
        }
    }

    #[test]
    fn the_linker_is_told_the_number_of_the_interface() {
        let build = include_str!("../build.rs");
        assert!(build.contains(&format!("let abi = {GRAMMARC_ABI_VERSION};")));
    }
}
