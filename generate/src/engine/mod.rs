//! The engine: one thread that owns the model and advances many outputs in one batch.
//!
//! ```text
//! submit ─► queue (bounded) ─► slots ─┬─ feeds of all slots ─► Model::feed ─► rows ─► Decoder::choose ─► events ─┐
//!                                     └──────────────────────────── next step ◄──────────────────────────────────┘
//! ```
//!
//! A slot is one output with a sequence of the model. Slots come and go between steps, so a short output never waits for a
//! long one beside it; a long prompt is read in parts for the same reason. Events go to a bounded queue for each output:
//! whoever does not read his is passed over, and called off after [`EngineOptions::slow_reader`]. Whoever drops his receiver is
//! called off at the next step.
//!
//! If a batch fails, its feeds are tried one by one, so that an output whose tokens the model refuses harms no other.

mod options;
mod slot;
mod stats;
mod steps;
#[cfg(test)]
mod tests;
mod told;

use std::sync::Arc;
use std::thread::JoinHandle;

use async_channel::{Receiver, Sender, TrySendError};

use crate::decoder::Decoder;
use crate::error::GenerateError;
use crate::model::{Model, ModelInfo};

use self::slot::Job;
use self::stats::Counters;
use self::steps::Steps;

pub use self::options::EngineOptions;
pub use self::stats::EngineStats;
pub use self::told::Told;

/// The thread of a model. Dropping it ends the thread behind the outputs that it has begun.
pub struct Engine {
    info: ModelInfo,
    jobs: Option<Sender<Job>>,
    options: EngineOptions,
    counters: Arc<Counters>,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts a thread for a model.
    ///
    /// # Errors
    ///
    /// The system gives no thread.
    pub fn start(model: Box<dyn Model>, options: EngineOptions) -> std::io::Result<Self> {
        let info = model.info();
        let options =
            EngineOptions { parallel: options.parallel.clamp(1, info.sequences.max(1)), ..options };
        let (jobs, queue) = async_channel::bounded(options.waiting.max(1));
        let counters = Arc::new(Counters::default());
        let steps = Steps::new(model, queue, options, Arc::clone(&counters));
        let thread = std::thread::Builder::new().name("grammarc-engine".to_owned());
        let thread = thread.spawn(move || steps.run())?;
        Ok(Self { info, jobs: Some(jobs), options, counters, thread: Some(thread) })
    }

    /// The model's size.
    pub fn info(&self) -> ModelInfo {
        self.info
    }

    /// Takes an output into the queue. Its events end with [`Event::Finished`](crate::output::Event::Finished) or an error.
    ///
    /// # Errors
    ///
    /// The queue is full, the prompt and the output are longer than the model's context, or the engine has ended.
    pub fn submit(&self, decoder: Decoder) -> Result<Receiver<Told>, GenerateError> {
        let (prompt, max_tokens) = (decoder.usage().prompt_tokens, decoder.params().max_tokens);
        let context = self.info.context;
        if prompt.saturating_add(max_tokens) > context {
            return Err(GenerateError::Context { prompt, max_tokens, context });
        }
        let (events, receiver) = async_channel::bounded(self.options.events.max(1));
        let jobs = self.jobs.as_ref().ok_or(GenerateError::Closed)?;
        match jobs.try_send(Job::new(decoder, events)) {
            Ok(()) => {
                self.counters.submitted();
                Ok(receiver)
            }
            Err(TrySendError::Full(_)) => Err(GenerateError::Busy { waiting: jobs.len() }),
            Err(TrySendError::Closed(_)) => Err(GenerateError::Closed),
        }
    }

    /// The engine's statistics so far.
    pub fn stats(&self) -> EngineStats {
        let waiting = self.jobs.as_ref().map_or(0, Sender::len);
        self.counters.snapshot(waiting)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            // The thread has said why it panicked; the outputs were told that the engine has ended.
        }
    }
}
