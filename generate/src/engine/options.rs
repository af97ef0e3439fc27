//! Options for an engine.

use std::time::Duration;

/// The limits of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Number of outputs that are generated in parallel. Limited to the number of sequences that
    /// the model can hold.
    pub parallel: usize,
    /// Maximum number of outputs in the queue. A further output is refused. A client that is not
    /// the default one may have a quarter of the queue.
    pub waiting: usize,
    /// Maximum number of prompt tokens that one step reads, in all slots together. Longer prompts
    /// are read in several steps.
    pub prompt_tokens: usize,
    /// Maximum number of unread events of one output. If it is reached, the output waits for its
    /// reader.
    pub events: usize,
    /// Time that an output waits for its reader before it is cancelled.
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
