//! Generation under grammars: takes a prompt and a model, returns an output that matches the request.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`backend`], [`local`], [`function`] | prompts to outputs, whatever the model; a model in this process; a function |
//! | [`params`] | how tokens are drawn, what they must spell, where an output ends |
//! | [`json_mode`] | JSON: while it is generated and after |
//! | [`grammar`], [`grammars`] | grammars as sources, and compiled for the model's vocabulary |
//! | [`decoder`] | one output, token by token, without a model |
//! | [`engine`] | many outputs of one model, in batches |
//! | [`model`] | what a model is: tokens in, logits out |
//! | [`encode`], [`chat`] | texts and conversations to tokens |
//! | [`constraint`] | a mask over a sampler of the caller's |
//! | `sampling` | a token from a row of logits |
//! | [`arguments`] | calls that are written as tags, as JSON |
//! | [`agents`], [`prompts`] | actions of agents; prompts by name and their responses |
//! | [`output`] | events, and whole outputs |
//! | [`error`] | why there is no output |
//!
//! Tests: `tests/json_mode.rs`, and unit tests in each room.

pub mod agents;
pub mod arguments;
pub mod backend;
mod background;
pub mod chat;
pub mod constraint;
pub mod decoder;
pub mod encode;
pub mod engine;
pub mod error;
pub mod fair;
pub mod function;
pub mod grammar;
pub mod grammars;
pub mod json_mode;
pub mod local;
pub mod model;
pub mod output;
pub mod params;
mod params_error;
pub mod prompts;
mod sampling;
#[cfg(test)]
mod testing;
mod unions;

pub use backend::{LlmBackend, Prompt};
pub use constraint::JsonConstraintDecoder;
pub use decoder::Decoder;
pub use error::GenerateError;
pub use function::FunctionBackend;
pub use grammar::Grammar;
pub use grammars::Grammars;
pub use json_mode::JsonModeConfig;
pub use local::Local;
pub use model::Model;
pub use output::{Event, Finish, Output};
pub use params::{
    EarlyStop, Forced, GenerateParams, Logprobs, OnLength, Penalties, ProbLimit, Reasoning,
};
pub use sampling::fresh_seed;

/// The examples of the page on this crate, which are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/generation.md")]
struct Page;

/// The examples of the page on prompts.
#[cfg(doctest)]
#[doc = include_str!("../../docs/prompts.md")]
struct PromptsPage;
