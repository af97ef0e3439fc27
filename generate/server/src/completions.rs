//! The endpoint `POST /v1/completions`: continues one or several prompts.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use grammarc_generate::fair::Client;
use grammarc_generate::output::{TokenLogprob, Usage};
use grammarc_generate::{Event, Logprobs, Prompt};
use serde_json::{Value, json};

use crate::app::{App, Started, Wanted};
use crate::body::Body;
use crate::calls::Calls;
use crate::constraint::Reader;
use crate::delivery::{Delivery, Head};
use crate::error::ApiError;
use crate::fields::{Fields, ids};
use crate::log::Record;
use crate::sse::{self, Framing, Whole, data};
use crate::{reply, sampling};

/// Type name of the reply's objects, whole and streamed.
const KIND: &str = "text_completion";

/// A parsed request for completions.
struct Request {
    /// For each prompt, the outputs to generate.
    wanted: Vec<Wanted>,
    /// For each prompt, its text. `None` unless the outputs repeat their prompt (`echo`).
    echoes: Option<Vec<String>>,
    delivery: Delivery,
    ignored: Vec<&'static str>,
}

/// Reads the prompts of a request: a text, a list of tokens, or a list of either. Fails for
/// anything else.
fn prompts(app: &App, fields: &mut Fields) -> Result<Vec<Prompt>, ApiError> {
    let count = app.backend.vocabulary().artifact().token_count();
    let one =
        |fields: &Fields, prompt: Value| match prompt {
            Value::String(text) => Ok(Prompt::Text(text)),
            Value::Array(tokens) => match ids(&tokens, count) {
                Ok(tokens) => Ok(Prompt::Tokens(tokens)),
                Err(reason) => Err(fields.wrong("prompt", reason)),
            },
            _ => Err(fields
                .wrong("prompt", "it is neither a string, a list of tokens nor a list of these")),
        };
    match fields.value("prompt") {
        None => Err(fields.wrong("prompt", "it is missing")),
        Some(Value::Array(items))
            if items.iter().any(|item| item.is_string() || item.is_array()) =>
        {
            items.into_iter().map(|item| one(fields, item)).collect()
        }
        Some(prompt) => Ok(vec![one(fields, prompt)?]),
    }
}

/// Returns the text of a prompt that is a text or a list of tokens.
fn text_of(app: &App, prompt: &Prompt) -> String {
    match prompt {
        Prompt::Text(text) => text.clone(),
        Prompt::Tokens(tokens) => app.text_of(tokens),
        Prompt::Template(_) | Prompt::Chat(_) => String::new(),
    }
}

fn read(app: &App, client: Client, body: &[u8]) -> Result<Request, ApiError> {
    let mut fields = Fields::of_body(body)?;
    fields.ignore(&["user", "metadata"]);
    fields.text("model")?;
    let prompts = prompts(app, &mut fields)?;
    let max_tokens = fields.whole("max_tokens")?;
    if fields.text("suffix")?.is_some_and(|suffix| !suffix.is_empty()) {
        return Err(fields.wrong("suffix", "nothing is filled in before a text here; leave it out"));
    }
    let delivery = Delivery::read(&mut fields, app, prompts.len(), &[])?;
    if fields.whole("best_of")?.is_some_and(|best_of| best_of != u64::from(delivery.choices)) {
        return Err(fields.wrong("best_of", "all outputs are returned; ask for as many by `n`"));
    }
    let logprobs = fields.whole("logprobs")?;
    let echo = fields.flag("echo")?.unwrap_or(false);
    if echo && logprobs.is_some() {
        let message = "the tokens of a prompt have no log probabilities here; leave one of `echo` and `logprobs` out";
        return Err(fields.wrong("echo", message));
    }
    let echoes = echo.then(|| prompts.iter().map(|prompt| text_of(app, prompt)).collect());
    let (mut params, default_tokens) = sampling::params(&mut fields, app, max_tokens)?;
    params.reasoning = None;
    if params.logprobs.is_some() {
        return Err(fields.wrong("x_grammarc", sampling::NO_MASS));
    }
    params.logprobs = logprobs.map(|top| Logprobs { top: top as u32, masked: false });
    let mut constrained_by = None;
    if let Some(constrained) = (Reader { app }).read(&mut fields)? {
        constrained.constraint.apply(&mut params);
        constrained_by = Some(constrained.field);
    }
    let ignored = fields.finish()?;
    let choices = delivery.choices;
    let wanted = prompts.into_iter().map(|prompt| {
        let (params, constrained_by) = (params.clone(), constrained_by.clone());
        Wanted { client, prompt, params, choices, default_tokens, constrained_by }
    });
    Ok(Request { wanted: wanted.collect(), echoes, delivery, ignored })
}

/// Serves a request for completions.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    Extension(record): Extension<Record>,
    Extension(client): Extension<Client>,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let request = app.work(move |app| read(app, client, &body)).await?;
    let Request { wanted, echoes, delivery, ignored } = request;
    let head = Head::new(&app, "cmpl-", &record);
    let mut all: Option<Started> = None;
    for wanted in wanted {
        let started = app.start(wanted).await?;
        all = Some(match all {
            Some(before) => before.and(started),
            None => started,
        });
    }
    let missing = || ApiError::field("prompt", "the list is empty");
    let started = all.ok_or_else(missing)?.with(record, &Calls::default());
    let prompt_tokens = started.prompt_tokens;
    // The outputs of one prompt are adjacent.
    let echo_of = move |index: u32| {
        let echoes: &Vec<String> = echoes.as_ref()?;
        echoes.get((index / delivery.choices) as usize).cloned()
    };
    let response = if delivery.stream {
        let choices = started.receivers.len() as u32;
        let echoes = (0..choices).map(|index| echo_of(index).unwrap_or_default()).collect();
        let (usages, offsets) = (Vec::new(), vec![0; choices as usize]);
        let chunks = Chunks { head, delivery, prompt_tokens, usages, echoes, offsets };
        sse::response(chunks, started)
    } else {
        let outputs = sse::collect(started).await?;
        let choices = (0..).zip(&outputs).map(|(index, Whole { output, .. })| {
            let text = echo_of(index).unwrap_or_default() + &output.text;
            let logprobs = logprobs_of(&app, &output.logprobs, &mut 0);
            let mut whole = choice(index, &text, logprobs, Value::from(output.finish.reason()));
            if let Some(detail) = output.finish.detail() {
                whole["x_grammarc"] = json!({"finish": detail});
            }
            whole
        });
        let usages = outputs.iter().map(|whole| whole.output.usage);
        Json(head.reply(KIND, choices.collect(), prompt_tokens, usages)).into_response()
    };
    Ok(reply::with_ignored(response, &ignored))
}

fn choice(index: u32, text: &str, logprobs: Value, reason: Value) -> Value {
    json!({"index": index, "text": text, "logprobs": logprobs, "finish_reason": reason})
}

/// Returns log probabilities in the form of this endpoint. `offset` is the position of the next
/// token in the text, in characters, and is advanced.
fn logprobs_of(app: &App, tokens: &[TokenLogprob], offset: &mut usize) -> Value {
    if tokens.is_empty() {
        return Value::Null;
    }
    let vocabulary = app.backend.vocabulary();
    let name = |token: u32| String::from_utf8_lossy(vocabulary.token_bytes(token)).into_owned();
    let top = tokens.iter().map(|token| {
        let top = token.top.iter().map(|&(token, logprob)| (name(token), json!(logprob)));
        Value::Object(top.collect())
    });
    let offsets = tokens.iter().map(|token| {
        let at = *offset;
        *offset += name(token.token).chars().count();
        at
    });
    json!({
        "text_offset": offsets.collect::<Vec<_>>(),
        "tokens": tokens.iter().map(|token| name(token.token)).collect::<Vec<_>>(),
        "token_logprobs": tokens.iter().map(|token| token.logprob).collect::<Vec<_>>(),
        "top_logprobs": top.collect::<Vec<_>>(),
    })
}

struct Chunks {
    head: Head,
    delivery: Delivery,
    prompt_tokens: usize,
    usages: Vec<Usage>,
    /// For each choice (output), the prompt that it repeats.
    echoes: Vec<String>,
    /// For each choice (output), the position of its next token in the text, in characters.
    offsets: Vec<usize>,
}

impl Framing for Chunks {
    fn begin(&mut self) -> String {
        let echoes = (0..).zip(&self.echoes).filter(|(_, echo)| !echo.is_empty());
        let chunk = |(index, echo): (u32, &String)| {
            data(&self.head.object(KIND, vec![choice(index, echo, Value::Null, Value::Null)]))
        };
        echoes.map(chunk).collect()
    }

    fn event(&mut self, index: u32, event: Event) -> String {
        let (text, logprobs, reason) = match event {
            Event::Text(text) => (text, Value::Null, Value::Null),
            Event::Tokens(tokens) => {
                let offset = &mut self.offsets[index as usize];
                (String::new(), logprobs_of(&self.head.app, &tokens, offset), Value::Null)
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
