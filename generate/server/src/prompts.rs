//! The endpoint `POST /v1/prompts/{id}` renders a prompt of the configuration with the terms of the
//! request. It converts the response to the prompt's kind: a text, JSON, or the items of JSON
//! lines. `GET /v1/prompts` lists the prompts.
//!
//! A streamed reply has a frame for each item of a `jsonl` response, or for each part of other
//! text. The last frame is the whole reply without the items.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::IntoResponse;
use axum::{Extension, Json};
use grammarc_agents::prompts::{PromptError, PromptManager, Response, ResponseType};
use grammarc_generate::fair::Client;
use grammarc_generate::output::Collector;
use grammarc_generate::{Event, GenerateError, Output};
use grammarc_json::jsonl::{Item, Skipped};
use grammarc_json::{JsonlOptions, JsonlStream};
use serde_json::{Map, Value, json};

use crate::app::{App, Wanted};
use crate::body::Body;
use crate::calls::Calls;
use crate::delivery::Head;
use crate::error::ApiError;
use crate::fields::Fields;
use crate::log::Record;
use crate::sse::{Framing, data};
use crate::{sampling, sse};

/// Serves the list of prompts.
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Value>, ApiError> {
    let Some(prompts) = &app.options.prompts else {
        return Ok(Json(json!({"object": "list", "data": []})));
    };
    let data = prompts.ids().map(|id| {
        let (response, schema) = prompts.wants(id)?;
        let schema = schema.map(|schema| schema.value());
        Ok(json!({"id": id, "object": "prompt", "response_type": response.name(), "schema": schema}))
    });
    let data: Vec<Value> = data.collect::<Result<_, PromptError>>()?;
    Ok(Json(json!({"object": "list", "data": data})))
}

/// Serves a request for the response to a prompt.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Extension(record): Extension<Record>,
    Extension(client): Extension<Client>,
    Body(body): Body,
) -> Result<axum::response::Response, ApiError> {
    let Some(prompts) = app.options.prompts.clone() else {
        return Err(ApiError::path("this server has no prompts"));
    };
    let mut fields = Fields::of_body(&body)?;
    fields.ignore(&["user", "metadata", "store"]);
    fields.text("model")?;
    let input = match fields.value("input") {
        None => Map::new(),
        Some(Value::Object(input)) => input,
        Some(_) => return Err(fields.wrong("input", "it is no object of terms")),
    };
    let stream = fields.flag("stream")?.unwrap_or(false);
    let max_tokens = fields.whole("max_tokens")?;
    let (params, default_tokens) = sampling::params(&mut fields, &app, max_tokens)?;
    if params.logprobs.is_some() {
        return Err(fields.wrong("x_grammarc", sampling::NO_MASS));
    }
    fields.finish()?;
    let params = prompts.params(&id, params)?;
    let is_chat = app.backend.has_template();
    let prompt = prompts.render(&id, &input)?.for_model(is_chat);
    let head = Head::new(&app, "prompt-", &record);
    let wanted =
        Wanted { client, prompt, params, choices: 1, default_tokens, constrained_by: None };
    let started = app.start(wanted).await?;
    let started = started.with(record, &Calls::default());
    let prompt_tokens = started.prompt_tokens;
    let answer = Answer { head, prompts, id, prompt_tokens };
    if stream {
        let (kind, schema) = answer.prompts.wants(&answer.id)?;
        let lines = (kind == ResponseType::Jsonl)
            .then(|| JsonlStream::new(schema.cloned(), JsonlOptions::default()));
        let parts = Parts { answer, lines, collector: Collector::default() };
        return Ok(sse::response(parts, started));
    }
    let mut outputs = sse::collect(started).await?;
    let reply = answer.reply(&outputs.swap_remove(0).output, true)?;
    Ok(Json(reply).into_response())
}

/// The parts of a reply that do not depend on the output.
struct Answer {
    head: Head,
    prompts: Arc<PromptManager>,
    id: String,
    prompt_tokens: usize,
}

impl Answer {
    /// Builds the reply for an output. Without `items`, the reply of a `jsonl` prompt has no
    /// `response` and no `object`. Fails if the output is no valid response.
    fn reply(&self, output: &Output, items: bool) -> Result<Value, ApiError> {
        let response = match output.finish.is_cut() {
            true => self.prompts.take_cut(&self.id, &output.text),
            false => self.prompts.take(&self.id, &output.text),
        }?;
        let (kind, _) = self.prompts.wants(&self.id)?;
        let mut reply =
            self.head.reply("prompt.response", Vec::new(), self.prompt_tokens, [output.usage]);
        if let Some(reply) = reply.as_object_mut() {
            reply.shift_remove("choices");
        }
        reply["prompt"] = Value::from(self.id.clone());
        reply["response_type"] = Value::from(kind.name());
        if let Response::Jsonl(found) = &response {
            let skipped = found.skipped.iter();
            reply["skipped"] =
                skipped.map(|one| json!({"line": one.line, "reason": one.reason})).collect();
            reply["truncated"] = Value::from(found.truncated);
            reply["warning"] = found.warning.clone().into();
        }
        if items || kind != ResponseType::Jsonl {
            let response = response.into_value();
            // TrustGraph's clients expect the value as a text of JSON.
            reply["object"] = match kind {
                ResponseType::Text => Value::Null,
                ResponseType::Json | ResponseType::Jsonl => response.to_string().into(),
            };
            reply["response"] = response;
        }
        reply["finish_reason"] = Value::from(output.finish.reason());
        Ok(reply)
    }
}

/// Builds the frames of a streamed reply.
struct Parts {
    answer: Answer,
    /// The parser of a `jsonl` response. `None` for other kinds. A grammar constrains the response
    /// to lines, so it is never an array.
    lines: Option<JsonlStream>,
    collector: Collector,
}

impl Parts {
    /// Returns a frame for each item. Skipped lines are reported in the last frame instead.
    fn items(found: Vec<Result<Item, Skipped>>) -> String {
        let items = found.into_iter().flatten();
        items.map(|item| data(&json!({"item": item.value, "line": item.line}))).collect()
    }
}

impl Framing for Parts {
    fn begin(&mut self) -> String {
        String::new()
    }

    fn event(&mut self, _: u32, event: Event) -> String {
        self.collector.push(event.clone());
        match (event, &mut self.lines) {
            (Event::Text(text), Some(lines)) => Self::items(lines.push(&text)),
            (Event::Text(text), None) => data(&json!({"text": text})),
            (Event::Finished(end), Some(lines)) => {
                lines.set_cut(end.finish.is_cut());
                Self::items(lines.finish())
            }
            _ => String::new(),
        }
    }

    fn end(&mut self) -> String {
        let output = std::mem::take(&mut self.collector).finish();
        let reply = output.ok_or_else(|| ApiError::from(GenerateError::Closed));
        match reply.and_then(|output| self.answer.reply(&output, false)) {
            Ok(reply) => data(&reply) + "data: [DONE]\n\n",
            Err(error) => self.error(&error),
        }
    }
}
