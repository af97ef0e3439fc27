//! The outputs that wait for a slot: submitted by many threads, taken by the engine's.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::slot::Job;
use crate::fair::{Client, FairQueue};

/// Divides the places of the queue: one client may have a fourth.
const SHARE: usize = 4;

/// Identifies an output: its client, and its number within the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The client. The default client may fill the whole queue, any other a fourth of it.
    pub client: Client,
    /// The number of the output among those of one request. It selects the stream of random numbers, so the outputs differ.
    pub number: u32,
}

/// The queue of an engine.
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// Maximum number of waiting outputs.
    places: usize,
}

#[derive(Default)]
struct Waiting {
    jobs: FairQueue<Job>,
    /// Whether the queue refuses new outputs.
    is_closed: bool,
}

/// The reason why an output was not queued.
#[derive(Debug)]
pub(super) enum Refused {
    /// The queue, or this client's share of it, is full. States the number of waiting outputs.
    Full(usize),
    /// The engine has ended.
    Closed,
}

impl Queue {
    pub(super) fn new(places: usize) -> Self {
        Self { waiting: Mutex::default(), changed: Condvar::new(), places: places.max(1) }
    }

    /// Queues an output.
    ///
    /// # Errors
    ///
    /// See [`Refused`].
    pub(super) fn push(&self, choice: Choice, job: Job) -> Result<(), Refused> {
        let Choice { client, number } = choice;
        let mut waiting = self.lock();
        if waiting.is_closed {
            return Err(Refused::Closed);
        }
        if waiting.jobs.len() >= self.places {
            waiting.jobs.retain(Job::is_wanted);
        }
        let (all, own) = (waiting.jobs.len(), waiting.jobs.len_of(client));
        if all >= self.places {
            return Err(Refused::Full(all));
        }
        if client != Client::default() && own >= (self.places / SHARE).max(1) {
            return Err(Refused::Full(own));
        }
        waiting.jobs.push(client, number, job);
        self.changed.notify_one();
        Ok(())
    }

    /// Returns the number of waiting outputs.
    pub(super) fn len(&self) -> usize {
        self.lock().jobs.len()
    }

    /// Closes the queue: new outputs are refused, and waiting ones are still served.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing panics with it locked.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine's end of a queue. Dropping it drops the waiting outputs, and their readers see closed channels.
pub(super) struct Serving(pub(super) Arc<Queue>);

impl Serving {
    /// Removes and returns the next output. Charges its client for the prompt and `max_tokens`.
    pub(super) fn next(&self) -> Option<(Client, Job)> {
        take(&mut self.0.lock())
    }

    /// Waits for the next output, and takes it as [`next`](Self::next) does. `None` if the queue is closed and empty.
    pub(super) fn wait(&self) -> Option<(Client, Job)> {
        let is_idle = |waiting: &mut Waiting| waiting.jobs.is_empty() && !waiting.is_closed;
        let waiting = self.0.changed.wait_while(self.0.lock(), is_idle);
        take(&mut waiting.unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the queue is closed and empty.
    pub(super) fn is_over(&self) -> bool {
        let waiting = self.0.lock();
        waiting.is_closed && waiting.jobs.is_empty()
    }

    /// Refunds a client the tokens that an output was charged and did not use.
    pub(super) fn refund(&self, client: Client, tokens: usize) {
        self.0.lock().jobs.refund(client, tokens as u64);
    }
}

fn take(waiting: &mut Waiting) -> Option<(Client, Job)> {
    let (client, job) = waiting.jobs.pop()?;
    waiting.jobs.charge(client, job.most_tokens() as u64);
    Some((client, job))
}

impl Drop for Serving {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        *waiting = Waiting { is_closed: true, ..Waiting::default() };
    }
}
