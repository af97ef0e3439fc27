//! Prompts by name: templates, what kind of response each wants, and the response as that.
//!
//! A configuration is a table of texts that are JSON, as TrustGraph has it:
//!
//! | key | value |
//! | --- | --- |
//! | `system` | a template of the system message; `Be helpful.` by default |
//! | `template-index` | a list of ids |
//! | `template.<id>` | `prompt` (a template), `response-type` (`text`, `json` or `jsonl`; `text` by default), `schema`, `terms` |
//!
//! Terms of all prompts are below those of a prompt, and these below those of the input. Templates are Jinja: what is
//! none, or names a filter that there is not, fails when it is loaded. With logits, JSON and its lines are generated under
//! the schema; without, they are taken out of the text as the model wrote it.

mod config;
mod names;
mod response;
#[cfg(test)]
mod tests;

use grammarc_json::JsonSchema;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Value as Jinja};
use serde_json::{Map, Value, json};

use crate::backend::{Chat, LlmBackend, Prompt as ModelPrompt};
use crate::chat::jinja;
use crate::error::GenerateError;
use crate::grammar::Grammar;
use crate::json_mode::JsonModeConfig;
use crate::params::GenerateParams;

pub use config::PromptConfigError;
pub use response::{Response, ResponseError};

/// Steps of a template.
const FUEL: u64 = 10_000_000;

/// Name of the template of the system message.
const SYSTEM: &str = "system";

/// The kind of answer that a prompt wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseType {
    /// The text as it is.
    #[default]
    Text,
    /// One JSON value.
    Json,
    /// One JSON value a line; lines that are none are skipped.
    Jsonl,
}

impl ResponseType {
    /// Its name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
        }
    }
}

/// A prompt.
#[derive(Clone, Debug)]
struct Prompt {
    response: ResponseType,
    schema: Option<JsonSchema>,
    terms: Map<String, Value>,
}

/// A prompt with its terms in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedPrompt {
    /// The system message.
    pub system: String,
    /// The prompt.
    pub prompt: String,
}

impl RenderedPrompt {
    /// The input of a model: messages for its chat template if it has one, else one text.
    pub fn for_model(self, is_chat: bool) -> ModelPrompt {
        let Self { system, prompt } = self;
        if !is_chat {
            return ModelPrompt::Text(format!("{system}\n\n{prompt}"));
        }
        let messages = vec![
            json!({"role": "system", "content": system}),
            json!({"role": "user", "content": prompt}),
        ];
        ModelPrompt::Chat(Chat { messages, ..Chat::default() })
    }
}

/// Prompts by their ids.
#[derive(Debug)]
pub struct PromptManager {
    environment: Environment<'static>,
    terms: Map<String, Value>,
    prompts: Vec<(String, Prompt)>,
}

/// Why a prompt was not answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// There is no such prompt.
    #[error("ID invalid: there is no prompt `{id}`")]
    Unknown {
        /// Its id.
        id: String,
    },
    /// The template does not render with these terms.
    #[error("Error in template: {id}: {message}")]
    Template {
        /// Its id.
        id: String,
        /// The error in words.
        message: String,
    },
    /// The generation failed.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The response is not what the prompt wants.
    #[error(transparent)]
    Response(#[from] ResponseError),
}

impl PromptManager {
    /// The ids, in the order of the index.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.prompts.iter().map(|(id, _)| id.as_str())
    }

    /// Terms of all prompts.
    pub fn set_terms(&mut self, terms: Map<String, Value>) {
        self.terms = terms;
    }

    /// The kind of response that a prompt wants, and its schema.
    ///
    /// # Errors
    ///
    /// There is no such prompt.
    pub fn wants(&self, id: &str) -> Result<(ResponseType, Option<&JsonSchema>), PromptError> {
        let prompt = self.prompt(id)?;
        Ok((prompt.response, prompt.schema.as_ref()))
    }

    /// A prompt with the terms of an input in place.
    ///
    /// # Errors
    ///
    /// There is no such prompt, or it does not render.
    pub fn render(
        &self,
        id: &str,
        input: &Map<String, Value>,
    ) -> Result<RenderedPrompt, PromptError> {
        let prompt = self.prompt(id)?;
        let mut terms = self.terms.clone();
        terms.extend(prompt.terms.clone());
        terms.extend(input.clone());
        let terms =
            Jinja::from_pairs(terms.iter().map(|(name, value)| (name.clone(), jinja(value))));
        let render = |name: &str| {
            let template = self.environment.get_template(name);
            let text = template.and_then(|template| template.render(terms.clone()));
            text.map_err(|error| PromptError::Template {
                id: id.to_owned(),
                message: error.to_string(),
            })
        };
        Ok(RenderedPrompt { system: render(SYSTEM)?, prompt: render(&template_name(id))? })
    }

    /// The parameters of a prompt's generation: JSON and its lines under their schema, in place of the grammar or JSON mode that
    /// `base` has.
    ///
    /// # Errors
    ///
    /// There is no such prompt.
    pub fn params(&self, id: &str, base: GenerateParams) -> Result<GenerateParams, PromptError> {
        let prompt = self.prompt(id)?;
        let schema = prompt.schema.clone();
        Ok(match prompt.response {
            ResponseType::Text => base,
            ResponseType::Json => {
                let json_mode = JsonModeConfig { schema, ..JsonModeConfig::default() };
                GenerateParams { json_mode: Some(json_mode), constraint: None, ..base }
            }
            ResponseType::Jsonl => {
                let constraint = Some(Grammar::jsonl(schema.as_ref()));
                GenerateParams { constraint, json_mode: None, ..base }
            }
        })
    }

    /// A response as the prompt wants it.
    ///
    /// # Errors
    ///
    /// There is no such prompt, or the text is no response for it.
    pub fn take(&self, id: &str, text: &str) -> Result<Response, PromptError> {
        let prompt = self.prompt(id)?;
        Ok(Response::of(prompt.response, prompt.schema.as_ref(), text)?)
    }

    /// Asks a model: the prompt of an input, generated under its schema where the model has logits, and taken.
    ///
    /// # Errors
    ///
    /// See [`PromptError`].
    pub fn invoke(
        &self,
        backend: &dyn LlmBackend,
        id: &str,
        input: &Map<String, Value>,
        base: GenerateParams,
    ) -> Result<Response, PromptError> {
        let capabilities = backend.capabilities();
        let asked = self.render(id, input)?.for_model(capabilities.chat);
        let params = if capabilities.logits { self.params(id, base)? } else { base };
        let output = backend.generate_output(asked, params)?;
        self.take(id, &output.text)
    }

    fn prompt(&self, id: &str) -> Result<&Prompt, PromptError> {
        let found = self.prompts.iter().find(|(other, _)| other == id);
        found.map(|(_, prompt)| prompt).ok_or_else(|| PromptError::Unknown { id: id.to_owned() })
    }
}

/// The template of a prompt in the environment.
fn template_name(id: &str) -> String {
    format!("template.{id}")
}

/// An environment without templates.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    // A prompt is no page and no file: its id says nothing of how its terms are written, and its last line stays.
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let mut syntax = SyntaxConfig::builder();
    syntax.keep_trailing_newline(true);
    environment.set_syntax(syntax.build().expect("the delimiters are the usual ones"));
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment
}
