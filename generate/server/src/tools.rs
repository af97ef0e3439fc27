//! Small endpoints: models, health, tokens, grammars, repair and metrics.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::IntoResponse;
use axum::{Extension, Json};
use grammarc_bindings::report;
use grammarc_compiler::frontend::settings::Language;
use grammarc_compiler::frontend::structural_tag::{is_tool_list, refused_tools};
use grammarc_generate::fair::Client;
use grammarc_generate::grammars::least_tokens;
use grammarc_generate::{GenerateError, Grammar};
use grammarc_json::{JsonSchema, JsonValidator, RepairError};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::body::Body;
use crate::error::ApiError;
use crate::fields::{Fields, ids};
use crate::metrics::{KIND, Snapshot};
use crate::{reply, source_limits};

/// The endpoint `GET /v1/models`: lists the model.
pub(crate) async fn models(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!({"object": "list", "data": [model_of(&app)]}))
}

/// The endpoint `GET /v1/models/{id}`: describes the model. Fails for another id.
pub(crate) async fn model(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    match id == app.options.model {
        true => Ok(Json(model_of(&app))),
        false => Err(ApiError::path(format!("there is one model here: `{}`", app.options.model))),
    }
}

fn model_of(app: &App) -> Value {
    let (info, vocabulary) = (app.backend.info(), app.backend.vocabulary().name());
    json!({"id": app.options.model, "object": "model", "created": 0, "owned_by": "grammarc",
        "x_context": info.context, "x_vocabulary": vocabulary})
}

/// The endpoint `GET /health`: answers that the server is ready.
pub(crate) async fn health() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// The endpoint `POST /tokenize`: converts a text to tokens. Names of control tokens are plain text
/// unless `special` is set.
pub(crate) async fn tokenize(
    State(app): State<Arc<App>>,
    Body(body): Body,
) -> Result<Json<Value>, ApiError> {
    let mut fields = Fields::of_body(&body)?;
    fields.text("model")?;
    let content = fields.text("content")?.or(fields.text("prompt")?);
    let content = content.ok_or_else(|| fields.wrong("content", "it is missing"))?;
    let special = fields.flag("special")?.unwrap_or(false);
    fields.finish()?;
    let encoder = app.backend.encoder();
    let tokens = if special { encoder.prompt(&content) } else { encoder.text(&content) };
    let tokens =
        tokens.ok_or_else(|| ApiError::field("content", "the tokenizer cannot spell it"))?;
    Ok(Json(json!({"tokens": tokens, "count": tokens.len()})))
}

/// The endpoint `POST /detokenize`: converts tokens to a text.
pub(crate) async fn detokenize(
    State(app): State<Arc<App>>,
    Body(body): Body,
) -> Result<Json<Value>, ApiError> {
    let mut fields = Fields::of_body(&body)?;
    fields.text("model")?;
    let tokens = fields.list("tokens")?.ok_or_else(|| fields.wrong("tokens", "it is missing"))?;
    let vocabulary = app.backend.vocabulary();
    let count = vocabulary.artifact().token_count();
    let tokens = ids(&tokens, count).map_err(|reason| fields.wrong("tokens", reason))?;
    fields.finish()?;
    let text = app.text_of(&tokens);
    Ok(Json(json!({"content": text, "prompt": text})))
}

/// The endpoint `POST /v1/grammars`: compiles a grammar, and returns an id for later requests.
pub(crate) async fn grammars(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(body): Body,
) -> Result<Json<Value>, ApiError> {
    let mut fields = Fields::of_body(&body)?;
    let language =
        fields.text("language")?.ok_or_else(|| fields.wrong("language", "it is missing"))?;
    let known = Language::named(&language);
    let known = known.ok_or_else(|| fields.wrong("language", "there is no such language"))?;
    let text = match fields.value("source") {
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
        None => return Err(fields.wrong("source", "it is missing")),
    };
    match known {
        Language::JsonSchema | Language::StructuralTag => {
            source_limits::limit_json(&app, "source", &text)?
        }
        _ => source_limits::limit(&app, "source", &text)?,
    }
    let mut options = match fields.value("options") {
        Some(Value::Object(options)) => options,
        Some(_) => return Err(fields.wrong("options", "it is no object")),
        None => Map::new(),
    };
    fields.finish()?;
    if known == Language::StructuralTag && is_tool_list(&text) {
        options.entry("style").or_insert_with(|| app.options.tool_style.clone().into());
    }
    let grammar = Grammar::new(known, text).with_options(options);
    app.clone()
        .compile(client, move |app, flag| {
            let grammars = app.backend.grammars();
            let compiled = grammars.compile(&grammar, Some(flag)).map_err(GenerateError::from);
            let compiled =
                compiled.map_err(|error| ApiError::from(error).of_grammar_at("source"))?;
            let id = grammars.key(&grammar).map_err(GenerateError::from)?.unwrap_or_default();
            let report: Value =
                serde_json::from_str(&report::of_grammar(compiled.artifact())).unwrap_or_default();
            app.keep(id.clone(), grammar);
            let refused = refused_tools(&compiled.artifact().meta().report);
            let reply =
                json!({"id": id, "least_tokens": least_tokens(&compiled), "report": report});
            Ok(Json(reply::listing_refused(reply, &refused)))
        })
        .await
}

/// The endpoint `POST /v1/repair`: repairs a text that is nearly JSON.
pub(crate) async fn repair(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Body(body): Body,
) -> Result<Json<Value>, ApiError> {
    let mut fields = Fields::of_body(&body)?;
    let text = fields.text("text")?.ok_or_else(|| fields.wrong("text", "it is missing"))?;
    let strict = fields.flag("strict")?.unwrap_or(false);
    let schema = fields.value("schema");
    fields.finish()?;
    if let Some(schema) = &schema {
        source_limits::limit_json(&app, "schema", &schema.to_string())?;
    }
    app.compile(client, move |app, _| {
        let schema = schema.map(JsonSchema::from_value).transpose();
        let schema = schema.map_err(|error| ApiError::field("schema", error.to_string()))?;
        let validator = JsonValidator { schema, strict, repair: true, ..JsonValidator::default() };
        match validator.repair_json(&text) {
            Ok(repaired) => {
                let edits = repaired.edits.iter().map(|edit| {
                    json!({"at": [edit.at.start, edit.at.end], "kind": edit.kind.name(), "grade": edit.grade.name(),
                        "removed": edit.removed, "inserted": edit.inserted})
                });
                let edits: Vec<Value> = edits.collect();
                let status = if edits.is_empty() { "valid" } else { "repaired" };
                app.metrics.repair(status);
                Ok(Json(json!({"text": repaired.text, "status": status, "edits": edits,
                    "ambiguous": repaired.ambiguous, "truncated": repaired.truncated})))
            }
            Err(error @ RepairError::Limit { .. }) => {
                app.metrics.repair("limit");
                Err(ApiError::too_large(error.to_string()))
            }
            Err(error) => {
                app.metrics.repair("refused");
                Ok(Json(json!({"text": null, "status": "refused", "edits": [], "reason": error.to_string()})))
            }
        }
    })
    .await
}

/// The endpoint `GET /metrics`: returns counters and histograms.
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> impl IntoResponse {
    let engine = app.backend.stats();
    let cache = app.backend.grammars().stats();
    let text = app.metrics.text(Snapshot { engine, cache, requests: app.requests() });
    ([(header::CONTENT_TYPE, KIND)], text)
}
