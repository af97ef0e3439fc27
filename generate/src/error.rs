//! Why there is no output.

use grammarc_json::JsonError;
use grammarc_runtime::error::{AcceptError, BufferError, OptionsError};

use crate::chat::ChatError;
use crate::grammars::GrammarError;
use crate::model::ModelError;
use crate::params_error::ParamsError;

/// An error of a generation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A parameter that cannot be met.
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
    /// The shortest text of the grammar takes more tokens than there are.
    #[error(
        "max_tokens: {max_tokens} tokens are too few: the shortest text of the grammar takes {least}"
    )]
    TooFewTokens {
        /// Tokens of the shortest text.
        least: usize,
        /// Tokens that there are.
        max_tokens: usize,
    },
    /// No way to an end of the grammar's text was found, so that it cannot be closed.
    #[error(
        "on_length: no end of the grammar's text was found within a megabyte, so it cannot be closed; truncate it, or bound what the grammar repeats"
    )]
    NoEnding,
    /// A prompt without tokens.
    #[error("the prompt has no tokens; it needs at least the token that begins a text")]
    EmptyPrompt,
    /// The chat template.
    #[error(transparent)]
    Chat(ChatError),
    /// A prompt that the tokenizer cannot spell.
    #[error("the tokenizer cannot spell the prompt")]
    Prompt,
    /// The prompt and the output do not fit the model.
    #[error(
        "a prompt of {prompt} tokens and an output of {max_tokens} do not fit the model's context of {context}"
    )]
    Context {
        /// Tokens of the prompt.
        prompt: usize,
        /// Most tokens of the output.
        max_tokens: usize,
        /// Most tokens of a sequence.
        context: usize,
    },
    /// The grammar allows no token, and its text may not end. Such a grammar has texts that the vocabulary cannot spell.
    #[error("after {tokens} tokens no token is allowed and the text may not end")]
    DeadEnd {
        /// Tokens of the output.
        tokens: usize,
    },
    /// No allowed token has a logit that is a number.
    #[error(
        "after {tokens} tokens every allowed token has the logit minus infinity or none at all"
    )]
    NoLogits {
        /// Tokens of the output.
        tokens: usize,
    },
    /// A token that the mask allows was not accepted, for a limit of the matcher.
    #[error(transparent)]
    Accept(#[from] AcceptError),
    /// The output is not what was asked for.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// No token came within the time of the output.
    #[error("no token came within the time that the output has")]
    Late,
    /// The engine that runs the model has ended.
    #[error("the engine that runs the model has ended")]
    Closed,
    /// Too many generations wait already.
    #[error("{waiting} generations wait already")]
    Busy {
        /// How many.
        waiting: usize,
    },
    /// The backend failed: the server that it asks, or the function that it calls.
    #[error(transparent)]
    Backend(Box<dyn std::error::Error + Send + Sync>),
    /// The backend cannot do this.
    #[error("{what}: this backend {why}")]
    Unsupported {
        /// The parameter.
        what: &'static str,
        /// Why not.
        why: &'static str,
    },
}
