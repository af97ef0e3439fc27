//! Checks after each token whether the output ends, and closes outputs.

use super::closing::Closing;
use super::reading::Reading;
use super::state::OutputState;
use crate::error::GenerateError;
use crate::output::Finish;
use crate::params::EarlyStop;

impl OutputState {
    /// Adds a token to the output and checks whether the output ends.
    pub(super) fn take(&mut self, token: u32, forced: bool) -> Result<(), GenerateError> {
        let is_end = match &mut self.matcher {
            Some(matcher) => {
                matcher.accept(token)?;
                matcher.is_finished()
            }
            None => self.end_tokens.contains(&token),
        };
        if is_end {
            self.end(Finish::Stop, None);
            return Ok(());
        }
        if !self.leaves_room(token) {
            return self.close_instead();
        }
        self.push(token, forced);
        self.look_for_end()
    }

    /// Ends an output whose allowed tokens are too unlikely. The output ends at the last position
    /// where it may end, or else is closed by a shortest text.
    pub(super) fn give_up(&mut self) -> Result<(), GenerateError> {
        if let Some(place) = self.text.last_end() {
            self.end(Finish::Unlikely, Some(place));
            return Ok(());
        }
        let Some(matcher) = &mut self.matcher else { return Ok(()) };
        let closing = Closing::from(matcher).ok_or(GenerateError::NoEnding)?;
        self.close(closing.route().to_vec(), Finish::Unlikely)
    }

    /// Whether `max_tokens` still leaves room to close the output after `token`, which the matcher
    /// has just accepted.
    fn leaves_room(&mut self, token: u32) -> bool {
        let (Some(closing), Some(matcher)) = (&self.closing, &mut self.matcher) else {
            return true;
        };
        let left = self.params.max_tokens - self.text.log.len() - 1;
        match closing.after(token, matcher) {
            Some(next) if next.route().len() <= left => {
                self.closing = Some(next);
                true
            }
            _ => false,
        }
    }

    /// Takes back the token that the matcher has just accepted, and closes the output instead.
    fn close_instead(&mut self) -> Result<(), GenerateError> {
        let (Some(closing), Some(matcher)) = (self.closing.clone(), &mut self.matcher) else {
            return Ok(());
        };
        matcher.rollback(1).expect("a token that was just accepted can be taken back");
        self.close(closing.route().to_vec(), Finish::Length { closed: true })
    }

    /// Adds the tokens of `route`, as far as `max_tokens` allows, and ends the output.
    fn close(&mut self, route: Vec<u32>, finish: Finish) -> Result<(), GenerateError> {
        for token in route {
            if self.tokens() == self.params.max_tokens {
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

    /// Ends or closes the output after its last token if one of the checks requires it. The module
    /// [`decoder`](super) lists the checks.
    pub(super) fn look_for_end(&mut self) -> Result<(), GenerateError> {
        if self.must_end() {
            self.end(Finish::Stop, None);
            return Ok(());
        }
        if let Some((place, text)) = self.text.stop_string() {
            self.end(Finish::StopString(text), Some(place));
            return Ok(());
        }
        if self.params.early_stop == EarlyStop::First
            && let Some(place) = self.text.first_end()
        {
            self.end(Finish::Stop, Some(place));
            return Ok(());
        }
        if self.params.overshoots()
            && let Some(reading) = &self.text.reading
            && reading.has_left()
        {
            let last = reading.last();
            self.end(Finish::Stop, last);
            return Ok(());
        }
        if let Some(tokens) = self.overdue_reasoning() {
            return self.end_reasoning(tokens);
        }
        let left = self.params.max_tokens - self.tokens();
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

    /// Whether the output may end and nothing else may follow.
    fn must_end(&mut self) -> bool {
        if self.params.overshoots() {
            return self.text.reading.as_mut().is_some_and(Reading::must_end);
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

    /// Returns the closing tag's tokens if the reasoning has reached its maximum number of tokens.
    /// `None` otherwise.
    fn overdue_reasoning(&mut self) -> Option<Vec<u32>> {
        let most = self.params.reasoning.as_ref()?.max_tokens?;
        if self.tokens() < most || self.tokens() == self.params.max_tokens {
            return None;
        }
        // Only sending the text reveals whether it contains the closing tag.
        self.send();
        let still = self.delivery.is_reasoning();
        still.then(|| self.closing_tag.clone())
    }

    /// Adds the closing tag of the reasoning. Does nothing while the grammar forbids the tag, which
    /// is the case within a character.
    fn end_reasoning(&mut self, close: Vec<u32>) -> Result<(), GenerateError> {
        let Some(matcher) = &mut self.matcher else { return Ok(()) };
        if matcher.validate(&close) < close.len() {
            return Ok(());
        }
        for token in close {
            if self.tokens() == self.params.max_tokens {
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
