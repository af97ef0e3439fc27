//! The results of a generation: events as it goes, and one output in the end.

use grammarc_json::{Change, Edit};
use serde_json::Value;

/// Something that a generation tells. Texts are whole characters, and never taken back.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// More of the output's text.
    Text(String),
    /// More of the reasoning before it.
    Reasoning(String),
    /// A tool is called: the first event of a call.
    Call {
        /// The place of the call in the output, from 0.
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
    /// Changes in the value of a JSON text, if JSON mode tells them: behind the text that has changed it.
    Changed(Vec<Change>),
    /// Tokens with their log probabilities, where these were asked for.
    Tokens(Vec<TokenLogprob>),
    /// The last event.
    Finished(Finished),
}

/// The end of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Why it ended.
    pub finish: Finish,
    /// The index of the call that the output ended within, if its beginning was sent.
    pub cut_call: Option<u32>,
    /// Its usage.
    pub usage: Usage,
}

/// Why a generation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model ended it, or nothing else could follow.
    Stop,
    /// A text among the stop strings came, which is not in the output.
    StopString(String),
    /// The allowed tokens were too unlikely. The output is a text of the grammar unless it had no tokens left.
    Unlikely,
    /// It had no tokens left.
    Length {
        /// It was closed: the output is a text of the grammar.
        closed: bool,
    },
    /// It took longer than it may.
    Deadline,
    /// It was called off.
    Cancelled,
}

impl Finish {
    /// Whether the output ended before its text did. It is no text of the grammar then.
    pub fn is_cut(&self) -> bool {
        matches!(self, Self::Length { closed: false } | Self::Deadline | Self::Cancelled)
    }

    /// The reason in one word where [`reason`](Self::reason) has none for it: `unlikely`.
    pub fn detail(&self) -> Option<&'static str> {
        (*self == Self::Unlikely).then_some("unlikely")
    }

    /// The `finish_reason` of an output without calls: `stop` or `length` as in OpenAI's protocol, or `deadline`.
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
    /// Tokens of the output, those that were cut from its text included.
    pub completion_tokens: usize,
    /// The tokens among them that the model was not asked for.
    pub forced_tokens: usize,
    /// The tokens among them before the end of the reasoning.
    pub reasoning_tokens: usize,
    /// How often the model was asked.
    pub model_calls: usize,
    /// The seed of the draws.
    pub seed: u64,
}

/// A token with its log probability.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenLogprob {
    /// The token.
    pub token: u32,
    /// Its natural logarithm; at least [`LEAST_LOGPROB`].
    pub logprob: f32,
    /// The model was not asked for it.
    pub forced: bool,
    /// The total probability of the tokens that the grammar allowed here; for a forced token, its own probability. `None` without a grammar.
    pub mass: Option<f32>,
    /// The likeliest tokens at its place, the likeliest first.
    pub top: Vec<(u32, f32)>,
}

/// The log probability of what is impossible or less likely than this: a number that JSON has, unlike negative infinity.
pub const LEAST_LOGPROB: f32 = -9999.0;

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// Its arguments: JSON, or the tags that the model's style has.
    pub arguments: String,
}

/// A whole output.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its text; in JSON mode the JSON alone, repaired where that was asked for.
    pub text: String,
    /// The reasoning before it.
    pub reasoning: String,
    /// Calls of tools, in their order: those that are whole.
    pub calls: Vec<ToolCall>,
    /// The call after those, if the output ended within it.
    pub cut_call: Option<ToolCall>,
    /// The value, in JSON mode; none where the output was not checked.
    pub value: Option<Value>,
    /// The changes of a repair.
    pub edits: Vec<Edit>,
    /// Log probabilities of its tokens, where they were asked for.
    pub logprobs: Vec<TokenLogprob>,
    /// Why it ended.
    pub finish: Finish,
    /// Its usage.
    pub usage: Usage,
    /// Facts that the caller should know, in words.
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
    /// Takes the next event.
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

    /// The output, once the last event came; none before.
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
