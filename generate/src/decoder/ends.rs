//! The end of an output: the order of the checks behind each token, and the ways to close it.

use super::Decoder;
use super::log::Place;
use super::reading::Reading;
use crate::error::GenerateError;
use crate::output::Finish;
use crate::params::EarlyStop;

impl Decoder {
    /// Whether the tokens left behind one that the matcher has just accepted are enough to close the output.
    pub(super) fn leaves_room(&mut self, token: u32) -> bool {
        let (Some(closing), Some(matcher)) = (&self.closing, &mut self.matcher) else {
            return true;
        };
        let left = self.params.max_tokens - self.log.len() - 1;
        match closing.after(token, matcher) {
            Some(next) if next.route().len() <= left => {
                self.closing = Some(next);
                true
            }
            _ => false,
        }
    }

    /// Closes the output in place of a token that the matcher has accepted.
    pub(super) fn close_instead(&mut self) -> Result<(), GenerateError> {
        let (Some(closing), Some(matcher)) = (self.closing.clone(), &mut self.matcher) else {
            return Ok(());
        };
        matcher.rollback(1).expect("a token that was just accepted can be taken back");
        self.close(closing.route().to_vec(), Finish::Length { closed: true })
    }

    /// Ends the output by these tokens.
    pub(super) fn close(&mut self, route: Vec<u32>, finish: Finish) -> Result<(), GenerateError> {
        for token in route {
            if self.log.len() == self.params.max_tokens {
                self.end(Finish::Length { closed: false }, None);
                return Ok(());
            }
            if let Some(matcher) = &mut self.matcher {
                matcher.accept(token)?;
            }
            self.push(token, true);
        }
        self.end(finish, None);
        Ok(())
    }

    /// Looks for an end behind the last token.
    pub(super) fn look_for_end(&mut self) -> Result<(), GenerateError> {
        if self.must_end() {
            self.end(Finish::Stop, None);
            return Ok(());
        }
        if let Some((place, text)) = self.stop_string() {
            self.end(Finish::StopString(text), Some(place));
            return Ok(());
        }
        if self.params.early_stop == EarlyStop::First {
            let first = self.reading.as_ref().map_or(self.accepting, Reading::first);
            if let Some(place) = first.filter(|place| *place > Place::default()) {
                self.end(Finish::Stop, Some(place));
                return Ok(());
            }
        }
        if self.params.overshoots()
            && let Some(reading) = &self.reading
            && reading.has_left()
        {
            let last = reading.last();
            self.end(Finish::Stop, last);
            return Ok(());
        }
        if let Some(tokens) = self.overdue_reasoning() {
            return self.end_reasoning(tokens);
        }
        let left = self.params.max_tokens - self.log.len();
        if let Some(closing) = &self.closing
            && closing.route().len() == left
        {
            let route = closing.route().to_vec();
            return self.close(route, Finish::Length { closed: true });
        }
        if left == 0 {
            self.end(Finish::Length { closed: false }, None);
        }
        Ok(())
    }

    /// Whether nothing but an end may follow.
    fn must_end(&mut self) -> bool {
        if self.params.overshoots() {
            return self.reading.as_mut().is_some_and(Reading::must_end);
        }
        let ends = &self.end_tokens;
        match &mut self.matcher {
            Some(matcher) if matcher.is_accepting() => {
                let mut allowed = matcher.mask().iter();
                allowed.all(|token| ends.contains(&token))
            }
            _ => false,
        }
    }

    /// The first stop string in what is new, where the output may end before it.
    fn stop_string(&mut self) -> Option<(Place, String)> {
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

    /// The closing tag of a reasoning that has used its tokens up.
    fn overdue_reasoning(&mut self) -> Option<Vec<u32>> {
        let most = self.params.reasoning.as_ref()?.max_tokens?;
        if self.log.len() < most || self.log.len() == self.params.max_tokens {
            return None;
        }
        // Whether the tag came is known when the text up to it was told.
        self.send();
        let still = self.sender.is_reasoning();
        still.then(|| self.closing_tag.clone())
    }

    /// Writes the closing tag of the reasoning. The next token is waited for where the tag cannot stand, within a character.
    fn end_reasoning(&mut self, close: Vec<u32>) -> Result<(), GenerateError> {
        let Some(matcher) = &mut self.matcher else { return Ok(()) };
        if matcher.validate(&close) < close.len() {
            return Ok(());
        }
        for token in close {
            if self.log.len() == self.params.max_tokens {
                break;
            }
            if let Some(matcher) = &mut self.matcher {
                matcher.accept(token)?;
            }
            if !self.leaves_room(token) {
                return self.close_instead();
            }
            self.push(token, true);
        }
        self.send();
        self.look_for_end()
    }
}
