//! Options of an engine.

use std::time::Duration;

/// How an engine shares its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Outputs that are generated side by side, at most as many as the model has sequences.
    pub parallel: usize,
    /// Outputs that may wait for a slot; of one client, a fourth of these.
    pub waiting: usize,
    /// Tokens of prompts that one step reads, of all slots together.
    pub prompt_tokens: usize,
    /// Events of one output that may wait for its reader.
    pub events: usize,
    /// How long an output waits for its reader before it is called off.
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
