//! One output in the engine: its decoder, its sequence of the model, and its unread events.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use async_channel::{Sender, TrySendError};

use crate::decoder::Decoder;
use crate::error::GenerateError;
use crate::fair::Client;
use crate::model::Seq;
use crate::output::{Event, Finish};

/// An item of an output's stream: an event, or an error as the last item.
pub type StreamItem = Result<Event, GenerateError>;

/// An output that waits for a slot.
pub(super) struct Job {
    pub(super) decoder: Decoder,
    events: Sender<StreamItem>,
    since: Instant,
}

impl Job {
    pub(super) fn new(decoder: Decoder, events: Sender<StreamItem>) -> Self {
        Self { decoder, events, since: Instant::now() }
    }

    /// Whether the reader is still there.
    pub(super) fn is_wanted(&self) -> bool {
        !self.events.is_closed()
    }

    /// Returns the tokens of the prompt plus `max_tokens`.
    pub(super) fn most_tokens(&self) -> usize {
        self.decoder.usage().prompt_tokens.saturating_add(self.decoder.params().max_tokens)
    }

    pub(super) fn into_slot(self, client: Client, seq: Seq) -> Slot {
        let charged = self.most_tokens();
        let Self { decoder, events, since } = self;
        let deadline = decoder.params().deadline.and_then(|time| since.checked_add(time));
        Slot {
            decoder,
            client,
            charged,
            seq,
            read: 0,
            events,
            backlog: VecDeque::new(),
            deadline,
            stuck: None,
            failed: false,
        }
    }

    /// Sends the reader an error, which ends the output.
    pub(super) fn fail(self, error: crate::error::GenerateError) {
        // The reader may be gone.
        let _ = self.events.try_send(Err(error));
    }
}

/// An output in progress.
pub(super) struct Slot {
    pub(super) decoder: Decoder,
    pub(super) client: Client,
    /// Number of tokens that its client was charged.
    pub(super) charged: usize,
    pub(super) seq: Seq,
    /// Number of tokens of the sequence that the model holds.
    pub(super) read: usize,
    events: Sender<StreamItem>,
    /// Items that did not fit in the reader's queue.
    backlog: VecDeque<StreamItem>,
    deadline: Option<Instant>,
    /// Time since when the reader's queue is full.
    stuck: Option<Instant>,
    failed: bool,
}

/// The next action for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Feed its next tokens.
    Ready,
    /// Wait for its reader.
    Stuck,
    /// Free it after an error. All items were sent.
    Failed,
    /// Free it. All items were sent.
    Done,
    /// Free it: the reader is gone.
    Dropped,
}

/// The reader of an output's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// Its queue has room.
    Follows,
    /// Its queue is full.
    Full,
    /// It has closed its channel.
    Gone,
}

impl Slot {
    /// Sends new events, checks the deadline, and returns the next action.
    pub(super) fn state(&mut self, slow_reader: Duration) -> State {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.decoder.stop(Finish::Deadline);
        }
        match self.send() {
            Reader::Follows => {}
            Reader::Full => {
                let since = *self.stuck.get_or_insert_with(Instant::now);
                let is_lost = since.elapsed() >= slow_reader;
                return if is_lost { State::Dropped } else { State::Stuck };
            }
            Reader::Gone => return State::Dropped,
        }
        match self.decoder.is_finished() {
            true if self.failed => State::Failed,
            // A reader that has the end may be gone already.
            true => State::Done,
            false if self.events.is_closed() => State::Dropped,
            false => State::Ready,
        }
    }

    /// Sends events, as far as the reader's queue has room.
    pub(super) fn send(&mut self) -> Reader {
        self.backlog.extend(self.decoder.events().into_iter().map(Ok));
        while let Some(item) = self.backlog.pop_front() {
            let (item, reader) = match self.events.try_send(item) {
                Ok(()) => {
                    self.stuck = None;
                    continue;
                }
                Err(TrySendError::Full(item)) => (item, Reader::Full),
                Err(TrySendError::Closed(item)) => (item, Reader::Gone),
            };
            self.backlog.push_front(item);
            return reader;
        }
        Reader::Follows
    }

    /// Sends the reader an error, which ends the output.
    pub(super) fn fail(&mut self, error: crate::error::GenerateError) {
        self.decoder.stop(Finish::Cancelled);
        // The end that this sends is dropped: the error replaces it.
        drop(self.decoder.events());
        self.backlog.push_back(Err(error));
        self.failed = true;
    }
}
