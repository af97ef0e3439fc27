//! A model in this process as a backend: its engine, its grammars, its tokenizer and its chat template.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll};

use async_channel::Receiver;
use futures_core::Stream;
use grammarc_runtime::Vocabulary;

use crate::backend::{Capabilities, Chat, Generation, LlmBackend, Prompt};
use crate::chat::{ChatError, ChatTemplate};
use crate::decoder::{CompiledGrammars, Decoder, Setup, longest_token};
use crate::encode::{Encode, controls};
use crate::engine::{Choice, Engine, EngineOptions, EngineStats, StreamItem};
use crate::error::GenerateError;
use crate::grammars::Grammars;
use crate::model::{Model, ModelInfo};
use crate::output::Event;
use crate::params::GenerateParams;

/// The parts of a backend.
pub struct LocalParts {
    /// The model.
    pub model: Box<dyn Model>,
    /// The compiler for its vocabulary.
    pub grammars: Grammars,
    /// Its tokenizer.
    pub encoder: Arc<dyn Encode>,
    /// Its chat template, where it has one.
    pub template: Option<ChatTemplate>,
    /// The tokens before a prompt that is plain text.
    pub begin: Vec<u32>,
}

/// A model in this process. `Send` and `Sync`.
pub struct Local {
    engine: Engine,
    grammars: Grammars,
    encoder: Arc<dyn Encode>,
    template: Option<ChatTemplate>,
    begin: Vec<u32>,
    /// Names of control tokens, the longest first.
    controls: Vec<String>,
    longest_token: usize,
}

/// A prompt as tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptTokens {
    /// The tokens.
    pub tokens: Vec<u32>,
    /// End of the prompt as text, for the tags that it opens. Empty if the prompt is tokens.
    end: String,
}

impl PromptTokens {
    /// Whether the prompt ends within a reasoning that the tag opens.
    pub fn opens(&self, tag: &str) -> bool {
        self.end.trim_end().ends_with(tag)
    }
}

/// Length of the stored end of a prompt, in bytes. A tag that was opened earlier is not found.
const END: usize = 256;

impl Local {
    /// Starts the engine of a model.
    ///
    /// # Errors
    ///
    /// The system starts no thread.
    pub fn start_engine(parts: LocalParts, options: EngineOptions) -> std::io::Result<Self> {
        let LocalParts { model, grammars, encoder, template, begin } = parts;
        let vocabulary = grammars.vocabulary();
        let longest_token = longest_token(vocabulary);
        let mut controls: Vec<String> =
            controls(vocabulary.artifact()).map(|(name, _)| name.to_owned()).collect();
        controls.sort_by_key(|name| (std::cmp::Reverse(name.len()), name.clone()));
        let engine = Engine::start(model, options)?;
        Ok(Self { engine, grammars, encoder, template, begin, controls, longest_token })
    }

    /// Returns the model's size.
    pub fn info(&self) -> ModelInfo {
        self.engine.info()
    }

    /// Returns the vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.grammars.vocabulary()
    }

    /// Returns the compiler.
    pub fn grammars(&self) -> &Grammars {
        &self.grammars
    }

    /// Returns the tokenizer.
    pub fn encoder(&self) -> &dyn Encode {
        &*self.encoder
    }

    /// Whether there is a chat template.
    pub fn has_template(&self) -> bool {
        self.template.is_some()
    }

    /// Whether there is a chat template that mentions tools.
    pub fn template_knows_tools(&self) -> bool {
        self.template.as_ref().is_some_and(ChatTemplate::knows_tools)
    }

    /// Returns the engine's statistics.
    pub fn stats(&self) -> EngineStats {
        self.engine.stats()
    }

    /// Encodes a prompt.
    ///
    /// # Errors
    ///
    /// The tokenizer cannot spell it, or the chat template refuses it.
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

    /// Compiles the grammars that the parameters need. A server does so before an output takes a slot. Setting the
    /// flag `cancel` ends the compilation.
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

    /// Returns the grammars of [`prepare`](Self::prepare) if all are cached or none is needed. `None` if one has to
    /// be compiled.
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

    /// Starts an output of a client. The number of the choice selects its random numbers, so the outputs of one
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
            in_reasoning: in_reasoning(&prompt, &params),
            prompt: prompt.tokens,
            choice: choice.number,
            grammars,
        };
        self.engine.submit(Decoder::new(params, setup)?, choice)
    }
}

/// Whether a prompt ends within the reasoning.
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

/// The events of an engine as a generation.
pub struct Received {
    receiver: Pin<Box<Receiver<StreamItem>>>,
    ended: bool,
}

impl Received {
    /// Returns the generation whose events the receiver gets.
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
        // An engine that ends without a word has lost its thread.
        Poll::Ready(Some(item.unwrap_or(Err(GenerateError::Closed))))
    }
}

impl From<ChatError> for GenerateError {
    fn from(error: ChatError) -> Self {
        Self::Chat(error)
    }
}
