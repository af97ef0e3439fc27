//! Errors in replies: OpenAI's error object, extended by the compiler's diagnostics.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use grammarc_agents::prompts::PromptError;
use grammarc_bindings::report;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_generate::GenerateError;
use grammarc_generate::grammars::GrammarError;
use serde_json::{Value, json};

/// Seconds after which a client may repeat a request to a busy server. Sent as `Retry-After`.
const RETRY_AFTER: u32 = 1;

/// Status and code of the errors that are temporary, so that the client may repeat the request.
const PASSING: [(StatusCode, &str); 2] =
    [(StatusCode::TOO_MANY_REQUESTS, "busy"), (StatusCode::SERVICE_UNAVAILABLE, "loading")];

/// The error of a request, as the reply reports it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ApiError {
    status: StatusCode,
    kind: &'static str,
    code: &'static str,
    param: Option<String>,
    message: String,
    diagnostics: Vec<Value>,
}

impl ApiError {
    /// Returns the error for a wrong field of a request. `param` is the path of the field.
    pub(crate) fn field(param: impl Into<String>, message: impl Into<String>) -> Self {
        let error = Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", "invalid_value");
        Self { param: Some(param.into()), message: message.into(), ..error }
    }

    /// Returns the error for a request that is wrong as a whole.
    pub(crate) fn request(message: impl Into<String>) -> Self {
        let error = Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", "invalid_request");
        Self { message: message.into(), ..error }
    }

    /// Returns the HTTP status of the error.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the code of the error, such as `invalid_value`.
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the error for a missing or wrong API key.
    pub(crate) fn key() -> Self {
        let error = Self::new(StatusCode::UNAUTHORIZED, "authentication_error", "invalid_api_key");
        Self { message: "the API key is missing or wrong".to_owned(), ..error }
    }

    /// Returns the error for a `Host` that the server does not answer to.
    pub(crate) fn host(host: &str) -> Self {
        let error = Self::new(StatusCode::FORBIDDEN, "invalid_request_error", "host_not_allowed");
        let message = format!(
            "the server does not answer to the host `{host}`; start it with `--allowed-host NAME` if it is to"
        );
        Self { message, ..error }
    }

    /// Returns the error for a web page whose origin is not allowed.
    pub(crate) fn origin(origin: &str) -> Self {
        let error = Self::new(StatusCode::FORBIDDEN, "invalid_request_error", "origin_not_allowed");
        let message = format!(
            "pages of the origin `{origin}` may not ask this server; start it with `--allowed-host NAME` if they are to"
        );
        Self { message, ..error }
    }

    /// Returns the error for a body that did not arrive in time.
    pub(crate) fn slow(message: impl Into<String>) -> Self {
        let error = Self::new(StatusCode::REQUEST_TIMEOUT, "invalid_request_error", "timeout");
        Self { message: message.into(), ..error }
    }

    /// Returns an internal error of the server.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        let error = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "internal_error");
        Self { message: message.into(), ..error }
    }

    /// Returns the error for a request that exceeds a limit on size.
    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        let error = Self::new(StatusCode::PAYLOAD_TOO_LARGE, "invalid_request_error", "too_large");
        Self { message: message.into(), ..error }
    }

    /// Returns the error for a source that exceeds the limit on nesting.
    pub(crate) fn too_deep(message: impl Into<String>) -> Self {
        let error = Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", "too_deep");
        Self { message: message.into(), ..error }
    }

    /// Returns the error for requests that arrive before the model is loaded.
    pub(crate) fn loading() -> Self {
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "server_error", "loading");
        Self { message: "the model is loading; ask again in a while".to_owned(), ..error }
    }

    /// Returns the error for an unknown path.
    pub(crate) fn path(message: impl Into<String>) -> Self {
        let error = Self::new(StatusCode::NOT_FOUND, "invalid_request_error", "not_found");
        Self { message: message.into(), ..error }
    }

    /// Returns the error for a method that a path does not support.
    pub(crate) fn method(message: impl Into<String>) -> Self {
        let error = Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "invalid_request_error",
            "method_not_allowed",
        );
        Self { message: message.into(), ..error }
    }

    /// Returns the error for an output that is not the requested value.
    fn output(message: String) -> Self {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Self { message, ..Self::new(status, "invalid_output_error", "invalid_output") }
    }

    /// Returns the error of a server that has too many requests.
    pub(crate) fn busy(message: impl Into<String>) -> Self {
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", "busy");
        Self { message: message.into(), ..error }
    }

    fn new(status: StatusCode, kind: &'static str, code: &'static str) -> Self {
        Self { status, kind, code, param: None, message: String::new(), diagnostics: Vec::new() }
    }

    /// Returns this error with `param` as the path of the wrong field.
    pub(crate) fn at(self, param: impl Into<String>) -> Self {
        Self { param: Some(param.into()), ..self }
    }

    /// Returns this error with `param` as the path of the wrong field, if the error is about the
    /// grammar and has no field yet. If the grammar stands for `tools`, the error may be in
    /// `tool_choice` instead.
    pub(crate) fn of_grammar_at(self, param: &str) -> Self {
        let is_of_grammar = self.code.starts_with("grammar_");
        let is_of_choice = |found: &Value| {
            let pointer = found["pointer"].as_str().unwrap_or_default();
            pointer.starts_with("/tool_choice") || found["code"] == "structural-tag::no-tools"
        };
        let param = match param == "tools" && self.diagnostics.first().is_some_and(is_of_choice) {
            true => "tool_choice",
            false => param,
        };
        let param = self.param.clone().or_else(|| is_of_grammar.then(|| param.to_owned()));
        Self { param, ..self }
    }

    /// Returns the error for a rejected source in the field `param`, with the diagnostics of the
    /// source.
    pub(crate) fn refused(param: &str, source: &Source, found: &[Diagnostic]) -> Self {
        let message = found.first().map(ToString::to_string).unwrap_or_default();
        let diagnostics = of_findings(source, found);
        let error = Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", "grammar_refused");
        Self { param: Some(param.to_owned()), message, diagnostics, ..error }
    }

    /// Returns the JSON body of the reply.
    pub(crate) fn to_json(&self) -> Value {
        let Self { kind, code, param, message, diagnostics, .. } = self;
        let mut error = json!({"message": message, "type": kind, "param": param, "code": code});
        if !diagnostics.is_empty() {
            error["diagnostics"] = Value::from(diagnostics.clone());
        }
        json!({"error": error})
    }
}

/// The code of an error, attached to its response for the metrics.
#[derive(Clone, Copy)]
pub(crate) struct Code(pub(crate) &'static str);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.to_json())).into_response();
        response.extensions_mut().insert(Code(self.code));
        if PASSING.contains(&(self.status, self.code)) {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let challenge: HeaderName = header::WWW_AUTHENTICATE;
            response.headers_mut().insert(challenge, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Converts diagnostics to the JSON form that the command line and the bindings also use.
fn of_findings(source: &Source, found: &[Diagnostic]) -> Vec<Value> {
    let text = report::of_findings(source, found);
    serde_json::from_str(&text).unwrap_or_default()
}

impl From<PromptError> for ApiError {
    fn from(error: PromptError) -> Self {
        let message = error.to_string();
        match error {
            PromptError::Unknown { .. } => Self::path(message),
            PromptError::Template { .. } => Self::field("input", message),
            PromptError::Generate(error) => error.into(),
            _ => Self::output(message),
        }
    }
}

impl From<GenerateError> for ApiError {
    fn from(error: GenerateError) -> Self {
        let message = error.to_string();
        let bad = |code| Self {
            message: message.clone(),
            ..Self::new(StatusCode::BAD_REQUEST, "invalid_request_error", code)
        };
        let failed = |status, code| Self {
            message: message.clone(),
            ..Self::new(status, "server_error", code)
        };
        match &error {
            GenerateError::Params(params) => bad("invalid_value").at(params.parameter),
            GenerateError::Grammar(GrammarError::Refused { source_text, diagnostics }) => {
                let diagnostics = of_findings(source_text, diagnostics);
                Self { diagnostics, ..bad("grammar_refused") }
            }
            GenerateError::Grammar(GrammarError::Spent { source_text, diagnostics }) => {
                let diagnostics = of_findings(source_text, diagnostics);
                Self { diagnostics, ..bad("grammar_too_large") }
            }
            GenerateError::Grammar(_) | GenerateError::NoEnding => bad("grammar_refused"),
            GenerateError::TooFewTokens { .. } => bad("budget_too_small").at("max_tokens"),
            GenerateError::Context { .. } => bad("context_length_exceeded").at("max_tokens"),
            GenerateError::EmptyPrompt | GenerateError::Prompt | GenerateError::Chat(_) => {
                bad("invalid_prompt")
            }
            GenerateError::Unsupported { .. } | GenerateError::Options(_) => bad("unsupported"),
            GenerateError::Json(_) => Self::output(message),
            GenerateError::Busy { .. } => Self::busy(message),
            GenerateError::Late => failed(StatusCode::GATEWAY_TIMEOUT, "deadline_exceeded"),
            GenerateError::Closed => failed(StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            _ => failed(StatusCode::INTERNAL_SERVER_ERROR, "generation_failed"),
        }
    }
}
