//! Generates one output, token by token: takes logits, and returns tokens to feed and events. The
//! host runs the model.
//!
//! ```text
//!          ┌────────────── feed() ◄──────────────┐
//!   model ─┤                                     │
//!          └─ row ─► choose ─► accept ─► stops ─► forced runs ─► events
//! ```
//!
//! A decoder holds the tokens of its prompt and output, and the number of tokens that the model has
//! read. Its host feeds the tokens of [`Decoder::feed`] to the model and passes the rows of logits
//! to [`Decoder::choose`], until there is nothing to feed. A decoder neither runs a model nor
//! starts threads, so tests can drive it step by step.
//!
//! After each token, these conditions are checked in this order:
//!
//! | | the output ends if |
//! | --- | --- |
//! | 1 | an end token was drawn |
//! | 2 | only an end may follow; the model is not called |
//! | 3 | a stop string was generated, and the output may end before it |
//! | 4 | with [`EarlyStop::First`](crate::EarlyStop::First), it may end; with overshoot, it has left the grammar |
//! | 5 | `max_tokens` is reached, or the remaining tokens just suffice to close the output |
//!
//! Cost of a token besides its mask: linear in its bytes. Stop strings and overshoot add a byte
//! step of the grammar for each byte. [`OnLength::Close`](crate::OnLength::Close) adds a search for
//! a shortest text to the grammar's end.
//!
//! | file | contents |
//! | --- | --- |
//! | [`sequence`] | the tokens, and how many of them the model has read |
//! | [`text`] | the text, and the positions where it may end |
//! | [`delivery`] | the events |
//! | [`state`] | all of these, with the grammar and the end; [`ends`] has the checks |
//! | [`runs`], [`pick`] | adding forced tokens; drawing tokens |
//!
//! Tests: `tests.rs`; `candle/tests/smollm2.rs` with a real model.

mod canonical;
mod changes;
mod closing;
mod delivery;
mod ends;
mod log;
mod pick;
mod reading;
mod runs;
mod sender;
mod sequence;
mod setup;
mod state;
mod stops;
#[cfg(test)]
mod tests;
mod text;

use crate::error::GenerateError;
use crate::output::{Event, Finish, Usage};
use crate::params::GenerateParams;
use crate::sampling::{Draws, fresh_seed};

use self::pick::{Picker, observe};
use self::runs::ForcedRuns;
use self::state::OutputState;

pub use self::sequence::ToFeed;
pub use self::setup::{CompiledGrammars, Setup, longest_token};

/// The state of one output that is being generated.
pub struct Decoder {
    output: OutputState,
    runs: ForcedRuns,
    picker: Picker,
}

impl Decoder {
    /// Creates a decoder that is before the first token.
    ///
    /// # Errors
    ///
    /// A parameter is wrong, the prompt has no tokens, or the output cannot be closed within
    /// `max_tokens`.
    pub fn new(params: GenerateParams, setup: Setup) -> Result<Self, GenerateError> {
        params.check()?;
        if setup.prompt.is_empty() {
            return Err(GenerateError::EmptyPrompt);
        }
        let seed = params.seed.unwrap_or_else(fresh_seed);
        let picker = Picker::new(Draws::new(seed, setup.choice));
        let runs = ForcedRuns::new(params.forced, &setup);
        Ok(Self { output: OutputState::new(params, setup, seed)?, runs, picker })
    }

    /// Adds the tokens that the grammar forces before the first call of the model. If the grammar
    /// has only one text, the output ends.
    ///
    /// # Errors
    ///
    /// A limit of the matcher is exceeded.
    pub fn start(&mut self) -> Result<(), GenerateError> {
        if self.output.matcher.is_some() {
            self.output.look_for_end()?;
        }
        self.runs.force(&mut self.output)?;
        self.output.send();
        Ok(())
    }

    /// Returns the tokens that the model has to read next. `None` if the output has ended and no
    /// log probabilities of forced tokens are missing.
    pub fn feed(&self) -> Option<ToFeed<'_>> {
        if self.is_finished() {
            return None;
        }
        let sequence = &self.output.sequence;
        let all_rows = self.params().logprobs.is_some() || sequence.has_drafts();
        Some(sequence.to_feed(all_rows, self.finish().is_some()))
    }

    /// Records that the model has read the first `tokens` tokens of the last [`Decoder::feed`].
    pub fn fed(&mut self, tokens: usize) {
        self.output.sequence.feed(tokens);
    }

    /// Takes the rows of logits that [`Decoder::feed`] requested. Draws the next token from the
    /// last row, and adds all tokens that need no logits. Behind drafts, draws a token from each row
    /// as long as the drafts are what is drawn. The rows are modified.
    ///
    /// # Errors
    ///
    /// The length of a row is not the model's logit width, no token can be drawn, or a limit of the
    /// matcher is exceeded. The output has not ended in these cases, and cannot continue.
    pub fn choose<'r>(
        &mut self,
        rows: impl Iterator<Item = &'r mut [f32]>,
    ) -> Result<(), GenerateError> {
        let output = &mut self.output;
        output.usage.model_calls += 1;
        let mut rows = rows.collect::<Vec<_>>();
        let only_last = output.params.logprobs.is_none() && !output.sequence.has_drafts();
        if only_last {
            rows.drain(..rows.len().saturating_sub(1));
        }
        for (before, row) in (output.sequence.rows_from(only_last)..).zip(rows) {
            if let Some(token) = output.sequence.get(before + 1) {
                observe(output, before + 1, token, row);
            } else if output.end.is_none() {
                let drafted = output.sequence.next_draft();
                let Some(token) = self.picker.pick(output, row)? else {
                    output.give_up()?;
                    // Further rows are those of drafts, which are not what follows now.
                    break;
                };
                output.take(token, false)?;
                if drafted != Some(token) || !output.sequence.has_read(before + 1) {
                    self.runs.force(output)?;
                    break;
                }
            }
        }
        self.runs.draft(output);
        output.send();
        Ok(())
    }

    /// Ends the output at its last token, for the reason `finish`. Does nothing if the output has
    /// ended.
    pub fn stop(&mut self, finish: Finish) {
        if self.finish().is_none() {
            self.output.end(finish, None);
            self.output.send();
        }
    }

    /// Whether the output has ended and no tokens are left to feed.
    pub fn is_finished(&self) -> bool {
        self.output.is_finished()
    }

    /// Returns the reason why the output ended. `None` if it has not ended.
    pub fn finish(&self) -> Option<&Finish> {
        self.output.end.as_ref().map(|end| &end.finish)
    }

    /// Returns the events since the last call of this function.
    pub fn events(&mut self) -> Vec<Event> {
        self.output.delivery.take()
    }

    /// Returns the tokens of the output so far, without the prompt.
    pub fn tokens(&self) -> &[u32] {
        self.output.sequence.output()
    }

    /// Returns the number of tokens and model calls so far.
    pub fn usage(&self) -> Usage {
        self.output.usage()
    }

    /// Returns the parameters of the generation.
    pub fn params(&self) -> &GenerateParams {
        &self.output.params
    }
}
