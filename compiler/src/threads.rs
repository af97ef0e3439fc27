//! Two pieces of work on two threads, where that is worth it.

/// Does two pieces of work, neither of which needs the other: at once where they are `worth` waking up a thread.
pub(crate) fn both<A: Send, B: Send>(
    worth: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if worth { rayon::join(one, other) } else { (one(), other()) }
}
