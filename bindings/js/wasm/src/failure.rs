//! Errors by code, in the words of the other bindings; and the hook that keeps the message of a panic.

use std::cell::Cell;
use std::fmt::{Display, Write as _};
use std::mem::ManuallyDrop;
use std::panic;

use grammarc_artifacts::Error as ArtifactError;
use grammarc_runtime::error::{AcceptError, AcceptTextError, BytesError, ImportError};

use crate::memory::with;

/// Result of a call that did what was asked.
pub(crate) const OK: i32 = 0;
/// Result of a call that failed.
pub(crate) const FAILED: i32 = -1;
/// Results of a call that accepts a token: not allowed here, behind the end, outside the row.
pub(crate) const REFUSED: i32 = 1;
pub(crate) const FINISHED: i32 = 2;
pub(crate) const OUT_OF_RANGE: i32 = 3;

/// Leaves an error for the glue, and returns [`FAILED`].
#[cold]
#[inline(never)]
pub(crate) fn fail(code: &str, number: usize, message: &dyn Display) -> i32 {
    with(|memory| {
        memory.number = number as f64;
        memory.text.clear();
        _ = write!(memory.text, "{code}\n{message}");
    });
    FAILED
}

/// Leaves the error of an invalid argument.
pub(crate) fn argument(message: impl Display) -> i32 {
    fail("argument", 0, &message)
}

/// Leaves the error of an artifact. Only errors of the file system have a cause, and a module has no files.
pub(crate) fn artifact(error: &ArtifactError) {
    let code = match error {
        ArtifactError::VocabularyMismatch { .. } | ArtifactError::SharedRulesMismatch { .. } => {
            "vocabulary-mismatch"
        }
        _ => "format",
    };
    fail(code, 0, error);
}

/// Returns the result of an accepted token. The glue has the words, since it has the id that the host gave.
#[inline]
pub(crate) fn accepted(result: Result<(), AcceptError>) -> i32 {
    match result {
        Ok(()) => OK,
        Err(AcceptError::Finished { .. }) => FINISHED,
        Err(AcceptError::OutOfRange { .. }) => OUT_OF_RANGE,
        Err(AcceptError::Limit(limit)) => fail("limit:matcher", 0, &limit),
        Err(_) => REFUSED,
    }
}

/// Returns the result of an accepted text of `length` bytes.
pub(crate) fn accepted_text(result: Result<(), AcceptTextError>, length: usize) -> i32 {
    match result {
        Ok(()) => OK,
        Err(AcceptTextError::Limit(limit)) => fail("limit:matcher", 0, &limit),
        Err(error @ AcceptTextError::Refused { at }) => fail("refused", at, &error),
        Err(error @ AcceptTextError::NoToken) => fail("refused", length, &error),
        Err(error) => fail("refused", 0, &error),
    }
}

/// Leaves the error of bytes that were not all read.
pub(crate) fn bytes(error: BytesError) -> i32 {
    fail("refused", error.offset(), &error)
}

/// Leaves the error of a position that was not restored.
pub(crate) fn position(error: ImportError) -> i32 {
    let code = match error {
        ImportError::Grammar => "position:mismatch",
        ImportError::Limit(_) => "position:limit",
        _ => "position:format",
    };
    fail(code, 0, &error)
}

/// Prepares the module. The glue calls it once, before all else.
#[unsafe(no_mangle)]
extern "C" fn grammarc_start() {
    panic::set_hook(Box::new(|info| {
        PANIC.set(ManuallyDrop::new(format!("this is a defect of grammarc: {info}")));
    }));
}

thread_local! {
    /// Message of the panic that ended the instance. Apart from the results, which the panic may have interrupted.
    static PANIC: Cell<ManuallyDrop<String>> =
        const { Cell::new(ManuallyDrop::new(String::new())) };
}

/// Returns the address of the panic's message, and leaves its length as the first number at the address.
#[unsafe(no_mangle)]
extern "C" fn grammarc_panic_message() -> *const u8 {
    let message = PANIC.replace(ManuallyDrop::new(String::new()));
    let length = message.len() as u32;
    let bytes = [&length.to_le_bytes()[..], message.as_bytes()].concat();
    bytes.leak().as_ptr()
}

/// Leaves the version of the package, a line feed, and that of the artifacts' format.
#[unsafe(no_mangle)]
extern "C" fn grammarc_version() {
    let (major, minor) = grammarc_artifacts::container::header::VERSION;
    with(|memory| {
        memory.text = format!("{}\n{major}.{minor}", env!("CARGO_PKG_VERSION"));
    });
}

/// Panics, for the test of what the glue does then.
#[unsafe(no_mangle)]
extern "C" fn grammarc_panic() {
    #[expect(clippy::panic, reason = "the test asks for it")]
    {
        panic!("asked for by a test");
    }
}
