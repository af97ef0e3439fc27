//! The endpoint `POST /v1/chat/completions`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use grammarc_compiler::frontend::structural_tag::RefusedTool;
use grammarc_generate::fair::Client;
use grammarc_generate::output::{TokenLogprob, Usage};
use grammarc_generate::{Event, Logprobs, Prompt};
use grammarc_json::JsonSchema;
use serde_json::{Map, Value, json};

use crate::app::{App, Wanted};
use crate::body::Body;
use crate::calls::Calls;
use crate::constraint::{self, Held, Reader};
use crate::delivery::{Delivery, Head};
use crate::error::ApiError;
use crate::fields::Fields;
use crate::functions::Tools;
use crate::log::Record;
use crate::sse::{self, Framing, Whole, data};
use crate::{messages, reply, sampling};

/// Prefix of the ids of chat replies.
const PREFIX: &str = "chatcmpl-";

/// Type name of the objects in a chat stream.
const CHUNK: &str = "chat.completion.chunk";

/// Names of fields that are accepted without effect.
const IGNORED: [&str; 12] = [
    "user",
    "metadata",
    "store",
    "service_tier",
    "reasoning_effort",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "verbosity",
    "prediction",
    "modalities",
    "include_reasoning",
];

/// A parsed request for a chat completion.
struct Request {
    wanted: Wanted,
    delivery: Delivery,
    schema: Option<JsonSchema>,
    calls: Calls,
    shown: Shown,
    ignored: Vec<&'static str>,
}

/// Which data about single tokens a reply includes.
#[derive(Clone, Copy)]
struct Shown {
    logprobs: bool,
    mass: bool,
}

fn read(app: &App, client: Client, body: &[u8]) -> Result<Request, ApiError> {
    let mut fields = Fields::of_body(body)?;
    fields.refuse(&[("functions", "tools"), ("function_call", "tool_choice")])?;
    fields.ignore(&IGNORED);
    fields.text("model")?;
    let max_tokens = fields.whole("max_completion_tokens")?;
    let max_tokens = max_tokens.or(fields.whole("max_tokens")?);
    let delivery = Delivery::read(&mut fields, app, 1, &["include_obfuscation"])?;
    let wants = fields.flag("logprobs")?.unwrap_or(false);
    let top = fields.whole("top_logprobs")?;
    if top.is_some() && !wants {
        return Err(fields.wrong("top_logprobs", "it needs `logprobs`"));
    }
    let (mut params, default_tokens) = sampling::params(&mut fields, app, max_tokens)?;
    let shown = Shown { logprobs: wants, mass: params.logprobs.is_some() };
    if wants {
        params.logprobs = Some(Logprobs { top: top.unwrap_or(0) as u32, masked: false });
    }
    let given = fields.list("tools")?.unwrap_or_default();
    let choice = fields.value("tool_choice");
    let parallel = fields.flag("parallel_tool_calls")?.unwrap_or(true);
    let tools = Tools::read(app, &mut fields, given, choice, parallel)?;
    let constraint = Reader { app }.read(&mut fields)?;
    let held = constraint::resolve(app, constraint, &tools, &mut params)?;
    let variables = match fields.value("chat_template_kwargs") {
        Some(Value::Object(variables)) => variables,
        Some(_) => return Err(fields.wrong("chat_template_kwargs", "it is no object")),
        None => Map::new(),
    };
    if variables.get("enable_thinking") == Some(&Value::Bool(false)) {
        params.reasoning = None;
    }
    let messages = fields.list("messages")?;
    let messages = messages.ok_or_else(|| fields.wrong("messages", "it is missing"))?;
    let goes_on = fields.flag("continue_final_message")?.unwrap_or(false);
    if fields.flag("add_generation_prompt")?.is_some_and(|opens| opens == goes_on) {
        let message =
            "an answer is begun, unless `continue_final_message` says that the last one goes on";
        return Err(fields.wrong("add_generation_prompt", message));
    }
    let calls = tools.calls(app);
    let prompt = Prompt::Chat(messages::chat(app, messages, goes_on, tools.shown, variables)?);
    let ignored = fields.finish()?;
    let choices = delivery.choices;
    let Held { schema, field: constrained_by } = held;
    let wanted = Wanted { client, prompt, params, choices, default_tokens, constrained_by };
    Ok(Request { wanted, delivery, schema, calls, shown, ignored })
}

/// Serves a request for a chat completion.
pub(crate) async fn serve(
    State(app): State<Arc<App>>,
    Extension(record): Extension<Record>,
    Extension(client): Extension<Client>,
    Body(body): Body,
) -> Result<Response, ApiError> {
    let request = app.work(move |app| read(app, client, &body)).await?;
    let Request { wanted, delivery, schema, calls, shown, ignored } = request;
    let head = Head::new(&app, PREFIX, &record);
    let started = app.start(wanted).await?;
    let started = started.with(record, &calls);
    let (prompt_tokens, refused) = (started.prompt_tokens, started.refused.clone());
    let response = if delivery.stream {
        let sent = vec![SentParts::default(); delivery.choices as usize];
        let usages = Vec::new();
        let refused = refused.clone();
        let chunks =
            Chunks { head, delivery, prompt_tokens, usages, schema, calls, shown, sent, refused };
        sse::response(chunks, started)
    } else {
        let outputs = sse::collect(started).await?;
        let choices = (0..)
            .zip(&outputs)
            .map(|(index, output)| choice(&head, index, output, &calls, shown, schema.as_ref()));
        let usages = outputs.iter().map(|whole| whole.output.usage);
        let whole = head.reply("chat.completion", choices.collect(), prompt_tokens, usages);
        Json(reply::listing_refused(whole, &refused)).into_response()
    };
    let response = reply::with_refused(response, &refused);
    Ok(reply::with_ignored(response, &ignored))
}

/// Returns the id of a tool call. `choice` is the index of the output, `index` that of the call in
/// it.
fn call_id(head: &Head, choice: u32, index: u32) -> String {
    format!("call_{}_{choice}_{index}", head.number(PREFIX))
}

/// Returns a tool call as the reply writes it: of a function or of a custom tool.
fn call_of(kinds: &Calls, name: &str, text: &str) -> Value {
    match kinds.is_custom(name) {
        true => json!({"type": "custom", "custom": {"name": name, "input": text}}),
        false => json!({"type": "function", "function": {"name": name, "arguments": text}}),
    }
}

/// Returns one choice (output) of a complete reply.
fn choice(
    head: &Head,
    choice: u32,
    Whole { output, violations }: &Whole,
    kinds: &Calls,
    shown: Shown,
    schema: Option<&JsonSchema>,
) -> Value {
    let mut message = json!({"role": "assistant", "content": output.text, "refusal": null});
    if !output.reasoning.is_empty() {
        message["reasoning_content"] = Value::from(output.reasoning.clone());
    }
    if !output.calls.is_empty() {
        let calls = (0..).zip(&output.calls).map(|(index, call)| {
            let mut whole = call_of(kinds, &call.name, &call.arguments);
            whole["id"] = Value::from(call_id(head, choice, index));
            whole
        });
        message["tool_calls"] = calls.collect();
        if output.text.trim().is_empty() {
            message["content"] = Value::Null;
        }
    }
    let logprobs = match shown.logprobs && !output.logprobs.is_empty() {
        true => reply::logprobs(&head.app, &output.logprobs),
        false => Value::Null,
    };
    let reason = reply::finish_reason(&output.finish, output.calls.len());
    let mut whole =
        json!({"index": choice, "message": message, "logprobs": logprobs, "finish_reason": reason});
    let calls = output.calls.len();
    let own = reply::own(&head.app, &output.finish, &output.text, calls, schema, None);
    if let Some(own) = reply::with_violations(own, violations.clone()) {
        whole["x_grammarc"] = own;
    }
    if shown.mass {
        whole["x_grammarc"]["mass"] = reply::mass(&output.logprobs);
    }
    whole
}

/// Builds the chunks of a streamed chat reply.
struct Chunks {
    head: Head,
    delivery: Delivery,
    prompt_tokens: usize,
    usages: Vec<Usage>,
    schema: Option<JsonSchema>,
    calls: Calls,
    shown: Shown,
    /// For each choice (output), the parts that were sent so far.
    sent: Vec<SentParts>,
    refused: Vec<RefusedTool>,
}

/// What was sent so far of one choice (output).
#[derive(Clone, Default)]
struct SentParts {
    calls: usize,
    /// Whether the last call that was sent is of a custom tool.
    is_custom: bool,
    /// The text so far. Collected only if the output has to satisfy a schema.
    text: String,
    /// How the calls of loosened tools violate their schemas.
    violations: Option<String>,
}

impl Chunks {
    fn chunk(
        &self,
        choice: u32,
        delta: Value,
        logprobs: Value,
        reason: Value,
        own: Option<Value>,
    ) -> Value {
        let mut choice =
            json!({"index": choice, "delta": delta, "logprobs": logprobs, "finish_reason": reason});
        if let Some(own) = own {
            choice["x_grammarc"] = own;
        }
        let mut chunk = self.head.object(CHUNK, vec![choice]);
        if self.delivery.include_usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    }

    fn delta(&self, choice: u32, delta: Value) -> String {
        data(&self.chunk(choice, delta, Value::Null, Value::Null, None))
    }

    fn tokens(&self, choice: u32, tokens: &[TokenLogprob]) -> String {
        let Shown { logprobs, mass } = self.shown;
        let logprobs = match logprobs {
            true => reply::logprobs(&self.head.app, tokens),
            false => Value::Null,
        };
        let own = mass.then(|| json!({"mass": reply::mass(tokens)}));
        data(&self.chunk(choice, json!({}), logprobs, Value::Null, own))
    }
}

impl Framing for Chunks {
    fn begin(&mut self) -> String {
        let role = || json!({"role": "assistant", "content": "", "refusal": null});
        let chunks = (0..self.delivery.choices).map(|choice| {
            let chunk = self.chunk(choice, role(), Value::Null, Value::Null, None);
            // The first chunk names the tools for all choices.
            let refused = if choice == 0 { &self.refused[..] } else { &[] };
            data(&reply::listing_refused(chunk, refused))
        });
        chunks.collect()
    }

    fn event(&mut self, choice: u32, event: Event) -> String {
        match event {
            Event::Text(text) => {
                if self.schema.is_some() {
                    self.sent[choice as usize].text.push_str(&text);
                }
                self.delta(choice, json!({"content": text}))
            }
            Event::Reasoning(text) => self.delta(choice, json!({"reasoning_content": text})),
            Event::Call { index, name } => {
                let sent = &mut self.sent[choice as usize];
                sent.calls += 1;
                sent.is_custom = self.calls.is_custom(&name);
                let mut call = call_of(&self.calls, &name, "");
                call["index"] = Value::from(index);
                call["id"] = Value::from(call_id(&self.head, choice, index));
                self.delta(choice, json!({"tool_calls": [call]}))
            }
            Event::Arguments { index, delta } => {
                let call = match self.sent[choice as usize].is_custom {
                    true => json!({"index": index, "custom": {"input": delta}}),
                    false => json!({"index": index, "function": {"arguments": delta}}),
                };
                self.delta(choice, json!({"tool_calls": [call]}))
            }
            Event::Tokens(tokens) => self.tokens(choice, &tokens),
            Event::Changed(_) => String::new(),
            Event::Finished(finished) => {
                self.usages.push(finished.usage);
                let sent = std::mem::take(&mut self.sent[choice as usize]);
                let SentParts { calls, text, violations, .. } = sent;
                let reason = Value::from(reply::finish_reason(&finished.finish, calls));
                let schema = self.schema.as_ref();
                let app = &self.head.app;
                let (finish, cut_call) = (&finished.finish, finished.cut_call);
                let own = reply::own(app, finish, &text, calls, schema, cut_call);
                let own = reply::with_violations(own, violations);
                data(&self.chunk(choice, json!({}), Value::Null, reason, own))
            }
        }
    }

    fn violations(&mut self, choice: u32, violations: String) {
        self.sent[choice as usize].violations = Some(violations);
    }

    fn end(&mut self) -> String {
        self.head.end(CHUNK, self.delivery, self.prompt_tokens, &self.usages)
    }
}
