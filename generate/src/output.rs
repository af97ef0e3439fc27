//! The results of a generation: events while it runs, and one output at its end.

use grammarc_calls::Part;
use grammarc_json::{Change, Edit};
use serde_json::Value;

/// An event of a generation. Texts consist of whole characters and are never retracted.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The next part of the output's text.
    Text(String),
    /// The next part of the reasoning, which precedes the output.
    Reasoning(String),
    /// The start of a tool call.
    Call {
        /// Index of the call in the output, from 0.
        index: u32,
        /// Name of the tool.
        name: String,
    },
    /// The next part of the arguments of a tool call.
    Arguments {
        /// Index of the call in the output, from 0.
        index: u32,
        /// The text to append to the arguments.
        delta: String,
    },
    /// Changes of the JSON value, sent after the text that causes them. Only sent if JSON mode asks
    /// for changes.
    Changed(Vec<Change>),
    /// Tokens with their log probabilities. Only sent if log probabilities are requested.
    Tokens(Vec<TokenLogprob>),
    /// The end of the generation, always the last event.
    Finished(Finished),
}

impl From<Part> for Event {
    fn from(part: Part) -> Self {
        match part {
            Part::Text(text) => Self::Text(text),
            Part::Reasoning(text) => Self::Reasoning(text),
            Part::Call { index, name } => Self::Call { index, name },
            Part::Arguments { index, delta } => Self::Arguments { index, delta },
        }
    }
}

impl TryFrom<Event> for Part {
    type Error = Event;

    /// Returns the event itself if it is no part of the output.
    fn try_from(event: Event) -> Result<Self, Event> {
        match event {
            Event::Text(text) => Ok(Self::Text(text)),
            Event::Reasoning(text) => Ok(Self::Reasoning(text)),
            Event::Call { index, name } => Ok(Self::Call { index, name }),
            Event::Arguments { index, delta } => Ok(Self::Arguments { index, delta }),
            Event::Changed(_) | Event::Tokens(_) | Event::Finished(_) => Err(event),
        }
    }
}

/// The result at the end of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The reason why the generation ended.
    pub finish: Finish,
    /// Index of the tool call within which the output ended. `None` if it ended outside a call, or
    /// the call's start was not sent.
    pub cut_call: Option<u32>,
    /// The number of tokens and model calls that the generation took.
    pub usage: Usage,
}

/// The reason why a generation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model chose an end token, or the grammar allowed only an end.
    Stop,
    /// The output reached this stop string. The stop string is not part of the output.
    StopString(String),
    /// The tokens that the grammar allowed were too unlikely ([`ProbLimit`](crate::ProbLimit)). The
    /// output still matches the grammar, unless `max_tokens` left no room to close it.
    Unlikely,
    /// The output reached `max_tokens`.
    Length {
        /// Whether the output was closed by a shortest text, and so matches the grammar.
        closed: bool,
    },
    /// The output reached its time limit.
    Deadline,
    /// The output was cancelled.
    Cancelled,
}

impl Finish {
    /// Whether the output was truncated, so that it need not match the grammar.
    pub fn is_cut(&self) -> bool {
        matches!(self, Self::Length { closed: false } | Self::Deadline | Self::Cancelled)
    }

    /// Returns a more precise word for a reason that [`reason`](Self::reason) does not distinguish:
    /// `unlikely`. `None` for other reasons.
    pub fn detail(&self) -> Option<&'static str> {
        (*self == Self::Unlikely).then_some("unlikely")
    }

    /// Returns the `finish_reason` for an output without tool calls: `stop` or `length` as in
    /// OpenAI's protocol, or `deadline`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Stop | Self::StopString(_) | Self::Unlikely => "stop",
            Self::Length { .. } | Self::Cancelled => "length",
            Self::Deadline => "deadline",
        }
    }
}

/// The number of tokens and model calls that a generation took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Number of tokens of the prompt.
    pub prompt_tokens: usize,
    /// Number of tokens of the output, including tokens whose text was removed at the end.
    pub completion_tokens: usize,
    /// Number of the output's tokens that were added without a call of the model.
    pub forced_tokens: usize,
    /// Number of the output's tokens up to the end of the reasoning.
    pub reasoning_tokens: usize,
    /// Number of calls of the model.
    pub model_calls: usize,
    /// The seed of the generation's random numbers.
    pub seed: u64,
}

/// A token of the output with its log probability.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenLogprob {
    /// The id of the token.
    pub token: u32,
    /// Natural logarithm of the token's probability, at least [`LEAST_LOGPROB`].
    pub logprob: f32,
    /// Whether the token was added without a call of the model.
    pub forced: bool,
    /// The total probability of all tokens that the grammar allowed at this position. For a forced
    /// token, the token's own probability. `None` without a grammar.
    pub mass: Option<f32>,
    /// The likeliest tokens at this position, as pairs (token id, log probability), the likeliest
    /// first.
    pub top: Vec<(u32, f32)>,
}

/// The log probability that is reported for an impossible token, and the lower bound for all
/// others. It replaces negative infinity, which JSON lacks.
pub const LEAST_LOGPROB: f32 = -9999.0;

/// A tool call in an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// Name of the tool.
    pub name: String,
    /// The arguments of the call: JSON, or tags in the model's style.
    pub arguments: String,
}

/// The whole output of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The text of the output. In JSON mode, only the JSON, repaired if that is enabled.
    pub text: String,
    /// The text of the reasoning before the output. Empty without reasoning.
    pub reasoning: String,
    /// The complete tool calls, in their order.
    pub calls: Vec<ToolCall>,
    /// The incomplete last tool call, if the output ended within it.
    pub cut_call: Option<ToolCall>,
    /// The value of the output in JSON mode. `None` if the output was not parsed.
    pub value: Option<Value>,
    /// The edits that repaired the output. Empty without a repair.
    pub edits: Vec<Edit>,
    /// The log probabilities of the output's tokens. Empty unless they are requested.
    pub logprobs: Vec<TokenLogprob>,
    /// The reason why the generation ended.
    pub finish: Finish,
    /// The number of tokens and model calls that the generation took.
    pub usage: Usage,
    /// Warnings for the caller, as text.
    pub warnings: Vec<String>,
}

/// Collects the events of a generation into an output.
#[derive(Clone, Debug, Default)]
pub struct Collector {
    text: String,
    reasoning: String,
    calls: Vec<ToolCall>,
    logprobs: Vec<TokenLogprob>,
    finished: Option<Finished>,
}

impl Collector {
    /// Adds the next event of the generation.
    pub fn push(&mut self, event: Event) {
        match event {
            Event::Text(text) => self.text.push_str(&text),
            Event::Reasoning(text) => self.reasoning.push_str(&text),
            Event::Call { index, name } => {
                *self.call(index) = ToolCall { name, arguments: String::new() }
            }
            Event::Arguments { index, delta } => self.call(index).arguments.push_str(&delta),
            Event::Tokens(tokens) => self.logprobs.extend(tokens),
            // The value is parsed from the whole text at the end.
            Event::Changed(_) => {}
            Event::Finished(finished) => self.finished = Some(finished),
        }
    }

    fn call(&mut self, index: u32) -> &mut ToolCall {
        let index = index as usize;
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, ToolCall::default);
        }
        &mut self.calls[index]
    }

    /// Returns the output. `None` if the last event is missing.
    pub fn finish(self) -> Option<Output> {
        let Self { text, reasoning, mut calls, logprobs, finished } = self;
        let Finished { finish, cut_call, usage } = finished?;
        // A truncated call is always the last one.
        let cut_call = match cut_call {
            Some(index) if index as usize + 1 == calls.len() => calls.pop(),
            _ => None,
        };
        let (value, edits, warnings) = (None, Vec::new(), Vec::new());
        Some(Output {
            text,
            reasoning,
            calls,
            cut_call,
            value,
            edits,
            logprobs,
            finish,
            usage,
            warnings,
        })
    }
}
