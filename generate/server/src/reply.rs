//! Parts of replies that several endpoints share: usage, log probabilities, and headers.

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use grammarc_compiler::frontend::structural_tag::{RefusedTool, ToolState};
use grammarc_generate::Finish;
use grammarc_generate::output::{TokenLogprob, Usage};
use grammarc_json::JsonSchema;
use serde_json::{Map, Value, json};

use crate::app::App;

/// The response header that lists the fields of a request without effect.
const IGNORED: HeaderName = HeaderName::from_static("x-grammarc-ignored");

/// The response header that lists the tools that the grammar leaves out.
const EXCLUDED: HeaderName = HeaderName::from_static("x-grammarc-excluded-tools");

/// The response header that lists the tools that the grammar does not enforce as a whole.
const LOOSENED: HeaderName = HeaderName::from_static("x-grammarc-loosened-tools");

/// Adds the headers with the tools that do not compile to a response, if there are any. A name with characters that a
/// header cannot have is written with `\u{...}` escapes.
pub(crate) fn with_refused(mut response: Response, refused: &[RefusedTool]) -> Response {
    for (header, is_left_out) in [(EXCLUDED, true), (LOOSENED, false)] {
        let tools = refused.iter().filter(|tool| is_left_out == (tool.state == ToolState::LeftOut));
        let names: Vec<String> = tools.map(|tool| tool.name.escape_default().to_string()).collect();
        if !names.is_empty()
            && let Ok(names) = HeaderValue::from_str(&names.join(", "))
        {
            response.headers_mut().insert(header, names);
        }
    }
    response
}

/// Adds the tools that do not compile to a reply, if there are any: as `x_grammarc.excluded_tools` those that the grammar
/// leaves out, and as `x_grammarc.loosened_tools` those that it does not enforce as a whole.
pub(crate) fn listing_refused(mut reply: Value, refused: &[RefusedTool]) -> Value {
    for RefusedTool { name, state, pointer, code, message } in refused {
        let mut tool = json!({"name": name, "pointer": pointer, "code": code, "message": message});
        let list = match state {
            ToolState::LeftOut => "excluded_tools",
            ToolState::Loosened | ToolState::AnyObject => {
                tool["state"] = json!(state.name());
                "loosened_tools"
            }
        };
        match &mut reply["x_grammarc"][list] {
            Value::Array(tools) => tools.push(tool),
            other => *other = json!([tool]),
        }
    }
    reply
}

/// Adds the header with the fields without effect to a response, if there are any.
pub(crate) fn with_ignored(mut response: Response, ignored: &[&'static str]) -> Response {
    if !ignored.is_empty()
        && let Ok(names) = HeaderValue::from_str(&ignored.join(", "))
    {
        response.headers_mut().insert(IGNORED, names);
    }
    response
}

/// Returns the usage object for the outputs of a request: the sums of their counts. `prompt_tokens`
/// is counted once.
pub(crate) fn usage(prompt_tokens: usize, all: impl IntoIterator<Item = Usage>) -> Value {
    let mut sum = Usage { prompt_tokens, ..Usage::default() };
    for one in all {
        sum.completion_tokens += one.completion_tokens;
        sum.forced_tokens += one.forced_tokens;
        sum.reasoning_tokens += one.reasoning_tokens;
        sum.model_calls += one.model_calls;
        sum.seed = one.seed;
    }
    json!({
        "prompt_tokens": sum.prompt_tokens,
        "completion_tokens": sum.completion_tokens,
        "total_tokens": sum.prompt_tokens + sum.completion_tokens,
        "completion_tokens_details": {"reasoning_tokens": sum.reasoning_tokens},
        "x_forced_tokens": sum.forced_tokens,
        "x_model_calls": sum.model_calls,
        "x_seed": sum.seed,
    })
}

/// Returns tokens with their log probabilities in the form of chat completions.
pub(crate) fn logprobs(app: &App, tokens: &[TokenLogprob]) -> Value {
    let vocabulary = app.backend.vocabulary();
    let one = |token: u32, logprob: f32| {
        let bytes = vocabulary.token_bytes(token);
        json!({"token": String::from_utf8_lossy(bytes), "logprob": logprob, "bytes": bytes})
    };
    let content = tokens.iter().map(|token| {
        let top = token.top.iter().map(|&(token, logprob)| one(token, logprob));
        let mut entry = one(token.token, token.logprob);
        entry["top_logprobs"] = top.collect();
        entry["x_forced"] = Value::from(token.forced);
        entry
    });
    json!({"content": content.collect::<Vec<_>>(), "refusal": null})
}

/// Returns, for each token, the total probability of the tokens that the mask allowed there. Null
/// for a token without a grammar. Sent in `x_grammarc`.
pub(crate) fn mass(tokens: &[TokenLogprob]) -> Value {
    tokens.iter().map(|token| token.mass.map_or(Value::Null, Value::from)).collect()
}

/// Returns the `finish_reason` of OpenAI's protocol for an output with `calls` complete tool calls.
/// A truncated call does not count.
pub(crate) fn finish_reason(finish: &Finish, calls: usize) -> &'static str {
    match finish.reason() {
        "stop" if calls > 0 => "tool_calls",
        reason => reason,
    }
}

/// Returns the fields of `x_grammarc` at the end of a chat output. These are `closed`, `finish`,
/// the `violations` of its schema, and `cut_call`, the index of a truncated call. `None` if there
/// are none.
pub(crate) fn own(
    app: &App,
    finish: &Finish,
    text: &str,
    calls: usize,
    schema: Option<&JsonSchema>,
    cut_call: Option<u32>,
) -> Option<Value> {
    let mut own = Map::new();
    if let Some(violations) = violations(finish, text, calls, schema) {
        app.metrics.invalid();
        own.insert("violations".to_owned(), Value::from(violations));
    }
    if *finish == (Finish::Length { closed: true }) {
        own.insert("closed".to_owned(), Value::from(true));
    }
    if let Some(detail) = finish.detail() {
        own.insert("finish".to_owned(), Value::from(detail));
    }
    if let Some(index) = cut_call {
        own.insert("cut_call".to_owned(), Value::from(index));
    }
    (!own.is_empty()).then_some(Value::Object(own))
}

/// Adds how calls of loosened tools violate their schemas to the fields of `x_grammarc`, if they do.
pub(crate) fn with_violations(own: Option<Value>, violations: Option<String>) -> Option<Value> {
    let Some(violations) = violations else { return own };
    let mut own = own.unwrap_or_else(|| json!({}));
    own["violations"] = Value::from(violations);
    Some(own)
}

/// Returns how a complete output violates its schema. This concerns formats, and keywords that
/// grammars only approximate. `None` if it is valid, truncated, has tool calls, or has no schema.
fn violations(
    finish: &Finish,
    text: &str,
    calls: usize,
    schema: Option<&JsonSchema>,
) -> Option<String> {
    let schema = schema.filter(|_| !finish.is_cut() && calls == 0)?;
    match grammarc_json::parse(text) {
        Ok(value) => schema.validate(&value).err().map(|error| error.to_string()),
        Err(error) => Some(error.to_string()),
    }
}
