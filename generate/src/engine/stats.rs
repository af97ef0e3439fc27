//! Counters of an engine.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of an engine since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineStats {
    /// Outputs that were queued.
    pub submitted: u64,
    /// Outputs that ended without an error.
    pub finished: u64,
    /// Outputs whose reader was gone or too slow.
    pub cancelled: u64,
    /// Outputs that failed.
    pub failed: u64,
    /// Outputs that wait for a slot.
    pub waiting: u64,
    /// Outputs in slots.
    pub running: u64,
    /// Batches that the model has read.
    pub steps: u64,
    /// Tokens of prompts that the model has read.
    pub prompt_tokens: u64,
    /// Tokens of outputs.
    pub completion_tokens: u64,
    /// Tokens of outputs that were added without a call of the model.
    pub forced_tokens: u64,
    /// Time of the model, in nanoseconds.
    pub model_nanos: u64,
    /// Time of masks, draws and all other work on tokens, in nanoseconds.
    pub decode_nanos: u64,
}

/// The counters, shared between threads.
#[derive(Debug, Default)]
pub(super) struct Counters {
    submitted: AtomicU64,
    pub(super) finished: AtomicU64,
    pub(super) cancelled: AtomicU64,
    pub(super) failed: AtomicU64,
    pub(super) running: AtomicU64,
    pub(super) steps: AtomicU64,
    pub(super) prompt_tokens: AtomicU64,
    pub(super) completion_tokens: AtomicU64,
    pub(super) forced_tokens: AtomicU64,
    pub(super) model_nanos: AtomicU64,
    pub(super) decode_nanos: AtomicU64,
}

impl Counters {
    pub(super) fn submitted(&self) {
        add(&self.submitted, 1);
    }

    pub(super) fn snapshot(&self, waiting: usize) -> EngineStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        EngineStats {
            submitted: read(&self.submitted),
            finished: read(&self.finished),
            cancelled: read(&self.cancelled),
            failed: read(&self.failed),
            waiting: waiting as u64,
            running: read(&self.running),
            steps: read(&self.steps),
            prompt_tokens: read(&self.prompt_tokens),
            completion_tokens: read(&self.completion_tokens),
            forced_tokens: read(&self.forced_tokens),
            model_nanos: read(&self.model_nanos),
            decode_nanos: read(&self.decode_nanos),
        }
    }
}

/// Adds to a counter. The order of changes of different counters is not observable.
pub(super) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}
