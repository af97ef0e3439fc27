//! The interface of every backend: a prompt and parameters in, events or a whole output out.
//!
//! A backend implements [`LlmBackend::start`]; everything else stands on it. A [`Generation`] is a stream of events that can be
//! read by an executor and, by blocking, without one.

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

/// The text that a generation begins with.
#[derive(Clone, Debug, PartialEq)]
pub enum Prompt {
    /// A text to go on with, behind the model's own beginning. Names of control tokens in it are characters.
    Text(String),
    /// A prompt that a template has made: names of control tokens in it are these tokens.
    Template(String),
    /// Tokens.
    Tokens(Vec<u32>),
    /// A conversation, for the model's chat template.
    Chat(Chat),
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chat {
    /// Messages, as OpenAI's objects.
    pub messages: Vec<Value>,
    /// Tools, as OpenAI's objects.
    pub tools: Vec<Value>,
    /// Variables of the template.
    pub variables: Map<String, Value>,
    /// The beginning of the assistant's answer (a prefill). It is not part of the output. Names of control tokens in it are plain text.
    pub begun: String,
}

/// The abilities of a backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// It has the logits, so that grammars constrain what is generated.
    pub logits: bool,
    /// It has a chat template.
    pub chat: bool,
    /// Most tokens of prompt and output together; 0 where that is not known.
    pub context: usize,
}

/// A generation that is under way. Dropping it calls it off.
pub trait Generation: Stream<Item = Result<Event, GenerateError>> + Send + Unpin {
    /// Waits for the next event; none behind the last.
    ///
    /// # Errors
    ///
    /// The generation failed; nothing comes any more.
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

/// Wakes a thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The text of a generation as it comes.
pub struct TextStream {
    inner: Box<dyn Generation>,
}

impl TextStream {
    /// The text of a generation.
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

/// A language model behind some interface.
pub trait LlmBackend: Send + Sync {
    /// Its abilities.
    fn capabilities(&self) -> Capabilities;

    /// Begins a generation.
    ///
    /// # Errors
    ///
    /// A parameter is wrong or cannot be met, the grammar does not compile, or the backend takes no more.
    fn start(
        &self,
        prompt: Prompt,
        params: GenerateParams,
    ) -> Result<Box<dyn Generation>, GenerateError>;

    /// The text that follows a prompt. In JSON mode it is JSON.
    ///
    /// # Errors
    ///
    /// The errors of [`LlmBackend::start`], and that the generation fails or its output is not what was asked for.
    fn generate(&self, prompt: &str, params: GenerateParams) -> Result<String, GenerateError> {
        Ok(self.generate_output(prompt.into(), params)?.text)
    }

    /// The value that follows a prompt: JSON mode as the parameters have it, strict where they say nothing, with this schema
    /// where one is given.
    ///
    /// # Errors
    ///
    /// The errors of [`LlmBackend::generate`]. An output that is no JSON is one in any case.
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
            // Neither a text of another grammar nor one that lenient mode lets through is a value.
            None => {
                let strict = JsonValidator { strict: true, grammar: None, ..validator };
                let error = strict.validate(&output.text);
                error.map(|validated| validated.value.unwrap_or_default()).map_err(Into::into)
            }
        }
    }

    /// The text that follows a prompt, as it comes. Text that was told is never taken back, so nothing is repaired.
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

    /// The whole output that follows a prompt.
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

/// Refuses what a backend cannot do.
///
/// # Errors
///
/// A parameter is out of its range, or asks for a grammar of a backend without logits. JSON mode is no such parameter: there
/// the output is validated after it was generated.
pub fn check(params: &GenerateParams, capabilities: Capabilities) -> Result<(), GenerateError> {
    params.check()?;
    if !capabilities.logits && params.constraint.is_some() {
        let why =
            "has no logits; give the grammar as `json_mode.grammar`, for which outputs are checked";
        return Err(GenerateError::Unsupported { what: "constraint", why });
    }
    Ok(())
}

/// The warning that JSON mode asks for constrained tokens and the backend has no logits.
fn without_logits(mode: Option<&JsonModeConfig>, capabilities: Capabilities) -> Option<String> {
    let is_missed = !capabilities.logits && mode.is_some_and(|mode| mode.constrained_decoding);
    let warning = "the backend has no logits: the output was validated after it was generated";
    is_missed.then(|| warning.to_owned())
}

/// The output as JSON mode has it: extracted, parsed, repaired where that is asked for, validated.
///
/// # Errors
///
/// In strict mode: the output is not what was asked for.
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
