//! Reads an output byte by byte with its grammar, to find ends inside a token. Such ends come from
//! stop strings, and from tokens that cross the end of the grammar's text.
//!
//! If tokens are replaced by others, these have the same bytes. So reading never goes back.

use grammarc_runtime::{ByteMatcher, Grammar};

use super::log::{Log, Place};

/// The state of reading an output byte by byte with its grammar.
#[derive(Debug)]
pub(super) struct Reading {
    matcher: ByteMatcher,
    read: Place,
    /// The positions at which the output may end, in ascending order.
    accepting: Vec<Place>,
    /// Whether the output has left the grammar: no text of the grammar starts with it.
    has_left: bool,
}

impl Reading {
    pub(super) fn new(grammar: &Grammar) -> Self {
        let matcher = ByteMatcher::new(grammar);
        let accepting = if matcher.is_accepting() { vec![Place::default()] } else { Vec::new() };
        Self { matcher, read: Place::default(), accepting, has_left: false }
    }

    /// Reads the part of the log that was not read yet.
    pub(super) fn read(&mut self, log: &Log) {
        let end = log.end();
        while !self.has_left && self.read < end {
            let special = log.specials_from(self.read.specials).first();
            let special = special.filter(|(at, _)| *at == self.read.bytes);
            let took = match special {
                Some(&(_, token)) => {
                    self.read.specials += 1;
                    self.matcher.accept_token(token).unwrap_or(false)
                }
                None => {
                    let byte = log.bytes()[self.read.bytes];
                    self.read.bytes += 1;
                    self.matcher.accept(&[byte]).is_ok()
                }
            };
            self.has_left = !took;
            if took && self.matcher.is_accepting() {
                self.accepting.push(self.read);
            }
        }
    }

    /// Whether the output has left the grammar: no text of the grammar starts with it.
    pub(super) fn has_left(&self) -> bool {
        self.has_left
    }

    /// Returns the first position after the start at which the output may end. `None` if there is
    /// none so far.
    pub(super) fn first(&self) -> Option<Place> {
        self.accepting.iter().copied().find(|place| *place > Place::default())
    }

    /// Returns the last position so far at which the output may end. `None` if there is none.
    pub(super) fn last(&self) -> Option<Place> {
        self.accepting.last().copied()
    }

    /// Whether the output may end at a position.
    pub(super) fn accepts_at(&self, place: Place) -> bool {
        self.accepting.binary_search(&place).is_ok()
    }

    /// Whether the output may end here, and no byte and no special token may follow.
    pub(super) fn must_end(&mut self) -> bool {
        !self.has_left
            && self.matcher.is_accepting()
            && self.matcher.allowed_bytes().is_ok_and(|bytes| bytes.is_empty())
            && self.matcher.tokens_allowed().is_ok_and(|allowed| !allowed)
    }
}
