//! Errors of generations.

use grammarc_json::JsonError;
use grammarc_runtime::error::{AcceptError, BufferError, OptionsError};

use crate::chat::ChatError;
use crate::grammars::GrammarError;
use crate::model::ModelError;
use crate::params::ParamsError;

/// The reason why a generation failed.
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
    /// The options of the matcher do not fit the vocabulary.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// The model returned a row of logits of another length than it declared.
    #[error(transparent)]
    Row(#[from] BufferError),
    /// With [`OnLength::Close`](crate::OnLength::Close): the shortest text of the grammar has more
    /// tokens than `max_tokens`.
    #[error(
        "max_tokens: {max_tokens} tokens are too few: the shortest text of the grammar takes {least}"
    )]
    TooFewTokens {
        /// Number of tokens that the shortest text takes.
        least: usize,
        /// Maximum number of tokens of the output.
        max_tokens: usize,
    },
    /// With [`OnLength::Close`](crate::OnLength::Close): no text of the grammar that ends within a
    /// megabyte was found, so the output cannot be closed.
    #[error(
        "on_length: no end of the grammar's text was found within a megabyte, so it cannot be closed; truncate it, or bound what the grammar repeats"
    )]
    NoEnding,
    /// The prompt has no tokens.
    #[error("the prompt has no tokens; it needs at least the token that begins a text")]
    EmptyPrompt,
    /// The chat template could not convert the conversation to a prompt.
    #[error(transparent)]
    Chat(ChatError),
    /// The tokenizer cannot encode the prompt.
    #[error("the tokenizer cannot spell the prompt")]
    Prompt,
    /// The prompt and `max_tokens` together exceed the context of the model.
    #[error(
        "a prompt of {prompt} tokens and an output of {max_tokens} do not fit the model's context of {context}"
    )]
    Context {
        /// Number of tokens of the prompt.
        prompt: usize,
        /// Maximum number of tokens of the output.
        max_tokens: usize,
        /// Maximum number of tokens of a sequence of the model.
        context: usize,
    },
    /// The grammar allows no token, and the output may not end. This happens if the vocabulary
    /// cannot spell any text of the grammar.
    #[error("after {tokens} tokens no token is allowed and the text may not end")]
    DeadEnd {
        /// Number of tokens of the output before the dead end.
        tokens: usize,
    },
    /// The logit of every allowed token is negative infinity or NaN.
    #[error(
        "after {tokens} tokens every allowed token has the logit minus infinity or none at all"
    )]
    NoLogits {
        /// Number of tokens of the output before this row of logits.
        tokens: usize,
    },
    /// The matcher did not accept an allowed token, because one of its limits is exceeded.
    #[error(transparent)]
    Accept(#[from] AcceptError),
    /// The output is not the JSON that the request asked for.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The first token did not come before the deadline of the output.
    #[error("no token came within the time that the output has")]
    Late,
    /// The thread that runs the model has ended.
    #[error("the engine that runs the model has ended")]
    Closed,
    /// The queue of waiting generations is full, or the client's share of it.
    #[error("{waiting} generations wait already")]
    Busy {
        /// Number of waiting generations.
        waiting: usize,
    },
    /// The backend's server or function failed.
    #[error(transparent)]
    Backend(Box<dyn std::error::Error + Send + Sync>),
    /// The backend does not support a parameter.
    #[error("{what}: this backend {why}")]
    Unsupported {
        /// Name of the parameter.
        what: &'static str,
        /// The reason, as the predicate of a sentence about the backend.
        why: &'static str,
    },
}
