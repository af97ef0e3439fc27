//! The engine: one thread that owns the model and advances many outputs in each batch.
//!
//! ```text
//! submit ─► fair queue ─► slots ─┬─ feeds of all slots ─► Model::feed ─► rows ─► Decoder::choose ─► events ─┐
//!                                     └──────────────────────────── next step ◄──────────────────────────────────┘
//! ```
//!
//! Waiting outputs are served fairly by client ([`crate::fair`]). A client is charged for the
//! prompt and the `max_tokens` of its output. Unused tokens are refunded at the output's end.
//!
//! A slot holds one running output and its sequence of the model. Slots are filled and freed
//! between steps, so a short output never waits for a long one. For the same reason, a long prompt
//! is read in parts. Each output has a bounded queue of events. While this queue is full, the
//! output is skipped, and after [`EngineOptions::slow_reader`] it is cancelled. If the receiver of
//! the events is dropped, the output is cancelled at the next step.
//!
//! If the model fails on a batch, its feeds are repeated one by one. So an output only fails if the
//! model rejects its own tokens.
//!
//! Tests: `tests.rs`; `server/tests/protocol` over HTTP.

mod options;
mod queue;
mod slot;
mod stats;
mod steps;
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
pub use self::slot::StreamItem;
pub use self::stats::EngineStats;

/// The thread that runs a model. Dropping the engine ends the thread after the queued and running
/// outputs.
pub struct Engine {
    info: ModelInfo,
    queue: Arc<Queue>,
    options: EngineOptions,
    counters: Arc<Counters>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts a thread that runs a model.
    ///
    /// # Errors
    ///
    /// The operating system cannot start a thread.
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

    /// Returns the sizes of the model.
    pub fn info(&self) -> ModelInfo {
        self.info
    }

    /// Queues an output and returns its events. The last item is
    /// [`Event::Finished`](crate::output::Event::Finished) or an error.
    ///
    /// # Errors
    ///
    /// The queue is full, or the client already has a quarter of it. The prompt and `max_tokens`
    /// exceed the model's context. The engine has ended.
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
            // The thread has reported its panic, and the readers of its outputs see closed
            // channels.
        }
    }
}
