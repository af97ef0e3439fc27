//! The state of one output: its tokens, its text, its grammar and its end.

use grammarc_runtime::{Matcher, Vocabulary};

use super::changes::Changes;
use super::closing::Closing;
use super::delivery::Delivery;
use super::log::Place;
use super::reading::Reading;
use super::sender::Sender;
use super::sequence::Sequence;
use super::setup::Setup;
use super::stops::Stops;
use super::text::Text;
use crate::error::GenerateError;
use crate::output::{Finish, Usage};
use crate::params::{GenerateParams, OnLength};
use crate::sampling::Adjust;

/// The end of an output: the reason, and the position.
#[derive(Debug)]
pub(super) struct End {
    pub(super) finish: Finish,
    /// Position at which the output's text ends. Later text is removed.
    at: Place,
}

/// The state of one output.
pub(super) struct OutputState {
    pub(super) params: GenerateParams,
    pub(super) vocabulary: Vocabulary,
    pub(super) end_tokens: Vec<u32>,
    pub(super) matcher: Option<Matcher>,
    pub(super) sequence: Sequence,
    pub(super) text: Text,
    pub(super) adjust: Adjust,
    /// The tokens of the reasoning's closing tag. Empty if the reasoning has no maximum number of
    /// tokens.
    pub(super) closing_tag: Vec<u32>,
    pub(super) closing: Option<Closing>,
    pub(super) usage: Usage,
    pub(super) delivery: Delivery,
    pub(super) end: Option<End>,
}

impl OutputState {
    /// Creates the state before the first token.
    ///
    /// # Errors
    ///
    /// The matcher rejects an option, the output cannot be closed within `max_tokens`, or the
    /// closing tag of the reasoning cannot be encoded.
    pub(super) fn new(
        params: GenerateParams,
        setup: Setup,
        seed: u64,
    ) -> Result<Self, GenerateError> {
        let end_tokens = setup.end_tokens(&params);
        let mut matcher = setup.matcher(&end_tokens)?;
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
        let closing_tag = setup.closing_tag(&params)?;
        let is_accepting = matcher.as_ref().is_some_and(Matcher::is_accepting);
        let text = Text::new(reading(&params, &setup), Stops::new(&params.stop), is_accepting);
        let delivery = delivery(&params, &setup);
        let Setup { vocabulary, prompt, .. } = setup;
        Ok(Self {
            adjust: Adjust::new(&params.logit_bias, params.penalties, &prompt),
            usage: Usage { prompt_tokens: prompt.len(), seed, ..Usage::default() },
            params,
            vocabulary,
            end_tokens,
            matcher,
            sequence: Sequence::new(prompt),
            text,
            closing_tag,
            closing,
            delivery,
            end: None,
        })
    }

    /// Whether the matcher allows the output to end here. False without a grammar.
    fn is_accepting(&self) -> bool {
        self.matcher.as_ref().is_some_and(Matcher::is_accepting)
    }

    /// Returns the number of tokens of the output so far.
    pub(super) fn tokens(&self) -> usize {
        self.text.log.len()
    }

    /// Whether the output has ended and no requested log probability is missing.
    pub(super) fn is_finished(&self) -> bool {
        let Some(End { finish, .. }) = &self.end else { return false };
        let called_off = matches!(finish, Finish::Cancelled | Finish::Deadline);
        let is_observed = || self.sequence.observed() >= self.sequence.len();
        called_off || self.params.logprobs.is_none() || is_observed()
    }

    /// Returns the number of tokens and model calls so far.
    pub(super) fn usage(&self) -> Usage {
        Usage { completion_tokens: self.tokens(), ..self.usage }
    }

    /// Appends a token that the matcher has accepted. `forced` states that the model was not called
    /// for it.
    pub(super) fn push(&mut self, token: u32, forced: bool) {
        self.sequence.push(token);
        self.adjust.push(token);
        self.usage.forced_tokens += usize::from(forced);
        self.usage.reasoning_tokens += usize::from(self.delivery.is_reasoning());
        let is_accepting = self.is_accepting();
        self.text.push(token, &self.vocabulary, is_accepting);
    }

    /// Ends the output for the reason `finish`: at the position `at` if it is given, otherwise
    /// after the last token. With overshoot, the default is the last position at which the output
    /// may end.
    pub(super) fn end(&mut self, finish: Finish, at: Option<Place>) {
        let overshot = self.params.overshoots().then(|| self.text.last_end()).flatten();
        let at = at.or(overshot).unwrap_or_else(|| self.text.log.end());
        self.sequence.drop_drafts();
        self.end = Some(End { finish, at });
    }

    /// Sends the part of the output that stays, whatever tokens follow.
    pub(super) fn send(&mut self) {
        let may_overshoot = self.params.prob_limit.is_some() || self.params.overshoots();
        let to = match &self.end {
            Some(end) => end.at,
            None => self.text.stable_end(may_overshoot),
        };
        let end = self.end.as_ref().filter(|_| self.is_finished());
        let end = end.map(|end| (end.finish.clone(), self.usage()));
        self.delivery.send(&self.text.log, to, &self.vocabulary, end);
    }
}

/// Creates the byte-by-byte reading of an output that may end inside a token. `None` if no
/// parameter needs it.
fn reading(params: &GenerateParams, setup: &Setup) -> Option<Reading> {
    let by_bytes = params.overshoots() || !params.stop.is_empty();
    setup.grammars.whole.as_ref().filter(|_| by_bytes).map(Reading::new)
}

/// Creates the delivery of events for an output with these parameters.
fn delivery(params: &GenerateParams, setup: &Setup) -> Delivery {
    let tags = params.reasoning.as_ref().map(|reasoning| {
        (if setup.in_reasoning { "" } else { reasoning.open.as_str() }, reasoning.close.as_str())
    });
    let output = setup.grammars.output.as_ref();
    let splits = output.filter(|grammar| !grammar.artifact().meta().regions.is_empty());
    let mode = params.json_mode.as_ref().filter(|mode| mode.changes);
    let changes = mode.map(|mode| Changes::new(mode.schema.clone()));
    Delivery::new(Sender::new(splits, tags), changes)
}
