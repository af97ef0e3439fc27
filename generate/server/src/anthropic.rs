//! The endpoint `POST /v1/messages`: Anthropic's protocol with tools, whole and streamed. Also
//! `/v1/messages/count_tokens`.
//!
//! | file | contents |
//! | --- | --- |
//! | `input` | converts conversations and tools to the forms of chat completions |
//! | `reply` | builds the message for an output |
//! | `stream` | builds the events of a streamed message |
//!
//! Tests: `tests/protocol/cases/messages.json`.

mod input;
mod reply;
mod stream;

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use grammarc_generate::fair::Client;
use grammarc_generate::{Prompt, Reasoning};
use serde_json::{Map, Value, json};

use crate::app::{App, Wanted};
use crate::body::Body;
use crate::calls::Calls;
use crate::constraint::{self, Constrained, Reader};
use crate::error::ApiError;
use crate::fields::Fields;
use crate::functions::Tools;
use crate::log::Record;
use crate::{messages, sampling, sse};

use self::reply::Head;
use self::stream::Frames;

/// Names of fields that are accepted without effect.
const IGNORED: [&str; 8] = [
    "metadata",
    "service_tier",
    "context_management",
    "inference_geo",
    "cache_control",
    "diagnostics",
    "speed",
    "user_profile_id",
];

/// A parsed request for a message.
struct Request {
    wanted: Wanted,
    stream: bool,
    calls: Calls,
    ignored: Vec<&'static str>,
}

fn read(app: &App, client: Client, body: &[u8], counts: bool) -> Result<Request, ApiError> {
    let mut fields = Fields::of_body(body)?;
    fields.ignore(&IGNORED);
    fields.text("model")?;
    let max_tokens = fields.whole("max_tokens")?;
    if max_tokens.is_none() && !counts {
        return Err(fields.wrong("max_tokens", "it is missing"));
    }
    let stream = fields.flag("stream")?.unwrap_or(false);
    let (mut params, default_tokens) = sampling::params(&mut fields, app, max_tokens)?;
    if params.logprobs.is_some() {
        return Err(fields.wrong("x_grammarc", sampling::NO_MASS));
    }
    if let Some(texts) = fields.list("stop_sequences")? {
        let texts = texts.into_iter().map(|text| match text {
            Value::String(text) => Ok(text),
            _ => Err(fields.wrong("stop_sequences", "it is no list of strings")),
        });
        params.stop.extend(texts.collect::<Result<Vec<_>, _>>()?);
    }
    if let Some(thinking) = fields.object("thinking")? {
        params.reasoning = reasoning(thinking, params.reasoning.take())?;
    }
    let constraint = format(app, &mut fields)?;
    let given = input::tools(fields.list("tools")?.unwrap_or_default())?;
    let (choice, parallel) = match fields.object("tool_choice")? {
        Some(choice) => input::tool_choice(choice)?,
        None => (None, true),
    };
    let tools = Tools::read(app, &mut fields, given, choice, parallel)?;
    let held = constraint::resolve(app, constraint, &tools, &mut params)?;
    let system = fields.value("system");
    let given = fields.list("messages")?;
    let given = given.ok_or_else(|| fields.wrong("messages", "it is missing"))?;
    let calls = tools.calls(app);
    let conversation = input::messages(system, given)?;
    // If the assistant has the last message, this message is the start of the answer.
    let goes_on = conversation.last().is_some_and(|last| last["role"] == "assistant");
    let chat = messages::chat(app, conversation, goes_on, tools.shown, Map::new())?;
    let ignored = fields.finish()?;
    let (prompt, constrained_by) = (Prompt::Chat(chat), held.field);
    let wanted = Wanted { client, prompt, params, choices: 1, default_tokens, constrained_by };
    Ok(Request { wanted, stream, calls, ignored })
}

/// Reads the field `thinking`: the reasoning with its maximum number of tokens. `None` if thinking
/// is disabled.
fn reasoning(
    mut thinking: Fields,
    configured: Option<Reasoning>,
) -> Result<Option<Reasoning>, ApiError> {
    let words = [("enabled", true), ("adaptive", true), ("disabled", false)];
    let wrong = "it is none of `enabled`, `adaptive` and `disabled`";
    let enabled = thinking.word("type", &words, wrong)?;
    let enabled = enabled.ok_or_else(|| thinking.wrong("type", "it is missing"))?;
    let budget = thinking.whole("budget_tokens")?;
    thinking.ignore(&["display"]);
    thinking.finish()?;
    let max_tokens = budget.map(|tokens| tokens as usize);
    Ok(enabled.then(|| Reasoning { max_tokens, ..configured.unwrap_or_default() }))
}

/// Reads the constraint on the output from `output_config.format`, from its older name
/// `output_format`, or from a field that all endpoints accept. `None` if there is none.
fn format(app: &App, fields: &mut Fields) -> Result<Option<Constrained>, ApiError> {
    let reader = Reader { app };
    let mut found = reader.read(fields)?;
    if let Some(mut config) = fields.object("output_config")? {
        found = reader.own_format(found, &mut config, "format")?;
        config.ignore(&["effort"]);
        config.finish()?;
    }
    reader.own_format(found, fields, "output_format")
}

/// Serves a request for a message.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    Extension(record): Extension<Record>,
    Extension(client): Extension<Client>,
    Body(body): Body,
) -> Response {
    let replied = message(app, record, client, body).await;
    replied.unwrap_or_else(|error| reply::error(&error))
}

async fn message(
    app: Arc<App>,
    record: Record,
    client: Client,
    body: axum::body::Bytes,
) -> Result<Response, ApiError> {
    let request = app.work(move |app| read(app, client, &body, false)).await?;
    let Request { wanted, stream, calls, ignored } = request;
    let (number, _) = app.request();
    record.set_id(format!("msg_{number}"));
    let model = app.options.model.clone();
    let started = app.start(wanted).await?.with(record, &calls);
    let head = Head { number, model, prompt_tokens: started.prompt_tokens };
    let refused = started.refused.clone();
    let response = if stream {
        sse::response(Frames::new(head, refused.clone()), started)
    } else {
        let mut outputs = sse::collect(started).await?;
        let whole = head.whole(&outputs.swap_remove(0));
        Json(crate::reply::listing_refused(whole, &refused)).into_response()
    };
    let response = crate::reply::with_refused(response, &refused);
    Ok(crate::reply::with_ignored(response, &ignored))
}

/// Serves a request that asks for the number of tokens of its prompt.
pub(crate) async fn count_tokens(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(body): Body,
) -> Response {
    let count = move |app: &Arc<App>| {
        let request = read(app, client, &body, true)?;
        Ok(app.backend.tokens(&request.wanted.prompt)?.tokens.len())
    };
    match app.work(count).await {
        Ok(tokens) => Json(json!({"input_tokens": tokens})).into_response(),
        Err(error) => reply::error(&error),
    }
}
