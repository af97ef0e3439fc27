//! The text of an output: its log, and the positions at which it may end.

use grammarc_runtime::Vocabulary;

use super::log::{Log, Place};
use super::reading::Reading;
use super::stops::Stops;

/// The text of an output, with the positions at which it may end.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) log: Log,
    /// The byte-by-byte reading of the output. `None` if the output cannot end inside a token.
    pub(super) reading: Option<Reading>,
    stops: Stops,
    /// The last position at which the matcher allows an end.
    accepting: Option<Place>,
}

impl Text {
    /// Creates an empty text. `is_accepting` states whether the empty output may end.
    pub(super) fn new(reading: Option<Reading>, stops: Stops, is_accepting: bool) -> Self {
        let accepting = is_accepting.then(Place::default);
        Self { log: Log::default(), reading, stops, accepting }
    }

    /// Appends a token. `is_accepting` states whether the matcher allows an end after it.
    pub(super) fn push(&mut self, token: u32, vocabulary: &Vocabulary, is_accepting: bool) {
        self.log.push(token, vocabulary);
        if let Some(reading) = &mut self.reading {
            reading.read(&self.log);
        }
        if is_accepting {
            self.accepting = Some(self.log.end());
        }
    }

    /// Returns the last position so far at which the output may end. `None` if there is none.
    pub(super) fn last_end(&self) -> Option<Place> {
        self.reading.as_ref().map_or(self.accepting, Reading::last)
    }

    /// Returns the first position after the start at which the output may end. `None` if there is
    /// none so far.
    pub(super) fn first_end(&self) -> Option<Place> {
        let first = self.reading.as_ref().map_or(self.accepting, Reading::first);
        first.filter(|place| *place > Place::default())
    }

    /// Returns the first new stop string before which the output may end, with the position before
    /// it. `None` if there is none.
    pub(super) fn stop_string(&mut self) -> Option<(Place, String)> {
        if self.stops.is_empty() {
            return None;
        }
        let (log, reading) = (&self.log, &self.reading);
        let place = |bytes: usize| {
            let specials = log.specials_from(0).partition_point(|(at, _)| *at <= bytes);
            Place { bytes, specials }
        };
        let may_end = |at| reading.as_ref().is_none_or(|reading| reading.accepts_at(place(at)));
        let (at, text) = self.stops.search(log.bytes(), may_end)?;
        Some((place(at), text.to_owned()))
    }

    /// Returns the end of the text that stays in the output, whatever tokens follow. With
    /// `may_overshoot`, text after the last possible end may still be removed.
    pub(super) fn stable_end(&self, may_overshoot: bool) -> Place {
        let mut to = self.log.end();
        if may_overshoot {
            to = self.last_end().unwrap_or(to);
        }
        let held_back = self.stops.held_back(self.log.bytes());
        if held_back > 0 {
            to.bytes = to.bytes.min(self.log.bytes().len() - held_back);
        }
        to
    }
}
