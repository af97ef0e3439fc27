//! One output in the engine: its decoder, its sequence in the model, and its unread events.

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

/// An output that waits for a slot of the engine.
pub(super) struct Job {
    pub(super) decoder: Decoder,
    events: Sender<StreamItem>,
    since: Instant,
}

impl Job {
    pub(super) fn new(decoder: Decoder, events: Sender<StreamItem>) -> Self {
        Self { decoder, events, since: Instant::now() }
    }

    /// Whether the receiver of the events still exists.
    pub(super) fn is_wanted(&self) -> bool {
        !self.events.is_closed()
    }

    /// Returns the greatest number of tokens that the output can take: those of the prompt plus
    /// `max_tokens`.
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

    /// Sends an error to the reader as the last item of the output.
    pub(super) fn fail(self, error: crate::error::GenerateError) {
        // If the reader is gone, the error is dropped.
        let _ = self.events.try_send(Err(error));
    }
}

/// An output that is being generated.
pub(super) struct Slot {
    pub(super) decoder: Decoder,
    pub(super) client: Client,
    /// Number of tokens that the client was charged for this output.
    pub(super) charged: usize,
    pub(super) seq: Seq,
    /// Number of tokens of the sequence that the model has read.
    pub(super) read: usize,
    events: Sender<StreamItem>,
    /// Items that did not fit into the channel to the reader.
    backlog: VecDeque<StreamItem>,
    deadline: Option<Instant>,
    /// Time at which the channel to the reader became full. `None` if it has room.
    stuck: Option<Instant>,
    failed: bool,
}

/// What the engine does next with a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Feed the slot's next tokens.
    Ready,
    /// Skip the slot, because its channel to the reader is full.
    Stuck,
    /// Free the slot after an error. All items were sent.
    Failed,
    /// Free the slot after the end of the output. All items were sent.
    Done,
    /// Free the slot, because its reader is gone or too slow.
    Dropped,
}

/// The state of the channel to the reader of an output's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The channel has room.
    Follows,
    /// The channel is full.
    Full,
    /// The reader has dropped its end of the channel.
    Gone,
}

impl Slot {
    /// Sends new events, checks the deadline, and returns what to do next. `slow_reader` is the
    /// time after which a full channel cancels the output.
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
            // A reader that has received the end may be gone already.
            true => State::Done,
            false if self.events.is_closed() => State::Dropped,
            false => State::Ready,
        }
    }

    /// Sends events until all are sent or the channel is full. Returns the state of the channel.
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

    /// Queues an error as the last item of the output.
    pub(super) fn fail(&mut self, error: crate::error::GenerateError) {
        self.decoder.stop(Finish::Cancelled);
        // Stopping the decoder creates a final event, which is dropped because the error replaces
        // it.
        drop(self.decoder.events());
        self.backlog.push_back(Err(error));
        self.failed = true;
    }
}
