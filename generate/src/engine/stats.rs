//! Counters of an engine.

use std::sync::atomic::{AtomicU64, Ordering};

/// The statistics of an engine since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineStats {
    /// Number of outputs that were queued.
    pub submitted: u64,
    /// Number of outputs that ended without an error.
    pub finished: u64,
    /// Number of outputs that were cancelled, because their reader was gone or too slow.
    pub cancelled: u64,
    /// Number of outputs that failed.
    pub failed: u64,
    /// Number of outputs that wait for a slot.
    pub waiting: u64,
    /// Number of outputs in slots.
    pub running: u64,
    /// Number of batches that the model has read.
    pub steps: u64,
    /// Number of prompt tokens of the outputs that have left their slots.
    pub prompt_tokens: u64,
    /// Number of generated tokens of the outputs that have left their slots.
    pub completion_tokens: u64,
    /// Number of generated tokens that were added without a call of the model.
    pub forced_tokens: u64,
    /// Time spent in the model, in nanoseconds.
    pub model_nanos: u64,
    /// Time spent on masks, draws and all other work on tokens, in nanoseconds.
    pub decode_nanos: u64,
}

/// The statistics of an engine, as counters that threads share.
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

/// Adds to a counter. Readers may see changes of different counters in any order.
pub(super) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}
