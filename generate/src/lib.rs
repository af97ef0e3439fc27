//! Generation under grammars: takes a prompt and a model, and returns an output that matches the
//! request.
//!
//! | module | contents |
//! | --- | --- |
//! | [`backend`], [`local`], [`function`] | backends: the interface; a model in this process; a function |
//! | [`params`] | parameters: how tokens are drawn, what the output must match, where it ends |
//! | [`json_mode`] | requirements on JSON outputs, during and after the generation |
//! | [`grammar`], [`grammars`] | grammars as sources; grammars compiled for the model's vocabulary |
//! | [`decoder`] | generates one output, token by token; the host runs the model |
//! | [`engine`] | generates many outputs with one model, in batches |
//! | [`model`] | the interface of models: tokens in, logits out |
//! | [`encode`], [`chat`] | convert texts and conversations to tokens |
//! | [`constraint`] | masks for a host with its own sampler |
//! | `sampling` | draws a token from a row of logits |
//! | [`output`] | events, and whole outputs |
//! | [`error`] | why a generation failed |
//!
//! Tests: `tests/json_mode.rs`, and unit tests in each module.

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

/// The examples of this crate's documentation page, which are compiled and run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/generation.md")]
struct Page;
