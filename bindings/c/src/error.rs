//! Statuses, errors and versions.

use std::ffi::{CStr, c_char};
use std::fmt::Display;
use std::ptr;

use grammarc_bindings::failure::{Failure, Kind, chain};

use crate::guard::{Panicked, guarded};
use crate::handles::{ask, boxed, free};
use crate::out_params::{Text, write_out};

/// Version of the binary interface. A program must not use a library with another version: compare this number with
/// grammarc_abi_version().
pub const GRAMMARC_ABI_VERSION: u32 = 1;

/// The result of a call. Zero is success, positive numbers are outcomes, and negative numbers are failures.
///
/// A failed call changes nothing: a matcher stays at its position, and outputs are not written. The exceptions are handles,
/// which are set to NULL, errors, and outputs that the function's comment names.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum grammarc_status {
    /// Done.
    GRAMMARC_OK = 0,
    /// The grammar does not allow the token or text. The matcher stays at its position.
    GRAMMARC_REFUSED = 1,
    /// The sequence has ended, and nothing may follow. The matcher stays at its position.
    GRAMMARC_FINISHED = 2,
    /// An argument is invalid: a forbidden NULL, an unknown number, or a rollback beyond the kept history. Also a matcher or
    /// splitter in use by another thread, and a matcher listed twice.
    GRAMMARC_ARGUMENT = -1,
    /// The source has errors. The diagnostics of the error list them with their positions.
    GRAMMARC_SOURCE = -2,
    /// A limit on size was exceeded.
    GRAMMARC_LIMIT = -3,
    /// The time limit was exceeded. The failure is not cached: the same request may succeed with more time.
    GRAMMARC_TIMEOUT = -4,
    /// The compilation was cancelled.
    GRAMMARC_CANCELLED = -5,
    /// A file could not be read or written.
    GRAMMARC_IO = -6,
    /// A file or a text is damaged, truncated, or of another format or version.
    GRAMMARC_FORMAT = -7,
    /// An artifact or a position belongs to another vocabulary or grammar.
    GRAMMARC_MISMATCH = -8,
    /// A buffer is too small, or the length of a row differs from the logit width.
    GRAMMARC_BUFFER = -9,
    /// A bug of this library was caught. The affected matcher or splitter returns this status from every call until it is
    /// reset or freed.
    GRAMMARC_INTERNAL = -10,
}

use grammarc_status::*;

/// The reason of a failed call. The receiver owns it, and one thread at a time may use it.
///
/// A parameter `error` may be NULL. Otherwise the call writes `*error`: NULL on success, and an error on failure. Free the
/// error with grammarc_error_free(). The value of `*error` before the call is ignored.
#[derive(Debug)]
pub struct grammarc_error {
    status: grammarc_status,
    message: Text,
    json: Text,
}

/// The failure of a call, before it is converted to an error for the caller.
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

/// Runs work that may fail, writes its error to `error`, and returns its status.
///
/// # Safety
///
/// `error` is NULL or points to memory for a pointer.
pub(crate) unsafe fn report(
    error: *mut *mut grammarc_error,
    work: impl FnOnce() -> Result<(), Fault>,
) -> grammarc_status {
    write_out(error, ptr::null_mut());
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
            write_out(error, boxed(made));
        }
    }
    status
}

/// Runs work that may fail, and returns its status.
pub(crate) fn status_of(work: impl FnOnce() -> Result<grammarc_status, Fault>) -> grammarc_status {
    match guarded(work) {
        Ok(Ok(status)) => status,
        Ok(Err(fault)) => fault.status(),
        Err(_) => GRAMMARC_INTERNAL,
    }
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
    write_out(out, ptr::null_mut());
    report(error, || {
        if out.is_null() {
            return Err(Fault::argument("the place for the result is NULL"));
        }
        write_out(out, work()?);
        Ok(())
    })
}

/// Returns the name of a status, such as `GRAMMARC_OK`, or `unknown` for another number. Static text, never NULL.
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

/// Returns the status of the failed call. GRAMMARC_OK for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_error_status(error: *const grammarc_error) -> grammarc_status {
    ask(error, GRAMMARC_OK, |error| error.status)
}

/// Returns the message for people, in UTF-8. The text ends with a NUL, and may also contain some.
///
/// `*length` is its length in bytes without the final NUL; `length` may be NULL. The text lives as long as the error. NULL
/// for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_error_message(
    error: *const grammarc_error,
    length: *mut usize,
) -> *const c_char {
    ask(error, ptr::null(), |error| error.message.lend(length))
}

/// Returns all diagnostics for programs: a JSON array of objects with `code`, `severity` and `message`.
///
/// Optional members are `help`, `pointer` (into a JSON source), `line`, `column`, `span` (in bytes) and `related`. Length and
/// lifetime are those of grammarc_error_message().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_error_json(
    error: *const grammarc_error,
    length: *mut usize,
) -> *const c_char {
    ask(error, ptr::null(), |error| error.json.lend(length))
}

/// Frees an error. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammarc_error_free(error: *mut grammarc_error) {
    free(error);
}

/// Returns the version of the library's binary interface: GRAMMARC_ABI_VERSION of its own header.
#[unsafe(no_mangle)]
pub extern "C" fn grammarc_abi_version() -> u32 {
    GRAMMARC_ABI_VERSION
}

/// Returns the version of the library, such as `0.1.0`. Static text, never NULL.
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
    fn the_linker_gets_the_number_of_the_interface() {
        let build = include_str!("../build.rs");
        assert!(build.contains(&format!("let abi = {GRAMMARC_ABI_VERSION};")));
    }
}
