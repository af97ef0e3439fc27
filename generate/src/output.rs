//! The results of a generation: events during it, and one output at the end.

use grammarc_json::{Change, Edit};
use serde_json::Value;

/// An event of a generation. Texts are whole characters, and are never retracted.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// More of the output's text.
    Text(String),
    /// More of the reasoning before it.
    Reasoning(String),
    /// The start of a call of a tool.
    Call {
        /// Index of the call in the output, from 0.
        index: u32,
        /// The tool.
        name: String,
    },
    /// More of the arguments of a call.
    Arguments {
        /// The call.
        index: u32,
        /// The text that is added.
        delta: String,
    },
    /// Changes in the value of a JSON text, after the text that makes them. Only if JSON mode asks for them.
    Changed(Vec<Change>),
    /// Tokens with their log probabilities, if these were asked for.
    Tokens(Vec<TokenLogprob>),
    /// The last event.
    Finished(Finished),
}

/// The end of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// The reason of the end.
    pub finish: Finish,
    /// The index of the call that the output ended within, if the start of the call was sent.
    pub cut_call: Option<u32>,
    /// Its usage.
    pub usage: Usage,
}

/// The reason of a generation's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model ended the output, or only an end could follow.
    Stop,
    /// A stop string came. It is not in the output.
    StopString(String),
    /// The allowed tokens were too unlikely. The output is a text of the grammar unless it had no tokens left.
    Unlikely,
    /// The output reached `max_tokens`.
    Length {
        /// Whether the output was closed, and so is a text of the grammar.
        closed: bool,
    },
    /// The output met its time limit.
    Deadline,
    /// The output was cancelled.
    Cancelled,
}

impl Finish {
    /// Whether the output was truncated. It need not be a text of the grammar then.
    pub fn is_cut(&self) -> bool {
        matches!(self, Self::Length { closed: false } | Self::Deadline | Self::Cancelled)
    }

    /// Returns the reason in one word where [`reason`](Self::reason) has no word of its own for it: `unlikely`.
    pub fn detail(&self) -> Option<&'static str> {
        (*self == Self::Unlikely).then_some("unlikely")
    }

    /// Returns the `finish_reason` of an output without calls: `stop` or `length` as in OpenAI's protocol, or
    /// `deadline`.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Stop | Self::StopString(_) | Self::Unlikely => "stop",
            Self::Length { .. } | Self::Cancelled => "length",
            Self::Deadline => "deadline",
        }
    }
}

/// The usage of a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Number of tokens of the output, including those whose text was removed at the end.
    pub completion_tokens: usize,
    /// Number of these tokens that were added without a call of the model.
    pub forced_tokens: usize,
    /// Number of these tokens before the end of the reasoning.
    pub reasoning_tokens: usize,
    /// Number of calls of the model.
    pub model_calls: usize,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// A token with its log probability.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenLogprob {
    /// The token.
    pub token: u32,
    /// Natural logarithm of its probability, at least [`LEAST_LOGPROB`].
    pub logprob: f32,
    /// Whether the token was added without a call of the model.
    pub forced: bool,
    /// The total probability of the tokens that the grammar allowed here. For a forced token, its own probability.
    /// `None` without a grammar.
    pub mass: Option<f32>,
    /// The likeliest tokens at this position, the likeliest first.
    pub top: Vec<(u32, f32)>,
}

/// The log probability of impossible tokens and the least of all: JSON has no negative infinity.
pub const LEAST_LOGPROB: f32 = -9999.0;

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// Its arguments: JSON, or tags in the model's style.
    pub arguments: String,
}

/// A whole output.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its text. In JSON mode only the JSON, repaired if that is enabled.
    pub text: String,
    /// The reasoning before it.
    pub reasoning: String,
    /// The complete calls of tools, in their order.
    pub calls: Vec<ToolCall>,
    /// The last call, if the output ended within it.
    pub cut_call: Option<ToolCall>,
    /// The value in JSON mode. `None` if the output was not checked.
    pub value: Option<Value>,
    /// The edits of a repair.
    pub edits: Vec<Edit>,
    /// Log probabilities of its tokens, if they were asked for.
    pub logprobs: Vec<TokenLogprob>,
    /// The reason of its end.
    pub finish: Finish,
    /// Its usage.
    pub usage: Usage,
    /// Warnings for the caller, as text.
    pub warnings: Vec<String>,
}

/// Collects the events of a generation.
#[derive(Clone, Debug, Default)]
pub struct Collector {
    text: String,
    reasoning: String,
    calls: Vec<ToolCall>,
    logprobs: Vec<TokenLogprob>,
    finished: Option<Finished>,
}

impl Collector {
    /// Adds the next event.
    pub fn push(&mut self, event: Event) {
        match event {
            Event::Text(text) => self.text.push_str(&text),
            Event::Reasoning(text) => self.reasoning.push_str(&text),
            Event::Call { index, name } => {
                *self.call(index) = ToolCall { name, arguments: String::new() }
            }
            Event::Arguments { index, delta } => self.call(index).arguments.push_str(&delta),
            Event::Tokens(tokens) => self.logprobs.extend(tokens),
            // The value is made of the whole text.
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

    /// Returns the output. `None` if the last event has not come.
    pub fn finish(self) -> Option<Output> {
        let Self { text, reasoning, mut calls, logprobs, finished } = self;
        let Finished { finish, cut_call, usage } = finished?;
        // A call that is cut is the last.
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
