//! `POST /v1/completions`: a text that goes on.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use grammarc_generate::output::{TokenLogprob, Usage};
use grammarc_generate::{Event, Logprobs, Prompt};
use serde_json::{Value, json};

use crate::app::App;
use crate::body::Body;
use crate::calls::Calls;
use crate::constraint::Reader;
use crate::delivery::{Delivery, Head};
use crate::error::ApiError;
use crate::fields::{Fields, ids};
use crate::log::Record;
use crate::sse::{self, Framing, data};
use crate::{reply, sampling};

/// Kind of the objects, whole and streamed.
const KIND: &str = "text_completion";

/// Serves a request.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    Extension(record): Extension<Record>,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let mut fields = Fields::of_body(&body)?;
    fields.ignore(&["user", "metadata", "best_of", "suffix"]);
    fields.text("model")?;
    let prompt = match fields.value("prompt") {
        Some(Value::String(text)) => Prompt::Text(text),
        Some(Value::Array(tokens)) => {
            let tokens = ids(&tokens);
            Prompt::Tokens(tokens.ok_or_else(|| {
                fields.wrong(
                    "prompt",
                    "a list is one of tokens; for several texts, send several requests",
                )
            })?)
        }
        Some(_) => {
            return Err(fields.wrong("prompt", "it is neither a string nor a list of tokens"));
        }
        None => return Err(fields.wrong("prompt", "it is missing")),
    };
    let max_tokens = fields.whole("max_tokens")?;
    let echo = fields.flag("echo")?.unwrap_or(false);
    if echo {
        return Err(fields.wrong("echo", "the prompt is not repeated here; the client has it"));
    }
    let delivery = Delivery::read(&mut fields, &app, &[])?;
    let logprobs = fields.whole("logprobs")?;
    let (mut params, default_tokens) = sampling::params(&mut fields, &app.options, max_tokens)?;
    params.reasoning = None;
    params.logprobs = logprobs.map(|top| Logprobs { top: top as u32, masked: false });
    if let Some(constraint) = (Reader { app: &app }).read(&mut fields)? {
        constraint.apply(&mut params);
    }
    let ignored = fields.finish()?;
    let head = Head::new(&app, "cmpl-", &record);
    let started = app.start(prompt, params, delivery.choices, default_tokens).await?;
    let started = started.with(record, &Calls::default());
    let prompt_tokens = started.prompt_tokens;
    let response = if delivery.stream {
        sse::response(Chunks { head, delivery, prompt_tokens, usages: Vec::new() }, started)
    } else {
        let outputs = sse::collect(started).await?;
        let choices = (0..).zip(&outputs).map(|(index, output)| {
            let logprobs = logprobs_of(&app, &output.logprobs);
            choice(index, &output.text, logprobs, Value::from(output.finish.reason()))
        });
        let usages = outputs.iter().map(|output| output.usage);
        Json(head.reply(KIND, choices.collect(), prompt_tokens, usages)).into_response()
    };
    Ok(reply::with_ignored(response, &ignored))
}

fn choice(index: u32, text: &str, logprobs: Value, reason: Value) -> Value {
    json!({"index": index, "text": text, "logprobs": logprobs, "finish_reason": reason})
}

/// Log probabilities as completions have them.
fn logprobs_of(app: &App, tokens: &[TokenLogprob]) -> Value {
    if tokens.is_empty() {
        return Value::Null;
    }
    let vocabulary = app.backend.vocabulary();
    let name = |token: u32| String::from_utf8_lossy(vocabulary.token_bytes(token)).into_owned();
    let top = tokens.iter().map(|told| {
        let top = told.top.iter().map(|&(token, logprob)| (name(token), json!(logprob)));
        Value::Object(top.collect())
    });
    json!({
        "tokens": tokens.iter().map(|told| name(told.token)).collect::<Vec<_>>(),
        "token_logprobs": tokens.iter().map(|told| told.logprob).collect::<Vec<_>>(),
        "top_logprobs": top.collect::<Vec<_>>(),
    })
}

struct Chunks {
    head: Head,
    delivery: Delivery,
    prompt_tokens: usize,
    usages: Vec<Usage>,
}

impl Framing for Chunks {
    fn begin(&mut self) -> String {
        String::new()
    }

    fn event(&mut self, index: u32, event: Event) -> String {
        let (text, logprobs, reason) = match event {
            Event::Text(text) => (text, Value::Null, Value::Null),
            Event::Tokens(tokens) => {
                (String::new(), logprobs_of(&self.head.app, &tokens), Value::Null)
            }
            Event::Finished(finished) => {
                self.usages.push(finished.usage);
                (String::new(), Value::Null, Value::from(finished.finish.reason()))
            }
            Event::Reasoning(_)
            | Event::Call { .. }
            | Event::Arguments { .. }
            | Event::Changed(_) => {
                return String::new();
            }
        };
        data(&self.head.object(KIND, vec![choice(index, &text, logprobs, reason)]))
    }

    fn end(&mut self) -> String {
        self.head.end(KIND, self.delivery, self.prompt_tokens, &self.usages)
    }
}
