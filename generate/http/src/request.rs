//! Builds the body of a request.

use grammarc_generate::backend::{Chat, Prompt};
use grammarc_generate::{EarlyStop, Forced, GenerateError, GenerateParams, OnLength, Penalties};
use serde_json::{Value, json};

use crate::options::HttpOptions;

/// The second half of the error message for a parameter that the protocol lacks.
const UNKNOWN: &str = "speaks OpenAI's protocol, which does not have it";

/// Returns the body of a request for a prompt. Fails if the protocol cannot express the prompt or a
/// parameter.
pub(crate) fn body(
    options: &HttpOptions,
    prompt: Prompt,
    params: &GenerateParams,
) -> Result<Value, GenerateError> {
    refuse(params)?;
    let Chat { messages, tools, variables, begun } = chat(prompt)?;
    if !variables.is_empty() || !begun.is_empty() {
        return Err(unsupported(
            "prompt",
            "does not have the model's chat template, so that nothing is handed to it",
        ));
    }
    let mut body = json!({
        "model": options.model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
        "temperature": params.temperature,
        "top_p": params.top_p,
        options.max_tokens_field: params.max_tokens,
    });
    let fields = body.as_object_mut().expect("it was just made");
    let mut add = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    if !tools.is_empty() {
        add("tools", Value::from(tools));
    }
    if let Some(seed) = params.seed {
        add("seed", Value::from(seed));
    }
    if !params.stop.is_empty() {
        add("stop", Value::from(params.stop.clone()));
    }
    if params.penalties.frequency != 0.0 {
        add("frequency_penalty", json!(params.penalties.frequency));
    }
    if params.penalties.presence != 0.0 {
        add("presence_penalty", json!(params.penalties.presence));
    }
    if !params.logit_bias.is_empty() {
        let bias = params.logit_bias.iter().map(|(token, bias)| (token.to_string(), json!(bias)));
        add("logit_bias", Value::Object(bias.collect()));
    }
    if let Some(format) = response_format(options, params) {
        add("response_format", format);
    }
    Ok(body)
}

/// Returns the conversation of a prompt; a plain text becomes a user message. Fails for token ids
/// and rendered templates.
fn chat(prompt: Prompt) -> Result<Chat, GenerateError> {
    match prompt {
        Prompt::Chat(chat) => Ok(chat),
        Prompt::Text(text) => {
            let messages = vec![json!({"role": "user", "content": text})];
            Ok(Chat { messages, ..Chat::default() })
        }
        Prompt::Template(_) | Prompt::Tokens(_) => Err(unsupported(
            "prompt",
            "takes texts and conversations; the server has the tokenizer",
        )),
    }
}

/// Returns the `response_format` that requests JSON from the server. `None` if JSON mode is off,
/// unconstrained, or has a grammar of its own.
fn response_format(options: &HttpOptions, params: &GenerateParams) -> Option<Value> {
    let mode = params.json_mode.as_ref().filter(|_| options.response_format)?;
    if !mode.constrained_decoding || mode.grammar.is_some() {
        return None;
    }
    Some(match &mode.schema {
        None => json!({"type": "json_object"}),
        Some(schema) => json!({
            "type": "json_schema",
            "json_schema": {"name": "output", "schema": schema.value(), "strict": mode.closed},
        }),
    })
}

/// Fails if a parameter is set that the protocol lacks.
fn refuse(params: &GenerateParams) -> Result<(), GenerateError> {
    let Penalties { repetition, .. } = params.penalties;
    let unknown = [
        ("top_k", params.top_k != 0),
        ("min_p", params.min_p != 0.0),
        ("penalties.repetition", repetition != 1.0),
        ("end_tokens", params.end_tokens.is_some()),
        ("prob_limit", params.prob_limit.is_some()),
        ("early_stop", params.early_stop != EarlyStop::MustEnd),
        ("overshoot", params.overshoot),
        ("on_length", params.on_length != OnLength::Truncate),
        ("forced", !matches!(params.forced, Forced::Off | Forced::Canonical)),
        ("logprobs", params.logprobs.is_some()),
        ("reasoning", params.reasoning.is_some()),
        ("constraint", params.constraint.is_some()),
    ];
    match unknown.into_iter().find(|(_, given)| *given) {
        Some((what, _)) => Err(unsupported(what, UNKNOWN)),
        None => Ok(()),
    }
}

fn unsupported(what: &'static str, why: &'static str) -> GenerateError {
    GenerateError::Unsupported { what, why }
}
