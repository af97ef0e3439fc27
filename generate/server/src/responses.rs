//! The endpoint `POST /v1/responses`: generations in OpenAI's protocol of responses. The server
//! stores no conversations, so each request contains its own.
//!
//! Tests: `tests/protocol/cases/responses.json`.

mod head;
mod input;
mod stream;

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use grammarc_generate::Prompt;
use grammarc_generate::fair::Client;
use serde_json::{Map, Value};

use crate::app::{App, Wanted};
use crate::body::Body;
use crate::calls::Calls;
use crate::constraint::{self, Reader};
use crate::error::ApiError;
use crate::fields::Fields;
use crate::functions::Tools;
use crate::log::Record;
use crate::{messages, reply, sampling, sse};

use self::head::Head;
use self::stream::Frames;

/// Names of fields that are accepted without effect.
const IGNORED: [&str; 11] = [
    "user",
    "store",
    "service_tier",
    "reasoning",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "include",
    "truncation",
    "max_tool_calls",
    "background",
];

/// A parsed request for a response.
struct Request {
    wanted: Wanted,
    stream: bool,
    calls: Calls,
    /// The fields of the request that the response repeats.
    repeated: Map<String, Value>,
    ignored: Vec<&'static str>,
}

fn read(app: &App, client: Client, body: &[u8]) -> Result<Request, ApiError> {
    let mut fields = Fields::of_body(body)?;
    let repeated = head::repeated(&fields);
    fields.value("metadata");
    fields.ignore(&IGNORED);
    fields.text("model")?;
    for name in ["previous_response_id", "conversation", "prompt"] {
        if fields.value(name).is_some() {
            return Err(fields
                .wrong(name, "nothing is stored here; send the whole conversation as `input`"));
        }
    }
    let stream = fields.flag("stream")?.unwrap_or(false);
    fields.object("stream_options")?;
    let max_tokens = fields.whole("max_output_tokens")?;
    let (mut params, default_tokens) = sampling::params(&mut fields, app, max_tokens)?;
    if params.logprobs.is_some() {
        return Err(fields.wrong("x_grammarc", sampling::NO_MASS));
    }
    let reader = Reader { app };
    let mut constraint = reader.read(&mut fields)?;
    if let Some(mut text) = fields.object("text")? {
        text.ignore(&["verbosity"]);
        constraint = reader.own_format(constraint, &mut text, "format")?;
        text.finish()?;
    }
    let given = fields.list("tools")?.unwrap_or_default();
    input::refuse_tools_of_hosts(&given)?;
    let choice = fields.value("tool_choice");
    let parallel = fields.flag("parallel_tool_calls")?.unwrap_or(true);
    let tools = Tools::read(app, &mut fields, given, choice, parallel)?;
    let held = constraint::resolve(app, constraint, &tools, &mut params)?;
    let instructions = fields.text("instructions")?;
    let given = fields.value("input").ok_or_else(|| fields.wrong("input", "it is missing"))?;
    let calls = tools.calls(app);
    let conversation = input::messages(instructions, given)?;
    let prompt = Prompt::Chat(messages::chat(app, conversation, false, tools.shown, Map::new())?);
    let ignored = fields.finish()?;
    let constrained_by = held.field;
    let wanted = Wanted { client, prompt, params, choices: 1, default_tokens, constrained_by };
    Ok(Request { wanted, stream, calls, repeated, ignored })
}

/// Serves a request for a response.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    Extension(record): Extension<Record>,
    Extension(client): Extension<Client>,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let request = app.work(move |app| read(app, client, &body)).await?;
    let Request { wanted, stream, calls, repeated, ignored } = request;
    let (number, created) = app.request();
    record.set_id(format!("resp_{number}"));
    let head = Head { number, created, model: app.options.model.clone(), calls, repeated };
    let started = app.start(wanted).await?;
    let started = started.with(record, &head.calls);
    let refused = started.refused.clone();
    let response = if stream {
        sse::response(Frames::new(head, refused.clone()), started)
    } else {
        let mut outputs = sse::collect(started).await?;
        let whole = head.whole(&outputs.swap_remove(0));
        Json(reply::listing_refused(whole, &refused)).into_response()
    };
    let response = reply::with_refused(response, &refused);
    Ok(reply::with_ignored(response, &ignored))
}
