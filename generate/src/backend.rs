//! The interface of every backend: takes a prompt and parameters, and returns events or a whole
//! output.
//!
//! A backend implements [`LlmBackend::start`]; the other methods build on it. A [`Generation`] is a
//! stream of events. An executor can poll it, or a thread can read it by blocking calls.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use futures_core::Stream;
use grammarc_json::{JsonSchema, JsonValidator, Status};
use serde_json::{Map, Value};

use crate::error::GenerateError;
use crate::json_mode::JsonModeConfig;
use crate::output::{Collector, Event, Output};
use crate::params::GenerateParams;

/// The prompt that a generation starts from.
#[derive(Clone, Debug, PartialEq)]
pub enum Prompt {
    /// Plain text that the output continues. The model's own start tokens are put before it. Names
    /// of control tokens in the text are encoded as plain characters.
    Text(String),
    /// A rendered chat template. Names of control tokens in the text become these tokens.
    Template(String),
    /// The ids of the prompt's tokens.
    Tokens(Vec<u32>),
    /// A conversation, which the model's chat template converts to a prompt.
    Chat(Chat),
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A conversation, as the input of a chat template.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chat {
    /// The messages, as objects of OpenAI's chat protocol.
    pub messages: Vec<Value>,
    /// The tools that the model may call, as objects of OpenAI's chat protocol.
    pub tools: Vec<Value>,
    /// Further variables for the chat template, by name.
    pub variables: Map<String, Value>,
    /// Start of the assistant's answer (a prefill), which the output continues. It is not part of
    /// the output. Names of control tokens in it are plain text.
    pub begun: String,
}

/// What a backend can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether the backend has access to the logits, so that grammars can constrain the output.
    pub logits: bool,
    /// Whether the backend has a chat template.
    pub chat: bool,
    /// Maximum number of tokens of a prompt and its output together. 0 if unknown.
    pub context: usize,
}

/// A running generation. Dropping it cancels it.
pub trait Generation: Stream<Item = Result<Event, GenerateError>> + Send + Unpin {
    /// Blocks until the next event. Returns `None` after the last event.
    ///
    /// # Errors
    ///
    /// The generation failed. No event follows an error.
    fn next(&mut self) -> Result<Option<Event>, GenerateError> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match Pin::new(&mut *self).poll_next(&mut context) {
                Poll::Ready(event) => return event.transpose(),
                Poll::Pending => std::thread::park(),
            }
        }
    }
}

impl<G: Stream<Item = Result<Event, GenerateError>> + Send + Unpin + ?Sized> Generation for G {}

/// Wakes a thread that waits for an event.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The text of a generation, one chunk at a time. Other events are skipped.
pub struct TextStream {
    inner: Box<dyn Generation>,
}

impl TextStream {
    /// Creates the text stream of a generation.
    pub fn new(inner: Box<dyn Generation>) -> Self {
        Self { inner }
    }
}

impl Stream for TextStream {
    type Item = Result<String, GenerateError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match Pin::new(&mut *self.inner).poll_next(context) {
                Poll::Ready(Some(Ok(Event::Text(text)))) => return Poll::Ready(Some(Ok(text))),
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

impl Iterator for TextStream {
    type Item = Result<String, GenerateError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match Generation::next(&mut *self.inner) {
                Ok(Some(Event::Text(text))) => return Some(Ok(text)),
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// A language model, whatever runs it.
pub trait LlmBackend: Send + Sync {
    /// Returns what the backend can do.
    fn capabilities(&self) -> Capabilities;

    /// Starts a generation for a prompt.
    ///
    /// # Errors
    ///
    /// A parameter is wrong or unsupported, the grammar does not compile, or the queue of the
    /// backend is full.
    fn start(
        &self,
        prompt: Prompt,
        params: GenerateParams,
    ) -> Result<Box<dyn Generation>, GenerateError>;

    /// Generates and returns the text that follows a prompt. In JSON mode the text is JSON.
    ///
    /// # Errors
    ///
    /// The errors of [`LlmBackend::start`], a failed generation, and an output that does not match
    /// the request.
    fn generate(&self, prompt: &str, params: GenerateParams) -> Result<String, GenerateError> {
        Ok(self.generate_output(prompt.into(), params)?.text)
    }

    /// Generates and returns the JSON value that follows a prompt. Uses the JSON mode of the
    /// parameters, or else strict JSON mode. `schema` replaces the schema of this mode.
    ///
    /// # Errors
    ///
    /// The errors of [`LlmBackend::generate`]. An output that is not JSON is an error even in
    /// lenient mode.
    fn generate_json(
        &self,
        prompt: &str,
        schema: Option<JsonSchema>,
        mut params: GenerateParams,
    ) -> Result<Value, GenerateError> {
        let mut mode = params.json_mode.take().unwrap_or_default();
        mode.schema = schema.or(mode.schema);
        let validator = mode.validator(false);
        params.json_mode = Some(mode);
        let output = self.generate_output(prompt.into(), params)?;
        match output.value {
            Some(value) => Ok(value),
            // A text of another grammar is not a JSON value. Neither is a text that only lenient
            // mode accepts.
            None => {
                let strict = JsonValidator { strict: true, grammar: None, ..validator };
                let error = strict.validate(&output.text);
                error.map(|validated| validated.value.unwrap_or_default()).map_err(Into::into)
            }
        }
    }

    /// Generates the text that follows a prompt, and returns it one chunk at a time. A chunk is
    /// never retracted, so an invalid output is not repaired.
    ///
    /// # Errors
    ///
    /// The errors of [`LlmBackend::start`].
    fn generate_stream(
        &self,
        prompt: &str,
        params: GenerateParams,
    ) -> Result<TextStream, GenerateError> {
        check(&params, self.capabilities())?;
        Ok(TextStream::new(self.start(prompt.into(), params)?))
    }

    /// Generates and returns the whole output that follows a prompt: text, calls, usage and more.
    ///
    /// # Errors
    ///
    /// The errors of [`LlmBackend::generate`].
    fn generate_output(
        &self,
        prompt: Prompt,
        params: GenerateParams,
    ) -> Result<Output, GenerateError> {
        check(&params, self.capabilities())?;
        let mode = params.json_mode.clone();
        let warning = without_logits(mode.as_ref(), self.capabilities());
        let mut generation = self.start(prompt, params)?;
        let mut collector = Collector::default();
        while let Some(event) = Generation::next(&mut *generation)? {
            collector.push(event);
        }
        let mut output = collector.finish().ok_or(GenerateError::Closed)?;
        output.warnings.extend(warning);
        finish(output, mode.as_ref())
    }
}

/// Checks that the parameters are valid and that a backend with these capabilities supports them.
///
/// # Errors
///
/// A parameter is out of its range, or a constraint is set and the backend has no logits. JSON mode
/// is accepted without logits, because the output is validated after the generation.
pub fn check(params: &GenerateParams, capabilities: Capabilities) -> Result<(), GenerateError> {
    params.check()?;
    if !capabilities.logits && params.constraint.is_some() {
        let why =
            "has no logits; give the grammar as `json_mode.grammar`, for which outputs are checked";
        return Err(GenerateError::Unsupported { what: "constraint", why });
    }
    Ok(())
}

/// Returns a warning if JSON mode asks for constrained decoding and the backend has no logits.
/// `None` otherwise.
fn without_logits(mode: Option<&JsonModeConfig>, capabilities: Capabilities) -> Option<String> {
    let is_missed = !capabilities.logits && mode.is_some_and(|mode| mode.constrained_decoding);
    let warning = "the backend has no logits: the output was validated after it was generated";
    is_missed.then(|| warning.to_owned())
}

/// Applies JSON mode to a finished output: extracts the JSON, parses it, repairs it if that is
/// enabled, and validates it. Without JSON mode, the output is unchanged.
///
/// # Errors
///
/// The output does not match the request. Lenient mode turns some of these errors into warnings.
pub fn finish(mut output: Output, mode: Option<&JsonModeConfig>) -> Result<Output, GenerateError> {
    let Some(mode) = mode else { return Ok(output) };
    let cut = output.finish.is_cut();
    let validated = mode.validator(cut).validate(&output.text)?;
    if validated.status == Status::Repaired {
        output.warnings.push("the output was repaired".to_owned());
    }
    output.warnings.extend(validated.warning);
    output.text = validated.text;
    output.value = validated.value;
    output.edits = validated.edits;
    Ok(output)
}
