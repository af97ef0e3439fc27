//! Errors of generations.

use grammarc_json::JsonError;
use grammarc_runtime::error::{AcceptError, BufferError, OptionsError};

use crate::chat::ChatError;
use crate::grammars::GrammarError;
use crate::model::ModelError;
use crate::params::ParamsError;

/// An error of a generation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A parameter is wrong or unsupported.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// The grammar does not compile.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The options do not fit the vocabulary.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The row of logits is not as wide as the model said.
    #[error(transparent)]
    Row(#[from] BufferError),
    /// The shortest text of the grammar has more tokens than `max_tokens`.
    #[error(
        "max_tokens: {max_tokens} tokens are too few: the shortest text of the grammar takes {least}"
    )]
    TooFewTokens {
        /// Number of tokens of the shortest text.
        least: usize,
        /// Maximum number of tokens of the output.
        max_tokens: usize,
    },
    /// The search found no text of the grammar within a megabyte, so the output cannot be closed.
    #[error(
        "on_length: no end of the grammar's text was found within a megabyte, so it cannot be closed; truncate it, or bound what the grammar repeats"
    )]
    NoEnding,
    /// The prompt has no tokens.
    #[error("the prompt has no tokens; it needs at least the token that begins a text")]
    EmptyPrompt,
    /// The chat template failed.
    #[error(transparent)]
    Chat(ChatError),
    /// The tokenizer cannot spell the prompt.
    #[error("the tokenizer cannot spell the prompt")]
    Prompt,
    /// The prompt and the output do not fit the model.
    #[error(
        "a prompt of {prompt} tokens and an output of {max_tokens} do not fit the model's context of {context}"
    )]
    Context {
        /// Number of tokens of the prompt.
        prompt: usize,
        /// Maximum number of tokens of the output.
        max_tokens: usize,
        /// Maximum number of tokens of a sequence.
        context: usize,
    },
    /// The grammar allows no token, and its text may not end here. The vocabulary cannot spell the texts of such a
    /// grammar.
    #[error("after {tokens} tokens no token is allowed and the text may not end")]
    DeadEnd {
        /// Number of tokens of the output.
        tokens: usize,
    },
    /// No allowed token has a logit that is a number.
    #[error(
        "after {tokens} tokens every allowed token has the logit minus infinity or none at all"
    )]
    NoLogits {
        /// Number of tokens of the output.
        tokens: usize,
    },
    /// The matcher met a limit and did not accept an allowed token.
    #[error(transparent)]
    Accept(#[from] AcceptError),
    /// The output does not match the request.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The first token did not come before the deadline.
    #[error("no token came within the time that the output has")]
    Late,
    /// The engine that runs the model has ended.
    #[error("the engine that runs the model has ended")]
    Closed,
    /// The queue of generations is full.
    #[error("{waiting} generations wait already")]
    Busy {
        /// Number of generations that wait.
        waiting: usize,
    },
    /// The backend failed: its server, or its function.
    #[error(transparent)]
    Backend(Box<dyn std::error::Error + Send + Sync>),
    /// The backend does not support a parameter.
    #[error("{what}: this backend {why}")]
    Unsupported {
        /// The parameter.
        what: &'static str,
        /// The reason.
        why: &'static str,
    },
}
