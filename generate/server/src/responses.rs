//! `POST /v1/responses`: the same generations in the protocol of responses. Nothing is stored: each request has the whole
//! conversation.

mod input;
mod stream;

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use grammarc_generate::output::Usage;
use grammarc_generate::{Finish, GenerateParams, Output, Prompt};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::body::Body;
use crate::calls::Calls;
use crate::constraint::{self, Reader};
use crate::error::ApiError;
use crate::fields::Fields;
use crate::functions::Tools;
use crate::log::Record;
use crate::{messages, reply, sampling, sse};

use self::stream::Frames;

/// Fields that change nothing here.
const IGNORED: [&str; 12] = [
    "user",
    "metadata",
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

/// A request that was read.
struct Request {
    prompt: Prompt,
    params: GenerateParams,
    default_tokens: bool,
    stream: bool,
    calls: Calls,
    ignored: Vec<&'static str>,
}

fn read(app: &App, body: &[u8]) -> Result<Request, ApiError> {
    let mut fields = Fields::of_body(body)?;
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
    let (mut params, default_tokens) = sampling::params(&mut fields, &app.options, max_tokens)?;
    let reader = Reader { app };
    let mut constraint = reader.read(&mut fields)?;
    if let Some(mut text) = fields.object("text")? {
        text.ignore(&["verbosity"]);
        if let Some(format) = text.value("format") {
            let found = reader.format(&text.path("format"), format, "")?;
            if found.is_some() && constraint.is_some() {
                return Err(text.wrong(
                    "format",
                    "the output is constrained otherwise already; give one of them",
                ));
            }
            constraint = found.or(constraint);
        }
        text.finish()?;
    }
    let given = input::tools(fields.list("tools")?.unwrap_or_default())?;
    let choice = fields.value("tool_choice").map(input::tool_choice);
    let parallel = fields.flag("parallel_tool_calls")?.unwrap_or(true);
    let tools = Tools::read(app, given, choice, parallel)?;
    constraint::settle(app, constraint, &tools, &mut params)?;
    let instructions = fields.text("instructions")?;
    let given = fields.value("input").ok_or_else(|| fields.wrong("input", "it is missing"))?;
    let calls = tools.calls(app);
    let conversation = input::messages(instructions, given)?;
    let prompt = Prompt::Chat(messages::chat(app, conversation, tools.shown, Map::new())?);
    let ignored = fields.finish()?;
    Ok(Request { prompt, params, default_tokens, stream, calls, ignored })
}

/// Serves a request.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    Extension(record): Extension<Record>,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let Request { prompt, params, default_tokens, stream, calls, ignored } = read(&app, &body)?;
    let (number, created) = app.request();
    record.set_id(format!("resp_{number}"));
    let head = Head { number, created, model: app.options.model.clone(), calls };
    let started = app.start(prompt, params, 1, default_tokens).await?;
    let started = started.with(record, &head.calls);
    let response = if stream {
        sse::response(Frames::new(head), started)
    } else {
        let mut outputs = sse::collect(started).await?;
        let output = outputs.swap_remove(0);
        Json(head.whole(&output)).into_response()
    };
    Ok(reply::with_ignored(response, &ignored))
}

/// The fields that a response begins with.
struct Head {
    number: u64,
    created: u64,
    model: String,
    calls: Calls,
}

impl Head {
    /// The object of a response.
    fn object(&self, status: &str, output: Vec<Value>, end: Option<(&Finish, &Usage)>) -> Value {
        let incomplete = end.filter(|_| status == "incomplete");
        let usage = end.map(|(_, usage)| {
            json!({
                "input_tokens": usage.prompt_tokens,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": usage.completion_tokens,
                "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
                "total_tokens": usage.prompt_tokens + usage.completion_tokens,
                "x_forced_tokens": usage.forced_tokens,
                "x_model_calls": usage.model_calls,
            })
        });
        json!({
            "id": format!("resp_{}", self.number),
            "object": "response",
            "created_at": self.created,
            "status": status,
            "error": null,
            "incomplete_details": incomplete.map(|_| json!({"reason": "max_output_tokens"})),
            "instructions": null,
            "metadata": {},
            "model": self.model,
            "output": output,
            "parallel_tool_calls": true,
            "temperature": null,
            "tool_choice": "auto",
            "tools": [],
            "top_p": null,
            "usage": usage,
        })
    }

    /// How a response with this end is.
    fn status(finish: &Finish) -> &'static str {
        if finish.reason() == "length" { "incomplete" } else { "completed" }
    }

    fn reasoning(&self, text: &str) -> Value {
        json!({"id": format!("rs_{}", self.number), "type": "reasoning", "summary": [],
            "content": [{"type": "reasoning_text", "text": text}]})
    }

    fn message(&self, status: &str, text: Option<&str>) -> Value {
        let content: Vec<Value> = text.map(part).into_iter().collect();
        json!({"id": format!("msg_{}", self.number), "type": "message", "role": "assistant", "status": status, "content": content})
    }

    fn call(&self, status: &str, index: u32, name: &str, text: &str) -> Value {
        let number = self.number;
        let mut call = match self.calls.is_custom(name) {
            true => {
                json!({"id": format!("ctc_{number}_{index}"), "type": "custom_tool_call", "input": text})
            }
            false => {
                json!({"id": format!("fc_{number}_{index}"), "type": "function_call", "arguments": text})
            }
        };
        call["status"] = Value::from(status);
        call["call_id"] = Value::from(format!("call_{number}_{index}"));
        call["name"] = Value::from(name);
        call
    }

    /// A whole response.
    fn whole(&self, output: &Output) -> Value {
        let status = Self::status(&output.finish);
        let mut items = Vec::new();
        if !output.reasoning.is_empty() {
            items.push(self.reasoning(&output.reasoning));
        }
        if !output.text.is_empty() || output.calls.is_empty() {
            items.push(self.message(status, Some(&output.text)));
        }
        let calls = (0..).zip(&output.calls);
        items.extend(
            calls.map(|(index, call)| self.call(status, index, &call.name, &call.arguments)),
        );
        self.object(status, items, Some((&output.finish, &output.usage)))
    }
}

/// A part of a message.
fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}
