//! The text of an output: its log, and the places where it may end.

use grammarc_runtime::Vocabulary;

use super::log::{Log, Place};
use super::reading::Reading;
use super::stops::Stops;

/// The text of an output.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) log: Log,
    /// The output read by bytes, where it may end inside a token.
    pub(super) reading: Option<Reading>,
    stops: Stops,
    /// The last place where the matcher accepts an end.
    accepting: Option<Place>,
}

impl Text {
    /// Returns the empty text. `is_accepting` states whether it may end there.
    pub(super) fn new(reading: Option<Reading>, stops: Stops, is_accepting: bool) -> Self {
        let accepting = is_accepting.then(Place::default);
        Self { log: Log::default(), reading, stops, accepting }
    }

    /// Adds a token. `is_accepting` states whether the matcher accepts an end after it.
    pub(super) fn push(&mut self, token: u32, vocabulary: &Vocabulary, is_accepting: bool) {
        self.log.push(token, vocabulary);
        if let Some(reading) = &mut self.reading {
            reading.read(&self.log);
        }
        if is_accepting {
            self.accepting = Some(self.log.end());
        }
    }

    /// Returns the last place so far where the output may end.
    pub(super) fn last_end(&self) -> Option<Place> {
        self.reading.as_ref().map_or(self.accepting, Reading::last)
    }

    /// Returns the first place after the start where the output may end.
    pub(super) fn first_end(&self) -> Option<Place> {
        let first = self.reading.as_ref().map_or(self.accepting, Reading::first);
        first.filter(|place| *place > Place::default())
    }

    /// Finds the first new stop string before which the output may end.
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

    /// Returns the end of the part that stays in the output, whatever tokens follow. With `may_overshoot`, the text after
    /// the last possible end may be removed.
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
