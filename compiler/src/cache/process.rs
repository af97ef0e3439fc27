//! State that belongs to one process: a process that is forked has its memory and none of its threads, so that a lock
//! that a thread of the first held is never given back in the second, and work that it had begun is never done.
//!
//! So a forked process gets a value of its own, made when it first asks, from what of the first can be had without waiting.
//! The first's stays where it is.

use std::sync::OnceLock;

/// The value of one process, and that of the process that it was forked into.
#[derive(Debug)]
pub(super) struct OfProcess<T> {
    process: u32,
    value: T,
    forked: OnceLock<Box<OfProcess<T>>>,
}

impl<T> OfProcess<T> {
    /// Of this process.
    pub(super) fn new(value: T) -> Self {
        Self { process: std::process::id(), value, forked: OnceLock::new() }
    }

    /// The value of this process. `inherit` makes it from that of the process that it was forked from, and must not wait
    /// for a lock of that.
    pub(super) fn get(&self, inherit: impl Fn(&T) -> T) -> &T {
        let process = std::process::id();
        let mut one = self;
        while one.process != process {
            one = one.forked.get_or_init(|| Box::new(Self::new(inherit(&one.value))));
        }
        &one.value
    }

    /// Has the value belong to another process.
    #[cfg(test)]
    pub(super) fn fork(&mut self) {
        self.process = self.process.wrapping_add(1);
    }
}
