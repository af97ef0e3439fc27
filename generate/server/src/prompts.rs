//! `POST /v1/prompts/{id}`: a prompt of the server's configuration with the terms of a request, and its response as the prompt
//! wants it: a text, JSON, or the items of lines of JSON. `GET /v1/prompts` lists them.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::{Extension, Json};
use grammarc_generate::fair::Client;
use grammarc_generate::prompts::{PromptError, Response};
use serde_json::{Map, Value, json};

use crate::app::{App, Wanted};
use crate::body::Body;
use crate::calls::Calls;
use crate::delivery::Head;
use crate::error::ApiError;
use crate::fields::Fields;
use crate::log::Record;
use crate::{sampling, sse};

/// Lists the prompts.
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

/// Answers a prompt.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Extension(record): Extension<Record>,
    Extension(client): Extension<Client>,
    Body(body): Body,
) -> Result<Json<Value>, ApiError> {
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
    let max_tokens = fields.whole("max_tokens")?;
    let (params, default_tokens) = sampling::params(&mut fields, &app, max_tokens)?;
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
    let mut outputs = sse::collect(started).await?;
    let output = outputs.swap_remove(0);
    let (response_type, _) = prompts.wants(&id)?;
    let response = match prompts.take(&id, &output.text)? {
        Response::Text(text) => Value::from(text),
        Response::Json(value) => value,
        Response::Jsonl(items) => Value::from(items),
    };
    let mut reply = head.reply("prompt.response", Vec::new(), prompt_tokens, [output.usage]);
    if let Some(reply) = reply.as_object_mut() {
        reply.shift_remove("choices");
    }
    reply["prompt"] = Value::from(id);
    reply["response_type"] = Value::from(response_type.name());
    reply["response"] = response;
    reply["finish_reason"] = Value::from(output.finish.reason());
    Ok(Json(reply))
}
