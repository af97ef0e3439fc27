//! One output, token by token, without a model: logits in, tokens to feed and events out.
//!
//! ```text
//!          ┌────────────── feed() ◄──────────────┐
//!   model ─┤                                     │
//!          └─ row ─► choose ─► accept ─► stops ─► forced runs ─► events
//! ```
//!
//! A decoder holds the tokens of its prompt and output and knows how many of them the model has read. Its host feeds what
//! [`Decoder::feed`] says and hands the rows of logits to [`Decoder::choose`], until there is nothing to feed. A decoder does
//! no arithmetic of a model and knows no threads, so tests drive it by a script.
//!
//! After each token the ends are looked for in this order:
//!
//! | | end |
//! | --- | --- |
//! | 1 | an end token was taken |
//! | 2 | nothing but an end may follow: the model is not asked |
//! | 3 | a stop string came, where the output may end |
//! | 4 | with [`EarlyStop::First`](crate::EarlyStop::First) the output may end; with overshoot, it has left the grammar's text |
//! | 5 | the tokens are used up, or just enough are left to close the output |
//!
//! Cost of a token besides its mask: its bytes; with stop strings or overshoot, a byte step of the grammar for each; with
//! [`OnLength::Close`], the search for the shortest way to an end.

mod canonical;
mod changes;
mod closing;
mod ends;
mod log;
mod reading;
mod runs;
mod sender;
mod setup;
mod stops;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use grammarc_runtime::{Matcher, Vocabulary};

use crate::encode::Encode;
use crate::error::GenerateError;
use crate::model::Rows;
use crate::output::{Event, Finish, Finished, LEAST_LOGPROB, TokenLogprob, Usage};
use crate::params::{GenerateParams, OnLength};
use crate::sampling::{Adjust, Cuts, Draws, draw, fresh_seed, log_sum, mass, ranked};

use self::changes::Changes;
use self::closing::Closing;
use self::log::{Log, Place};
use self::reading::Reading;
use self::sender::Sender;
use self::stops::Stops;

pub use self::setup::{CompiledGrammars, Setup, longest_token};

/// Tokens for the model to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToFeed<'d> {
    /// How many tokens of the sequence stay; the model forgets those behind them.
    pub kept: usize,
    /// The tokens behind them, at least one. A host may feed some of the first alone, without asking for logits.
    pub tokens: &'d [u32],
    /// Behind which of them logits are wanted.
    pub rows: Rows,
}

/// One output.
pub struct Decoder {
    params: GenerateParams,
    vocabulary: Vocabulary,
    encoder: Option<Arc<dyn Encode>>,
    /// The longest token in bytes.
    longest_token: usize,
    end_tokens: Vec<u32>,
    matcher: Option<Matcher>,
    /// The prompt and the output.
    sequence: Vec<u32>,
    prompt: usize,
    /// How many tokens of the sequence the model has read.
    fed: usize,
    /// How many it had read before the last time.
    rows_from: usize,
    /// Tokens of the sequence whose log probabilities were told, where they are wanted.
    observed: usize,
    log: Log,
    reading: Option<Reading>,
    stops: Stops,
    sender: Sender,
    changes: Option<Changes>,
    /// The tokens of the reasoning's closing tag, where its length is bounded.
    closing_tag: Vec<u32>,
    closing: Option<Closing>,
    /// The last place where the output might end, where tokens decide it.
    accepting: Option<Place>,
    /// Tokens in a row below the limit of probability.
    unlikely: u32,
    adjust: Adjust,
    draws: Draws,
    usage: Usage,
    events: Vec<Event>,
    /// The end of the output's text, once it has ended.
    cut: Option<Place>,
    finish: Option<Finish>,
    /// The end was told.
    told: bool,
}

impl Decoder {
    /// A decoder before the first token.
    ///
    /// # Errors
    ///
    /// A parameter is wrong, the prompt has no tokens, or the output cannot be closed within its tokens.
    pub fn new(params: GenerateParams, setup: Setup) -> Result<Self, GenerateError> {
        params.check()?;
        if setup.prompt.is_empty() {
            return Err(GenerateError::EmptyPrompt);
        }
        let end_tokens = setup.end_tokens(&params);
        let mut matcher = setup.matcher(&end_tokens)?;
        let longest_token = setup.longest_token;
        let closing = match (&mut matcher, params.on_length) {
            (Some(matcher), OnLength::Close) => {
                Some(Closing::from(matcher).ok_or(GenerateError::NoEnding)?)
            }
            _ => None,
        };
        if let Some(closing) = &closing
            && closing.route().len() > params.max_tokens
        {
            let (least, max_tokens) = (closing.route().len(), params.max_tokens);
            return Err(GenerateError::TooFewTokens { least, max_tokens });
        }
        let Setup { vocabulary, encoder, prompt, in_reasoning, choice, grammars, .. } = setup;
        let by_bytes = params.overshoots() || !params.stop.is_empty();
        let reading = grammars.whole.as_ref().filter(|_| by_bytes).map(Reading::new);
        let tags = params.reasoning.as_ref().map(|reasoning| {
            (if in_reasoning { "" } else { reasoning.open.as_str() }, reasoning.close.as_str())
        });
        let splits = grammars
            .output
            .as_ref()
            .filter(|grammar| !grammar.artifact().meta().regions.is_empty());
        let sender = Sender::new(splits, tags);
        let mode = params.json_mode.as_ref().filter(|mode| mode.changes);
        let changes = mode.map(|mode| Changes::new(mode.schema.clone()));
        let bounded = params.reasoning.as_ref().filter(|reasoning| reasoning.max_tokens.is_some());
        let closing_tag = match (bounded, &encoder) {
            (Some(reasoning), Some(encoder)) => encoder.prompt(&reasoning.close),
            (Some(_), None) => None,
            (None, _) => Some(Vec::new()),
        };
        let closing_tag = closing_tag.ok_or(GenerateError::Unsupported {
            what: "reasoning.max_tokens",
            why: "has no tokenizer to spell the closing tag with",
        })?;
        let seed = params.seed.unwrap_or_else(fresh_seed);
        let accepting = matcher.as_ref().is_some_and(Matcher::is_accepting).then(Place::default);
        Ok(Self {
            adjust: Adjust::new(&params.logit_bias, params.penalties, &prompt),
            draws: Draws::new(seed, choice),
            usage: Usage { prompt_tokens: prompt.len(), seed, ..Usage::default() },
            stops: Stops::new(&params.stop),
            params,
            vocabulary,
            encoder,
            longest_token,
            end_tokens,
            matcher,
            prompt: prompt.len(),
            observed: prompt.len(),
            sequence: prompt,
            fed: 0,
            rows_from: 0,
            log: Log::default(),
            reading,
            sender,
            changes,
            closing_tag,
            closing,
            accepting,
            unlikely: 0,
            events: Vec::new(),
            cut: None,
            finish: None,
            told: false,
        })
    }

    /// Takes what is certain before the model is asked for the first time: tokens that the grammar forces, and an end where
    /// the grammar has one text alone.
    ///
    /// # Errors
    ///
    /// A limit of the matcher was met.
    pub fn start(&mut self) -> Result<(), GenerateError> {
        if self.matcher.is_some() {
            self.look_for_end()?;
        }
        self.force()?;
        self.send();
        Ok(())
    }

    /// The tokens that the model has to read next; none once the output has ended. If log probabilities are wanted, it
    /// ends when those of the last forced tokens are known.
    pub fn feed(&self) -> Option<ToFeed<'_>> {
        if self.is_finished() {
            return None;
        }
        // The row behind the last token is needed anew where tokens behind it were taken back.
        let kept = self.fed.min(self.sequence.len() - 1);
        let all = self.params.logprobs.is_some();
        let before = self.prompt - 1;
        let (to, rows) = match all {
            true if kept < before => (before, Rows::None),
            true if self.finish.is_some() => (self.sequence.len() - 1, Rows::All),
            true => (self.sequence.len(), Rows::All),
            false => (self.sequence.len(), Rows::Last),
        };
        Some(ToFeed { kept, tokens: &self.sequence[kept..to], rows })
    }

    /// Says that the model has read so many of the tokens of [`Decoder::feed`].
    pub fn fed(&mut self, tokens: usize) {
        self.rows_from = self.fed.min(self.sequence.len() - 1);
        self.fed = self.rows_from + tokens;
    }

    /// Takes the rows of logits that [`Decoder::feed`] asked for, draws the next token from the last and goes on as far as no
    /// logits are needed. The rows are changed.
    ///
    /// # Errors
    ///
    /// A row has not the model's width, no token can be drawn, or a limit of the matcher was met. The output has not
    /// ended then, and cannot go on.
    pub fn choose<'r>(
        &mut self,
        rows: impl Iterator<Item = &'r mut [f32]>,
    ) -> Result<(), GenerateError> {
        self.usage.model_calls += 1;
        let mut rows = rows.collect::<Vec<_>>();
        if self.params.logprobs.is_none() {
            rows.drain(..rows.len().saturating_sub(1));
            self.rows_from = self.sequence.len() - 1;
        }
        for (behind, row) in (self.rows_from..).zip(rows) {
            if let Some(&token) = self.sequence.get(behind + 1) {
                self.observe(behind + 1, token, row);
            } else if self.finish.is_none()
                && let Some(token) = self.pick(row)?
            {
                self.take(token, false)?;
                self.force()?;
                break;
            }
        }
        self.send();
        Ok(())
    }

    /// Takes the log probability of a token that the model was not asked for.
    fn observe(&mut self, at: usize, token: u32, row: &mut [f32]) {
        if at < self.observed {
            return;
        }
        self.adjust.apply(row);
        let logprob = self.logprob(token, row, log_sum(row), true);
        self.events.push(Event::Tokens(vec![logprob]));
        self.observed = at + 1;
    }

    /// Ends the output where it stands.
    pub fn stop(&mut self, finish: Finish) {
        if self.finish.is_none() {
            self.end(finish, None);
            self.send();
        }
    }

    /// Whether the output has ended and nothing is left to feed.
    pub fn is_finished(&self) -> bool {
        let Some(finish) = &self.finish else { return false };
        let called_off = matches!(finish, Finish::Cancelled | Finish::Deadline);
        called_off || self.params.logprobs.is_none() || self.observed >= self.sequence.len()
    }

    /// Why the output has ended, once it has.
    pub fn finish(&self) -> Option<&Finish> {
        self.finish.as_ref()
    }

    /// The events since this was asked before.
    pub fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The tokens of the output so far.
    pub fn tokens(&self) -> &[u32] {
        &self.sequence[self.prompt..]
    }

    /// The output's usage so far.
    pub fn usage(&self) -> Usage {
        Usage { completion_tokens: self.log.len(), ..self.usage }
    }

    /// The parameters.
    pub fn params(&self) -> &GenerateParams {
        &self.params
    }

    /// Draws a token; none where the output ends instead.
    fn pick(&mut self, row: &mut [f32]) -> Result<Option<u32>, GenerateError> {
        self.adjust.apply(row);
        let tokens = self.log.len();
        let logprobs = self.params.logprobs;
        let raw = logprobs.filter(|logprobs| !logprobs.masked).map(|_| row.to_vec());
        let is_summed = logprobs.is_some() || self.params.prob_limit.is_some();
        let before = is_summed.then(|| log_sum(row));
        let mut only = None;
        match &mut self.matcher {
            Some(matcher) => {
                let mask = matcher.mask();
                mask.apply(row)?;
                only = mask.only();
                if only.is_none() && mask.is_empty() {
                    return Err(GenerateError::DeadEnd { tokens });
                }
            }
            // Rows of padding behind the vocabulary are no tokens.
            None => {
                let width = self.vocabulary.logit_width() as usize;
                row.iter_mut().skip(width).for_each(|logit| *logit = f32::NEG_INFINITY);
            }
        }
        let kept =
            before.filter(|_| self.matcher.is_some()).map(|before| mass(before, log_sum(row)));
        if let Some(kept) = kept
            && self.is_given_up(kept)
        {
            self.give_up()?;
            return Ok(None);
        }
        let GenerateParams { temperature, top_k, top_p, min_p, .. } = self.params;
        let cuts = Cuts { temperature, top_k, top_p, min_p };
        let draws = &mut self.draws;
        let token = only.or_else(|| draw(row, &cuts, || draws.uniform()));
        let token = token.ok_or(GenerateError::NoLogits { tokens })?;
        if logprobs.is_some() {
            let shown = raw.as_deref().unwrap_or(row);
            let sum = before.filter(|_| raw.is_some()).unwrap_or_else(|| log_sum(shown));
            let logprob = self.logprob(token, shown, sum, false);
            let mass = kept.map(|kept| kept as f32);
            self.events.push(Event::Tokens(vec![TokenLogprob { mass, ..logprob }]));
            self.observed = self.sequence.len() + 1;
        }
        Ok(Some(token))
    }

    fn logprob(&self, token: u32, row: &[f32], sum: f64, forced: bool) -> TokenLogprob {
        let top = self.params.logprobs.map_or(0, |logprobs| logprobs.top as usize);
        let of = |logit: f32| ((f64::from(logit) - sum) as f32).max(LEAST_LOGPROB);
        let logprob = row.get(token as usize).map_or(LEAST_LOGPROB, |&logit| of(logit));
        let top = ranked(row, top).into_iter().map(|(token, logit)| (token, of(logit))).collect();
        // Of a forced token alone the mask is the token itself.
        let mass = forced.then(|| logprob.exp());
        TokenLogprob { token, logprob, forced, mass, top }
    }

    /// Whether the allowed tokens, which have this probability together, are below the limit for long enough.
    fn is_given_up(&mut self, kept: f64) -> bool {
        let Some(limit) = self.params.prob_limit else { return false };
        let is_below = kept < f64::from(limit.below);
        self.unlikely = if is_below { self.unlikely + 1 } else { 0 };
        self.unlikely >= limit.patience
    }

    /// Ends an output whose allowed tokens are too unlikely: at the last place where it might, else by the shortest way.
    fn give_up(&mut self) -> Result<(), GenerateError> {
        if let Some(place) = self.may_end_at() {
            self.end(Finish::Unlikely, Some(place));
            return Ok(());
        }
        let Some(matcher) = &mut self.matcher else { return Ok(()) };
        let closing = Closing::from(matcher).ok_or(GenerateError::NoEnding)?;
        self.close(closing.route().to_vec(), Finish::Unlikely)
    }

    /// The last place so far where the output may end.
    fn may_end_at(&self) -> Option<Place> {
        self.reading.as_ref().map_or(self.accepting, Reading::last)
    }

    /// Takes a token and looks for an end.
    fn take(&mut self, token: u32, forced: bool) -> Result<(), GenerateError> {
        match &mut self.matcher {
            Some(matcher) => {
                matcher.accept(token)?;
                if matcher.is_finished() {
                    self.end(Finish::Stop, None);
                    return Ok(());
                }
            }
            None if self.end_tokens.contains(&token) => {
                self.end(Finish::Stop, None);
                return Ok(());
            }
            None => {}
        }
        if !self.leaves_room(token) {
            return self.close_instead();
        }
        self.push(token, forced);
        self.look_for_end()
    }

    /// Adds a token that the matcher has accepted.
    fn push(&mut self, token: u32, forced: bool) {
        self.sequence.push(token);
        self.log.push(token, &self.vocabulary);
        self.adjust.push(token);
        self.usage.forced_tokens += usize::from(forced);
        self.usage.reasoning_tokens += usize::from(self.sender.is_reasoning());
        if let Some(reading) = &mut self.reading {
            reading.read(&self.log);
        }
        if self.matcher.as_ref().is_some_and(Matcher::is_accepting) {
            self.accepting = Some(self.log.end());
        }
    }

    /// Ends the output, at a place before its end where one is given.
    fn end(&mut self, finish: Finish, at: Option<Place>) {
        let overshot = self.params.overshoots().then(|| self.may_end_at()).flatten();
        self.cut = Some(at.or(overshot).unwrap_or_else(|| self.log.end()));
        self.finish = Some(finish);
    }

    /// Emits events for the part of the output that cannot be retracted any more.
    fn send(&mut self) {
        let to = self.cut.unwrap_or_else(|| self.certain());
        let ends = self.is_finished() && !std::mem::replace(&mut self.told, true);
        let usage = self.usage();
        let end = self.finish.clone().filter(|_| ends);
        let mut cut_call = None;
        let mut new = Vec::new();
        let events = if self.changes.is_some() { &mut new } else { &mut self.events };
        self.sender.send(&self.log, to, &self.vocabulary, events);
        if let Some(finish) = &end {
            cut_call = self.sender.finish(finish.is_cut(), events);
        }
        if let Some(changes) = &mut self.changes {
            changes.tell(new, &mut self.events);
            if end.is_some() {
                changes.finish(&mut self.events);
            }
        }
        self.events.extend(end.map(|finish| Event::Finished(Finished { finish, cut_call, usage })));
    }

    /// The end of the part of the output that cannot be retracted any more.
    fn certain(&self) -> Place {
        let mut to = self.log.end();
        if self.params.prob_limit.is_some() || self.params.overshoots() {
            to = self.may_end_at().unwrap_or(to);
        }
        let held_back = self.stops.held_back(self.log.bytes());
        if held_back > 0 {
            to.bytes = to.bytes.min(self.log.bytes().len() - held_back);
        }
        to
    }
}
