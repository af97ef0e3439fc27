//! State that belongs to one process.
//!
//! A forked process has the memory of its parent and none of its threads. If a thread of the parent holds a lock, the
//! lock is never released in the child, and the thread's work never ends. So a forked process gets a value of its own
//! on first use. The new value is made from the parts of the parent's value that are available without waiting. The
//! parent's value is kept.

use std::sync::OnceLock;

/// A value that belongs to one process, with the value of the process forked from it.
#[derive(Debug)]
pub(super) struct OfProcess<T> {
    /// The id of the process.
    process: u32,
    /// The value of that process.
    value: T,
    /// The value of a process that was forked from that process, once it is asked for.
    forked: OnceLock<Box<OfProcess<T>>>,
}

impl<T> OfProcess<T> {
    /// Creates the value of this process.
    pub(super) fn new(value: T) -> Self {
        Self { process: std::process::id(), value, forked: OnceLock::new() }
    }

    /// Returns the value of this process. `inherit` makes it from the parent's value after a fork, and must not wait
    /// for a lock in it.
    pub(super) fn get(&self, inherit: impl Fn(&T) -> T) -> &T {
        let process = std::process::id();
        let mut one = self;
        while one.process != process {
            one = one.forked.get_or_init(|| Box::new(Self::new(inherit(&one.value))));
        }
        &one.value
    }

    /// Assigns the value to another process.
    #[cfg(test)]
    pub(super) fn fork(&mut self) {
        self.process = self.process.wrapping_add(1);
    }
}
