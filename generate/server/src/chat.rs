//! `POST /v1/chat/completions`.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use grammarc_generate::output::{TokenLogprob, Usage};
use grammarc_generate::{Event, Finish, GenerateParams, Logprobs, Output, Prompt};
use grammarc_json::JsonSchema;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::constraint::{self, Reader, Tools};
use crate::error::ApiError;
use crate::fields::Fields;
use crate::sse::{self, Framing, data};
use crate::{messages, reply, sampling};

/// Fields that change nothing here.
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

/// A request that was read.
struct Request {
    prompt: Prompt,
    params: GenerateParams,
    default_tokens: bool,
    choices: u32,
    stream: bool,
    include_usage: bool,
    schema: Option<JsonSchema>,
    ignored: Vec<&'static str>,
}

fn read(app: &App, body: &[u8]) -> Result<Request, ApiError> {
    let mut fields = Fields::of_body(body)?;
    fields.refuse(&[("functions", "tools"), ("function_call", "tool_choice")])?;
    fields.ignore(&IGNORED);
    fields.text("model")?;
    let max_tokens = fields.whole("max_completion_tokens")?;
    let max_tokens = max_tokens.or(fields.whole("max_tokens")?);
    let choices = fields.whole("n")?.unwrap_or(1);
    if choices == 0 || choices > app.options.choices {
        return Err(fields.wrong("n", format!("it is not between 1 and {}", app.options.choices)));
    }
    let stream = fields.flag("stream")?.unwrap_or(false);
    let include_usage = match fields.object("stream_options")? {
        Some(mut options) => {
            let usage = options.flag("include_usage")?.unwrap_or(false);
            options.ignore(&["include_obfuscation"]);
            options.finish()?;
            usage
        }
        None => false,
    };
    let wants = fields.flag("logprobs")?.unwrap_or(false);
    let top = fields.whole("top_logprobs")?;
    if top.is_some() && !wants {
        return Err(fields.wrong("top_logprobs", "it needs `logprobs`"));
    }
    let (mut params, default_tokens) = sampling::params(&mut fields, &app.options, max_tokens)?;
    params.logprobs = wants.then(|| Logprobs { top: top.unwrap_or(0) as u32, masked: false });
    let tools = Tools {
        tools: fields.list("tools")?.unwrap_or_default(),
        choice: fields.value("tool_choice"),
        parallel: fields.flag("parallel_tool_calls")?.unwrap_or(true),
    };
    let constraint = Reader { app }.read(&mut fields)?;
    let schema = constraint::settle(app, constraint, &tools, &mut params)?;
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
    let prompt = Prompt::Chat(messages::chat(app, messages, tools.tools, variables)?);
    let ignored = fields.finish()?;
    Ok(Request {
        prompt,
        params,
        default_tokens,
        choices: choices as u32,
        stream,
        include_usage,
        schema,
        ignored,
    })
}

/// Serves a request.
pub(crate) async fn serve(State(app): State<Arc<App>>, body: Bytes) -> Result<Response, ApiError> {
    let Request { prompt, params, default_tokens, choices, stream, include_usage, schema, ignored } =
        read(&app, &body)?;
    let (number, created) = app.request();
    let head = Head { id: format!("chatcmpl-{number}"), created, app: Arc::clone(&app) };
    let started = app.start(prompt, params, choices, default_tokens).await?;
    let response = if stream {
        let prompt_tokens = started.prompt_tokens;
        sse::response(
            Chunks {
                head,
                choices,
                include_usage,
                prompt_tokens,
                usages: Vec::new(),
                calls: vec![0; choices as usize],
            },
            started,
        )
    } else {
        let prompt_tokens = started.prompt_tokens;
        let outputs = sse::collect(started).await?;
        Json(head.whole(&outputs, prompt_tokens, schema.as_ref())).into_response()
    };
    Ok(reply::with_ignored(response, &ignored))
}

/// What all parts of a reply begin with.
struct Head {
    id: String,
    created: u64,
    app: Arc<App>,
}

impl Head {
    fn object(&self, kind: &str, choices: Vec<Value>) -> Value {
        json!({"id": self.id, "object": kind, "created": self.created, "model": self.app.options.model, "choices": choices})
    }

    fn call_id(&self, choice: u32, index: u32) -> String {
        format!("call_{}_{choice}_{index}", self.id.trim_start_matches("chatcmpl-"))
    }

    fn whole(
        &self,
        outputs: &[Output],
        prompt_tokens: usize,
        schema: Option<&JsonSchema>,
    ) -> Value {
        let choices =
            (0..).zip(outputs).map(|(choice, output)| self.choice(choice, output, schema));
        let mut reply = self.object("chat.completion", choices.collect());
        reply["usage"] = reply::usage(prompt_tokens, outputs.iter().map(|output| output.usage));
        reply
    }

    fn choice(&self, choice: u32, output: &Output, schema: Option<&JsonSchema>) -> Value {
        let mut message = json!({"role": "assistant", "content": output.text, "refusal": null});
        if !output.reasoning.is_empty() {
            message["reasoning_content"] = Value::from(output.reasoning.clone());
        }
        if !output.calls.is_empty() {
            let calls = (0..).zip(&output.calls).map(|(index, call)| {
                json!({"id": self.call_id(choice, index), "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments}})
            });
            message["tool_calls"] = calls.collect();
            if output.text.trim().is_empty() {
                message["content"] = Value::Null;
            }
        }
        let logprobs = match output.logprobs.is_empty() {
            true => Value::Null,
            false => reply::logprobs(&self.app, &output.logprobs),
        };
        let reason = reply::finish_reason(&output.finish, output.calls.len());
        let mut whole = json!({"index": choice, "message": message, "logprobs": logprobs, "finish_reason": reason});
        if let Some(violations) = reply::violations(output, schema) {
            whole["x_grammarc"]["violations"] = Value::from(violations);
        }
        if output.finish == (Finish::Length { closed: true }) {
            whole["x_grammarc"]["closed"] = Value::from(true);
        }
        whole
    }
}

/// The chunks of a reply that is streamed.
struct Chunks {
    head: Head,
    choices: u32,
    include_usage: bool,
    prompt_tokens: usize,
    usages: Vec<Usage>,
    /// Calls of each choice.
    calls: Vec<usize>,
}

impl Chunks {
    fn chunk(&self, choice: u32, delta: Value, logprobs: Value, reason: Value) -> String {
        let choice =
            json!({"index": choice, "delta": delta, "logprobs": logprobs, "finish_reason": reason});
        let mut chunk = self.head.object("chat.completion.chunk", vec![choice]);
        if self.include_usage {
            chunk["usage"] = Value::Null;
        }
        data(&chunk)
    }

    fn delta(&self, choice: u32, delta: Value) -> String {
        self.chunk(choice, delta, Value::Null, Value::Null)
    }

    fn tokens(&self, choice: u32, tokens: &[TokenLogprob]) -> String {
        self.chunk(choice, json!({}), reply::logprobs(&self.head.app, tokens), Value::Null)
    }
}

impl Framing for Chunks {
    fn begin(&mut self) -> String {
        let role = || json!({"role": "assistant", "content": "", "refusal": null});
        (0..self.choices).map(|choice| self.delta(choice, role())).collect()
    }

    fn event(&mut self, choice: u32, event: Event) -> String {
        match event {
            Event::Text(text) => self.delta(choice, json!({"content": text})),
            Event::Reasoning(text) => self.delta(choice, json!({"reasoning_content": text})),
            Event::Call { index, name } => {
                self.calls[choice as usize] += 1;
                let id = self.head.call_id(choice, index);
                let call = json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
                self.delta(choice, json!({"tool_calls": [call]}))
            }
            Event::Arguments { index, delta } => {
                let call = json!({"index": index, "function": {"arguments": delta}});
                self.delta(choice, json!({"tool_calls": [call]}))
            }
            Event::Tokens(tokens) => self.tokens(choice, &tokens),
            Event::Finished(finished) => {
                self.usages.push(finished.usage);
                let reason = reply::finish_reason(&finished.finish, self.calls[choice as usize]);
                self.chunk(choice, json!({}), Value::Null, Value::from(reason))
            }
        }
    }

    fn end(&mut self) -> String {
        let mut frames = String::new();
        if self.include_usage {
            let mut chunk = self.head.object("chat.completion.chunk", Vec::new());
            chunk["usage"] = reply::usage(self.prompt_tokens, self.usages.drain(..));
            frames.push_str(&data(&chunk));
        }
        frames.push_str("data: [DONE]\n\n");
        frames
    }
}
