//! The engine: one thread that owns the model and advances many outputs in one batch.
//!
//! ```text
//! submit ─► fair queue ─► slots ─┬─ feeds of all slots ─► Model::feed ─► rows ─► Decoder::choose ─► events ─┐
//!                                     └──────────────────────────── next step ◄──────────────────────────────────┘
//! ```
//!
//! Waiting outputs are served fairly by client ([`crate::fair`]). Each is charged for its prompt and its `max_tokens`, and is
//! refunded the unused tokens at its end.
//!
//! A slot is one output with a sequence of the model. Slots come and go between steps, so a short output never waits for a
//! long one; a long prompt is read in parts for the same reason. Each output has a bounded queue of events. An output whose
//! queue is full is skipped, and cancelled after [`EngineOptions::slow_reader`]. An output whose receiver was dropped is
//! cancelled at the next step.
//!
//! If a batch fails, its feeds are repeated one by one, so that only the outputs whose tokens the model refuses fail.
//!
//! Tests: `tests.rs`; `server/tests/protocol` over HTTP.

mod options;
mod queue;
mod slot;
mod stats;
mod steps;
mod stream_item;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::thread::JoinHandle;

use async_channel::Receiver;

use crate::decoder::Decoder;
use crate::error::GenerateError;
use crate::model::{Model, ModelInfo};

use self::queue::{Queue, Refused, Serving};
use self::slot::Job;
use self::stats::Counters;
use self::steps::Steps;

pub use self::options::EngineOptions;
pub use self::queue::Choice;
pub use self::stats::EngineStats;
pub use self::stream_item::StreamItem;

/// The thread of a model. Dropping it ends the thread after the outputs in progress.
pub struct Engine {
    info: ModelInfo,
    queue: Arc<Queue>,
    options: EngineOptions,
    counters: Arc<Counters>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts a thread for a model.
    ///
    /// # Errors
    ///
    /// The system starts no thread.
    pub fn start(model: Box<dyn Model>, options: EngineOptions) -> std::io::Result<Self> {
        let info = model.info();
        let options =
            EngineOptions { parallel: options.parallel.clamp(1, info.sequences.max(1)), ..options };
        let queue = Arc::new(Queue::new(options.waiting));
        let counters = Arc::new(Counters::default());
        let steps = Steps::new(model, Serving(Arc::clone(&queue)), options, Arc::clone(&counters));
        let thread = std::thread::Builder::new().name("grammarc-engine".to_owned());
        let thread = thread.spawn(move || steps.run())?;
        Ok(Self { info, queue, options, counters, thread: Some(thread) })
    }

    /// Returns the model's size.
    pub fn info(&self) -> ModelInfo {
        self.info
    }

    /// Queues an output of a client. Its events end with [`Event::Finished`](crate::output::Event::Finished) or an
    /// error.
    ///
    /// # Errors
    ///
    /// The queue is full, the client has a fourth of it, the prompt and the output exceed the model's context, or the
    /// engine has ended.
    pub fn submit(
        &self,
        decoder: Decoder,
        choice: Choice,
    ) -> Result<Receiver<StreamItem>, GenerateError> {
        let (prompt, max_tokens) = (decoder.usage().prompt_tokens, decoder.params().max_tokens);
        let context = self.info.context;
        if prompt.saturating_add(max_tokens) > context {
            return Err(GenerateError::Context { prompt, max_tokens, context });
        }
        let (events, receiver) = async_channel::bounded(self.options.events.max(1));
        match self.queue.push(choice, Job::new(decoder, events)) {
            Ok(()) => {
                self.counters.submitted();
                Ok(receiver)
            }
            Err(Refused::Full(waiting)) => Err(GenerateError::Busy { waiting }),
            Err(Refused::Closed) => Err(GenerateError::Closed),
        }
    }

    /// Returns the engine's statistics so far.
    pub fn stats(&self) -> EngineStats {
        self.counters.snapshot(self.queue.len())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            // The thread has reported its panic; the outputs know that the engine has ended.
        }
    }
}
