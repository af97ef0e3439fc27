//! Collects the events of an output until the host takes them.

use grammarc_calls::Part;
use grammarc_runtime::Vocabulary;

use super::changes::Changes;
use super::log::{Log, Place};
use super::sender::Sender;
use crate::output::{Event, Finish, Finished, Usage};

/// The events of one output that the host has not taken yet, and the converters that create the
/// events.
pub(super) struct Delivery {
    sender: Sender,
    changes: Option<Changes>,
    events: Vec<Event>,
    has_finished: bool,
}

impl Delivery {
    /// Creates a delivery without events. With `changes`, the changes of the JSON value are also
    /// sent.
    pub(super) fn new(sender: Sender, changes: Option<Changes>) -> Self {
        Self { sender, changes, events: Vec::new(), has_finished: false }
    }

    /// Whether the text that was sent so far ends within the reasoning.
    pub(super) fn is_reasoning(&self) -> bool {
        self.sender.is_reasoning()
    }

    /// Adds an event.
    pub(super) fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Removes and returns the collected events.
    pub(super) fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Adds the events for the output up to the position `to`. If `end` is given, also adds the
    /// final event, at most once.
    pub(super) fn send(
        &mut self,
        log: &Log,
        to: Place,
        vocabulary: &Vocabulary,
        end: Option<(Finish, Usage)>,
    ) {
        let end = end.filter(|_| !std::mem::replace(&mut self.has_finished, true));
        let mut cut_call = None;
        let mut parts: Vec<Part> = Vec::new();
        if self.changes.is_none()
            && let Some(last) = self.events.pop()
        {
            // The next text continues the last event.
            match Part::try_from(last) {
                Ok(part) => parts.push(part),
                Err(event) => self.events.push(event),
            }
        }
        self.sender.send(log, to, vocabulary, &mut parts);
        if let Some((finish, _)) = &end {
            cut_call = self.sender.finish(finish.is_cut(), &mut parts);
        }
        let new = parts.into_iter().map(Event::from);
        if let Some(changes) = &mut self.changes {
            changes.add(new.collect(), &mut self.events);
            if end.is_some() {
                changes.finish(&mut self.events);
            }
        } else {
            self.events.extend(new);
        }
        let finished = end.map(|(finish, usage)| Finished { finish, cut_call, usage });
        self.events.extend(finished.map(Event::Finished));
    }
}
