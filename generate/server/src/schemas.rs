//! The endpoints `POST /v1/schemas/{question}`: questions about schemas, as [`grammarc_bindings::schemas`] has them.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::{Extension, Json};
use grammarc_bindings::failure::Failure;
use grammarc_bindings::schemas::{QUESTIONS, answer};
use grammarc_generate::fair::Client;
use serde_json::{Value, json};

use crate::app::App;
use crate::body::Body;
use crate::error::ApiError;
use crate::source_limits;

/// Most seconds of one question.
const SECONDS: f64 = 2.0;

/// The endpoint `POST /v1/schemas/{question}`. A question counts as a compilation: it waits for its turn, and its schemas
/// have the limits of sources.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    Extension(client): Extension<Client>,
    Path(question): Path<String>,
    Body(body): Body,
) -> Result<Json<Value>, ApiError> {
    if !QUESTIONS.contains(&question.as_str()) {
        let known = QUESTIONS.join(", ");
        return Err(ApiError::path(format!(
            "there is no question `{question}`; there are {known}"
        )));
    }
    let request: Value = serde_json::from_slice(&body)
        .map_err(|error| ApiError::request(format!("the body is no JSON: {error}")))?;
    let Value::Object(mut request) = request else {
        return Err(ApiError::request("the body is no object"));
    };
    for name in ["schema", "old", "new"] {
        if let Some(schema) = request.get(name) {
            let text = schema.as_str().map_or_else(|| schema.to_string(), str::to_owned);
            source_limits::limit_json(&app, name, &text)?;
        }
    }
    if question != "unstand" {
        let asked = request.get("seconds").and_then(Value::as_f64).unwrap_or(SECONDS);
        request.insert("seconds".to_owned(), json!(asked.min(SECONDS)));
    }
    let request = Value::Object(request).to_string();
    app.clone()
        .compile(client, move |_, flag| {
            let found = answer(&question, &request, Some(Arc::clone(flag)));
            found.map(Json).map_err(|error| match error {
                Failure::Source { source_text, diagnostics } => {
                    let name = source_text.name.to_string();
                    let known = ["schema", "old", "new"].contains(&name.as_str());
                    let param = if known { name.as_str() } else { "tools" };
                    ApiError::refused(param, &source_text, &diagnostics)
                }
                other => ApiError::request(other.to_string()),
            })
        })
        .await
}
