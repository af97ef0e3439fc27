//! A backend for a model in this process, with its engine, grammars, tokenizer and chat template.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll};

use async_channel::Receiver;
use futures_core::Stream;
use grammarc_runtime::Vocabulary;
use grammarc_runtime::drafter::Drafter;

use crate::backend::{Capabilities, Chat, Generation, LlmBackend, Prompt};
use crate::chat::{ChatError, ChatTemplate};
use crate::decoder::{CompiledGrammars, Decoder, Setup, longest_token};
use crate::encode::{Encode, controls, drafter_of};
use crate::engine::{Choice, Engine, EngineOptions, EngineStats, StreamItem};
use crate::error::GenerateError;
use crate::grammars::Grammars;
use crate::model::{Model, ModelInfo};
use crate::output::Event;
use crate::params::GenerateParams;

/// The parts from which a [`Local`] backend is built.
pub struct LocalParts {
    /// The model that computes the logits.
    pub model: Box<dyn Model>,
    /// The grammar compiler for the model's vocabulary.
    pub grammars: Grammars,
    /// The tokenizer of the model.
    pub encoder: Arc<dyn Encode>,
    /// The chat template of the model. `None` if the model has none.
    pub template: Option<ChatTemplate>,
    /// The tokens that are put before a prompt of plain text.
    pub begin: Vec<u32>,
}

/// A backend for a model in this process. `Send` and `Sync`.
pub struct Local {
    engine: Engine,
    grammars: Grammars,
    encoder: Arc<dyn Encode>,
    drafter: Arc<Drafter>,
    template: Option<ChatTemplate>,
    begin: Vec<u32>,
    /// The names of the control tokens, longer names first.
    controls: Vec<String>,
    longest_token: usize,
}

/// A prompt that was encoded as tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptTokens {
    /// The tokens of the prompt.
    pub tokens: Vec<u32>,
    /// The last part of the prompt's text, at most [`END`] bytes. Empty if the prompt was given as
    /// tokens.
    end: String,
}

impl PromptTokens {
    /// Whether the prompt ends with `tag`, apart from white space, so that the output starts within
    /// the reasoning.
    pub fn opens(&self, tag: &str) -> bool {
        self.end.trim_end().ends_with(tag)
    }
}

/// Number of bytes at the end of a prompt that are stored, to find a tag that opens the reasoning.
/// An earlier tag is not found.
const END: usize = 256;

impl Local {
    /// Starts the engine, a thread that runs the model.
    ///
    /// # Errors
    ///
    /// The operating system cannot start a thread.
    pub fn start_engine(parts: LocalParts, options: EngineOptions) -> std::io::Result<Self> {
        let LocalParts { model, grammars, encoder, template, begin } = parts;
        let vocabulary = grammars.vocabulary();
        let longest_token = longest_token(vocabulary);
        let mut controls: Vec<String> =
            controls(vocabulary.artifact()).map(|(name, _)| name.to_owned()).collect();
        controls.sort_by_key(|name| (std::cmp::Reverse(name.len()), name.clone()));
        let engine = Engine::start(model, options)?;
        let drafter = Arc::new(drafter_of(Arc::clone(&encoder)));
        Ok(Self { engine, grammars, encoder, drafter, template, begin, controls, longest_token })
    }

    /// Returns the sizes of the model.
    pub fn info(&self) -> ModelInfo {
        self.engine.info()
    }

    /// Returns the vocabulary of the model.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.grammars.vocabulary()
    }

    /// Returns the grammar compiler for the model's vocabulary.
    pub fn grammars(&self) -> &Grammars {
        &self.grammars
    }

    /// Returns the tokenizer of the model.
    pub fn encoder(&self) -> &dyn Encode {
        &*self.encoder
    }

    /// Whether the model has a chat template.
    pub fn has_template(&self) -> bool {
        self.template.is_some()
    }

    /// Whether the model has a chat template that mentions tools.
    pub fn template_knows_tools(&self) -> bool {
        self.template.as_ref().is_some_and(ChatTemplate::knows_tools)
    }

    /// Returns the statistics of the engine.
    pub fn stats(&self) -> EngineStats {
        self.engine.stats()
    }

    /// Encodes a prompt as tokens.
    ///
    /// # Errors
    ///
    /// The tokenizer cannot encode the prompt, the model has no chat template for a conversation,
    /// or the template rejects it.
    pub fn tokens(&self, prompt: &Prompt) -> Result<PromptTokens, GenerateError> {
        let ended = |tokens: Option<Vec<u32>>, text: &str| {
            let from = text.len().saturating_sub(END);
            let from = (from..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            let tokens = tokens.ok_or(GenerateError::Prompt)?;
            Ok(PromptTokens { tokens, end: text[from..].to_owned() })
        };
        match prompt {
            Prompt::Tokens(tokens) => ended(Some(tokens.clone()), ""),
            Prompt::Template(text) => ended(self.encoder.prompt(text), text),
            Prompt::Text(text) => {
                let tokens = self.encoder.text(text);
                ended(tokens.map(|tokens| [&self.begin[..], &tokens].concat()), text)
            }
            Prompt::Chat(Chat { messages, tools, variables, begun }) => {
                let unsupported = GenerateError::Unsupported {
                    what: "prompt",
                    why: "has no chat template; give the prompt as text",
                };
                let template = self.template.as_ref().ok_or(unsupported)?;
                let controls: Vec<&str> = self.controls.iter().map(String::as_str).collect();
                let rendered = template.render(messages, tools, &controls, variables)?;
                let mut tokens = rendered.encode(&*self.encoder)?;
                tokens.extend(self.encoder.text(begun).ok_or(GenerateError::Prompt)?);
                ended(Some(tokens), &(rendered.text() + begun))
            }
        }
    }

    /// Compiles the grammars that the parameters need. A server does so before the output takes a
    /// slot of the engine. Setting the flag `cancel` ends the compilation with an error.
    ///
    /// # Errors
    ///
    /// A parameter is wrong, or a grammar does not compile.
    pub fn prepare(
        &self,
        prompt: &PromptTokens,
        params: &GenerateParams,
        cancel: Option<&Arc<AtomicBool>>,
    ) -> Result<CompiledGrammars, GenerateError> {
        params.check()?;
        CompiledGrammars::compile(params, in_reasoning(prompt, params), &self.grammars, cancel)
    }

    /// Returns the grammars that [`prepare`](Self::prepare) would return, if nothing has to be
    /// compiled. `None` if a grammar has to be compiled.
    ///
    /// # Errors
    ///
    /// A parameter is wrong, or an earlier compilation of a grammar failed.
    pub fn prepare_kept(
        &self,
        prompt: &PromptTokens,
        params: &GenerateParams,
    ) -> Result<Option<CompiledGrammars>, GenerateError> {
        params.check()?;
        CompiledGrammars::kept(params, in_reasoning(prompt, params), &self.grammars)
    }

    /// Queues one output and returns its events. `choice` names the client and the number of the
    /// output within its request. The number selects the random numbers, so the outputs of one
    /// request differ.
    ///
    /// # Errors
    ///
    /// See [`LlmBackend::start`].
    pub fn start_choice(
        &self,
        prompt: PromptTokens,
        params: GenerateParams,
        grammars: CompiledGrammars,
        choice: Choice,
    ) -> Result<Receiver<StreamItem>, GenerateError> {
        let setup = Setup {
            vocabulary: self.vocabulary().clone(),
            logit_width: self.info().logit_width,
            longest_token: self.longest_token,
            encoder: Some(Arc::clone(&self.encoder)),
            drafter: Some(Arc::clone(&self.drafter)),
            in_reasoning: in_reasoning(&prompt, &params),
            prompt: prompt.tokens,
            choice: choice.number,
            grammars,
        };
        self.engine.submit(Decoder::new(params, setup)?, choice)
    }
}

/// Whether the prompt ends within the reasoning, so that the output starts there.
fn in_reasoning(prompt: &PromptTokens, params: &GenerateParams) -> bool {
    let reasoning = params.reasoning.as_ref();
    reasoning.is_some_and(|reasoning| {
        reasoning.prefilled.unwrap_or_else(|| prompt.opens(&reasoning.open))
    })
}

impl LlmBackend for Local {
    fn capabilities(&self) -> Capabilities {
        let (chat, context) = (self.template.is_some(), self.info().context);
        Capabilities { logits: true, chat, context }
    }

    fn start(
        &self,
        prompt: Prompt,
        params: GenerateParams,
    ) -> Result<Box<dyn Generation>, GenerateError> {
        let prompt = self.tokens(&prompt)?;
        let grammars = self.prepare(&prompt, &params, None)?;
        let receiver = self.start_choice(prompt, params, grammars, Choice::default())?;
        Ok(Box::new(Received::new(receiver)))
    }
}

/// A generation whose events arrive through a channel.
pub struct Received {
    receiver: Pin<Box<Receiver<StreamItem>>>,
    ended: bool,
}

impl Received {
    /// Creates a generation from the receiver of its events.
    pub fn new(receiver: Receiver<StreamItem>) -> Self {
        Self { receiver: Box::pin(receiver), ended: false }
    }
}

impl Stream for Received {
    type Item = Result<Event, GenerateError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let item = std::task::ready!(self.receiver.as_mut().poll_next(context));
        self.ended = !matches!(&item, Some(Ok(event)) if !matches!(event, Event::Finished(_)));
        // If the channel closes without a last event, the engine's thread has ended.
        Poll::Ready(Some(item.unwrap_or(Err(GenerateError::Closed))))
    }
}

impl From<ChatError> for GenerateError {
    fn from(error: ChatError) -> Self {
        Self::Chat(error)
    }
}
