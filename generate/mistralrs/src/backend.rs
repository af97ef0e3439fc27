//! A model of mistral.rs as a backend of `grammarc-generate`.

use std::sync::Arc;

use grammarc_generate::backend::{Capabilities, Chat, Generation, LlmBackend, Prompt};
use grammarc_generate::engine::StreamItem;
use grammarc_generate::local::Received;
use grammarc_generate::output::{Finish, Finished, Usage};
use grammarc_generate::{
    EarlyStop, Event, Forced, GenerateError, GenerateParams, Grammars, OnLength,
};
use mistralrs::{Model, RequestBuilder, Response, SamplingParams, StopTokens, TextMessageRole};
use tokio::runtime::Handle;

use crate::GrammarProcessor;

/// Number of events that the channel between a request and its caller holds. If it is full, the
/// request waits.
const WAITING: usize = 64;

/// A backend that runs a model of mistral.rs. `Send` and `Sync`.
pub struct MistralBackend {
    model: Arc<Model>,
    grammars: Grammars,
    runtime: Handle,
}

impl MistralBackend {
    /// Creates a backend for a model. `grammars` compiles for the model's vocabulary. The requests
    /// run on `runtime`. The runtime must have its own threads, because a caller that waits for
    /// events blocks its thread.
    ///
    /// Build the model with `with_prefix_cache_n(None)`. With a prefix cache, mistral.rs passes a processor different
    /// prompt tokens at the first call than later, and a request that meets the cache fails with an error.
    pub fn new(model: Model, grammars: Grammars, runtime: Handle) -> Self {
        Self { model: Arc::new(model), grammars, runtime }
    }

    fn request(
        &self,
        prompt: Prompt,
        params: &GenerateParams,
    ) -> Result<RequestBuilder, GenerateError> {
        refuse(params)?;
        let mut request = RequestBuilder::new().set_sampling(sampling(params));
        for (role, text) in messages(prompt)? {
            request = request.add_message(role, text);
        }
        let mode = params.json_mode.as_ref();
        let grammar = params.constraint.clone().or_else(|| mode.and_then(|mode| mode.grammar()));
        if let Some(grammar) = grammar {
            let compiled = self.grammars.compile(&grammar, None)?;
            request = request.add_logits_processor(Arc::new(GrammarProcessor::new(&compiled)));
        }
        Ok(request)
    }
}

impl LlmBackend for MistralBackend {
    fn capabilities(&self) -> Capabilities {
        let context = self.model.max_sequence_length().ok().flatten().unwrap_or(0);
        Capabilities { logits: true, chat: true, context }
    }

    fn start(
        &self,
        prompt: Prompt,
        params: GenerateParams,
    ) -> Result<Box<dyn Generation>, GenerateError> {
        let request = self.request(prompt, &params)?;
        let (sender, receiver) = async_channel::bounded(WAITING);
        let model = Arc::clone(&self.model);
        self.runtime.spawn(async move {
            let generation = generate(&model, request, &sender);
            let ended = match params.deadline {
                None => generation.await,
                Some(time) => tokio::time::timeout(time, generation)
                    .await
                    .unwrap_or_else(|_| Ok(end(Finish::Deadline, Usage::default()))),
            };
            // If the generation was cancelled, nobody receives its end.
            let _ = sender.send(ended).await;
        });
        Ok(Box::new(Received::new(receiver)))
    }
}

fn end(finish: Finish, usage: Usage) -> Event {
    Event::Finished(Finished { finish, cut_call: None, usage })
}

/// Sends the events of a request to its caller. Returns the last event.
async fn generate(
    model: &Model,
    request: RequestBuilder,
    sender: &async_channel::Sender<StreamItem>,
) -> Result<Event, GenerateError> {
    let failed = |message: String| GenerateError::Backend(message.into());
    let mut stream =
        model.stream_chat_request(request).await.map_err(|error| failed(error.to_string()))?;
    let mut usage = Usage::default();
    let mut finish = None;
    while let Some(response) = stream.next().await {
        let chunk = match response {
            Response::Chunk(chunk) => chunk,
            Response::Done(_) => break,
            Response::InternalError(error) | Response::ValidationError(error) => {
                return Err(failed(error.to_string()));
            }
            Response::ModelError(message, _) => return Err(failed(message)),
            _ => {
                return Err(failed("mistral.rs answered with something else than text".to_owned()));
            }
        };
        if let Some(counted) = chunk.usage {
            usage.prompt_tokens = counted.prompt_tokens;
            usage.completion_tokens = counted.completion_tokens;
        }
        let Some(choice) = chunk.choices.into_iter().next() else { continue };
        let reasoning = choice.delta.reasoning_content.filter(|text| !text.is_empty());
        let text = choice.delta.content.filter(|text| !text.is_empty());
        let events = reasoning.map(Event::Reasoning).into_iter().chain(text.map(Event::Text));
        for event in events {
            if sender.send(Ok(event)).await.is_err() {
                return Ok(end(Finish::Cancelled, usage));
            }
        }
        if let Some(reason) = choice.finish_reason {
            finish = Some(match reason.as_str() {
                "length" => Finish::Length { closed: false },
                _ => Finish::Stop,
            });
        }
    }
    let finish = finish.ok_or_else(|| failed("mistral.rs ended without a reason".to_owned()))?;
    Ok(end(finish, usage))
}

/// Returns the messages of a prompt. Fails for tools, template variables, a begun answer, token ids
/// and rendered templates.
fn messages(prompt: Prompt) -> Result<Vec<(TextMessageRole, String)>, GenerateError> {
    let Chat { messages, tools, variables, begun } = match prompt {
        Prompt::Text(text) => return Ok(vec![(TextMessageRole::User, text)]),
        Prompt::Chat(chat) => chat,
        Prompt::Template(_) | Prompt::Tokens(_) => {
            return Err(unsupported("prompt", "takes texts and conversations"));
        }
    };
    if !tools.is_empty() || !variables.is_empty() || !begun.is_empty() {
        let why = "takes messages alone; constrain calls by a structural tag in `constraint`";
        return Err(unsupported("prompt", why));
    }
    let messages = messages.into_iter().map(|message| {
        let role = match message["role"].as_str() {
            Some("system" | "developer") => TextMessageRole::System,
            Some("assistant") => TextMessageRole::Assistant,
            Some("tool") => TextMessageRole::Tool,
            Some("user") => TextMessageRole::User,
            _ => return Err(unsupported("prompt", "knows the roles of OpenAI's protocol alone")),
        };
        let text = message["content"].as_str();
        let text = text.ok_or_else(|| unsupported("prompt", "reads contents that are strings"))?;
        Ok((role, text.to_owned()))
    });
    messages.collect()
}

fn sampling(params: &GenerateParams) -> SamplingParams {
    let GenerateParams { temperature, top_k, top_p, min_p, penalties, .. } = *params;
    let some = |given: bool, value: f32| given.then_some(f64::from(value));
    let mut sampling = match temperature {
        0.0 => SamplingParams::deterministic(),
        _ => SamplingParams::neutral(),
    };
    if temperature > 0.0 {
        sampling.temperature = Some(f64::from(temperature));
        sampling.top_k = (top_k > 0).then_some(top_k as usize);
        sampling.top_p = some(top_p < 1.0, top_p);
        sampling.min_p = some(min_p > 0.0, min_p);
    }
    sampling.max_len = Some(params.max_tokens);
    sampling.frequency_penalty = (penalties.frequency != 0.0).then_some(penalties.frequency);
    sampling.presence_penalty = (penalties.presence != 0.0).then_some(penalties.presence);
    sampling.repetition_penalty = (penalties.repetition != 1.0).then_some(penalties.repetition);
    sampling.stop_toks = (!params.stop.is_empty()).then(|| StopTokens::Seqs(params.stop.clone()));
    if !params.logit_bias.is_empty() {
        sampling.logits_bias = Some(params.logit_bias.iter().copied().collect());
    }
    sampling
}

/// Fails if a parameter is set that mistral.rs lacks.
fn refuse(params: &GenerateParams) -> Result<(), GenerateError> {
    let unknown = [
        ("seed", params.seed.is_some()),
        ("end_tokens", params.end_tokens.is_some()),
        ("empty_tokens_end", params.empty_tokens_end),
        ("prob_limit", params.prob_limit.is_some()),
        ("early_stop", params.early_stop != EarlyStop::MustEnd),
        ("overshoot", params.overshoot),
        ("on_length", params.on_length != OnLength::Truncate),
        ("forced", matches!(params.forced, Forced::Exact | Forced::Draft)),
        ("logprobs", params.logprobs.is_some()),
        ("reasoning", params.reasoning.is_some()),
    ];
    match unknown.into_iter().find(|(_, given)| *given) {
        Some((what, _)) => {
            Err(unsupported(what, "leaves sampling to mistral.rs, which does not have it"))
        }
        None => Ok(()),
    }
}

fn unsupported(what: &'static str, why: &'static str) -> GenerateError {
    GenerateError::Unsupported { what, why }
}
