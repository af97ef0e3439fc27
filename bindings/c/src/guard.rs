//! Panics are caught at the border, and nothing is printed for them.
//!
//! The hook that prints is replaced once. The new hook tests whether the panic is ours: of a thread inside a function
//! of this library, or of one of its own threads. For ours it stores the place for the error's message. All others go
//! to the former hook, which matters if this crate is linked into a Rust program.
//!
//! Cost of a call: incrementing and decrementing a counter of the thread.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;
use std::thread;

/// Prefix of the names of this library's threads.
const THREADS: &str = "grammarc";

thread_local! {
    /// Number of this library's functions that the thread is inside of.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The place of the thread's last panic.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A panic that was caught: its message and place.
#[derive(Debug)]
pub(crate) struct Panicked(pub(crate) String);

/// Runs work and catches its panic.
pub(crate) fn guarded<R>(work: impl FnOnce() -> R) -> Result<R, Panicked> {
    static HOOK: Once = Once::new();
    HOOK.call_once(install);
    DEPTH.set(DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done.map_err(|payload| caught(&*payload))
}

fn install() {
    let before = take_hook();
    set_hook(Box::new(move |info| {
        let own_thread = || thread::current().name().is_some_and(|name| name.starts_with(THREADS));
        if DEPTH.get() == 0 && !own_thread() {
            return before(info);
        }
        let place = info.location().map(ToString::to_string);
        PLACE.with_borrow_mut(|kept| *kept = place);
    }));
}

#[cold]
fn caught(payload: &(dyn Any + Send)) -> Panicked {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("no message");
    let place = PLACE.with_borrow_mut(Option::take);
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    Panicked(format!("this is a defect of grammarc: {text}{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_its_message_and_place() {
        assert_eq!(guarded(|| 7).expect("no panic"), 7);
        let Panicked(text) = guarded(|| panic!("number {}", 7)).expect_err("a panic");
        assert!(text.contains("number 7 at ") && text.contains("guard.rs:"), "{text}");
        let Panicked(text) = guarded(|| std::panic::panic_any(1)).expect_err("a panic");
        assert!(text.contains("no message"), "{text}");
    }
}
