//! The queue of outputs that wait for a slot. Many threads submit outputs, and the engine's thread
//! takes them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::slot::Job;
use crate::fair::{Client, FairQueue};

/// Divisor of the queue's capacity that gives the share of one client: a quarter.
const SHARE: usize = 4;

/// Identifies an output by its client and its number within the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The client that the output is charged to. The default client may fill the whole queue, any
    /// other a quarter of it.
    pub client: Client,
    /// Number of the output within its request, from 0. It selects the stream of random numbers, so
    /// the outputs of a request differ.
    pub number: u32,
}

/// The queue of outputs that wait for a slot of the engine.
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// Maximum number of waiting outputs.
    places: usize,
}

#[derive(Default)]
struct Waiting {
    jobs: FairQueue<Job>,
    /// Whether the queue is closed, so that it refuses new outputs.
    is_closed: bool,
}

/// The reason why an output was not queued.
#[derive(Debug)]
pub(super) enum Refused {
    /// The queue, or the client's share of it, is full. Contains the number of waiting outputs.
    Full(usize),
    /// The queue is closed, because the engine ends.
    Closed,
}

impl Queue {
    pub(super) fn new(places: usize) -> Self {
        Self { waiting: Mutex::default(), changed: Condvar::new(), places: places.max(1) }
    }

    /// Adds an output to the queue.
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

    /// Closes the queue: it refuses new outputs, but the waiting ones are still served.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // No code panics while it holds the lock, so a poisoned lock is still valid.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine's side of the queue. Dropping it drops the waiting outputs, so that their readers see
/// closed channels.
pub(super) struct Serving(pub(super) Arc<Queue>);

impl Serving {
    /// Removes and returns the next output, with its client. Charges the client for the prompt and
    /// `max_tokens`. `None` if the queue is empty.
    pub(super) fn next(&self) -> Option<(Client, Job)> {
        take(&mut self.0.lock())
    }

    /// Blocks until an output waits, and takes it as [`next`](Self::next) does. `None` if the queue
    /// is closed and empty.
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

    /// Refunds a client the tokens that an output was charged for and did not use.
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
