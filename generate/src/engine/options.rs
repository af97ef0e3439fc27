//! Options of an engine.

use std::time::Duration;

/// Limits of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Number of outputs that are generated in parallel, at most the model's sequences.
    pub parallel: usize,
    /// Maximum number of outputs in the queue. One client may have a fourth of it.
    pub waiting: usize,
    /// Maximum number of prompt tokens that one step reads, in all slots together.
    pub prompt_tokens: usize,
    /// Maximum number of unread events of one output.
    pub events: usize,
    /// Time that an output waits for a slow reader. Then it is cancelled.
    pub slow_reader: Duration,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            parallel: 4,
            waiting: 256,
            prompt_tokens: 512,
            events: 256,
            slow_reader: Duration::from_secs(30),
        }
    }
}
