//! Prompts by name: a template, the kind of its response, and the conversion of the response.
//!
//! A [`Prompt`] is made in code and added by [`PromptManager::add`], or read from a configuration. A configuration is JSON in
//! either of two shapes, which [`PromptManager::from_value`] reads alike:
//!
//! ```text
//! {"system": "Be brief.", "templates": {"towns": {"prompt": "…", "response-type": "jsonl"}}}
//! {"system": "\"Be brief.\"", "template-index": "[\"towns\"]", "template.towns": "{\"prompt\": \"…\", …}"}
//! ```
//!
//! | key of a prompt | value |
//! | --- | --- |
//! | `prompt` | the template |
//! | `response-type` | `text` (default), `json` or `jsonl` |
//! | `schema` | of the value for `json`, of each line for `jsonl` |
//! | `terms` | default terms |
//!
//! The second shape is TrustGraph's table, whose values are texts of JSON. The system message is a template too, `Be helpful.` by
//! default. Terms of the input replace those of the prompt, and these replace those of all prompts. Templates are Jinja. A
//! template with a syntax error, or with an unknown filter or test, is refused when it is added.
//!
//! With logits, JSON and lines of JSON are generated under the schema. Without them, they are extracted
//! from the model's text. Tests: `tests.rs`, and over HTTP `server/tests/protocol/prompts.rs`.

mod config;
mod names;
mod prompt;
mod response;
#[cfg(test)]
mod tests;

use grammarc_generate::chat::jinja;
use grammarc_generate::{GenerateError, GenerateParams, Grammar, JsonModeConfig, LlmBackend};
use grammarc_json::JsonSchema;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, Value as Jinja};
use serde_json::{Map, Value};

pub use config::PromptConfigError;
pub use prompt::{Prompt, RenderedPrompt, ResponseType};
pub use response::{Response, ResponseError, group_by_type};

/// Limit of a template's steps. A template that exceeds it is an error.
const FUEL: u64 = 10_000_000;

/// Name of the template of the system message.
const SYSTEM: &str = "system";

/// The default system message.
const HELPFUL: &str = "Be helpful.";

/// Prompts by their ids.
#[derive(Debug)]
pub struct PromptManager {
    environment: Environment<'static>,
    terms: Map<String, Value>,
    prompts: Vec<(String, Prompt)>,
}

/// An error of a prompt.
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
        /// The error.
        message: String,
    },
    /// The generation failed.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The response is not of the prompt's kind, or violates its schema.
    #[error(transparent)]
    Response(#[from] ResponseError),
}

impl Default for PromptManager {
    fn default() -> Self {
        Self::new()
    }
}

impl PromptManager {
    /// Returns a manager without prompts, whose system message is `Be helpful.`
    pub fn new() -> Self {
        let mut environment = environment();
        environment.add_template(SYSTEM, HELPFUL).expect("it has no syntax of templates");
        Self { environment, terms: Map::new(), prompts: Vec::new() }
    }

    /// Adds a prompt, or replaces the one with the same id.
    ///
    /// # Errors
    ///
    /// The template has a syntax error, or an unknown filter or test. The manager is unchanged then.
    pub fn add(&mut self, id: impl Into<String>, prompt: Prompt) -> Result<(), PromptConfigError> {
        let id = id.into();
        self.add_template(template_name(&id), prompt.template.clone())?;
        match self.prompts.iter_mut().find(|(other, _)| *other == id) {
            Some((_, before)) => *before = prompt,
            None => self.prompts.push((id, prompt)),
        }
        Ok(())
    }

    /// Sets the template of the system message, which all prompts share.
    ///
    /// # Errors
    ///
    /// The template has a syntax error, or an unknown filter or test. The manager is unchanged then.
    pub fn set_system(&mut self, template: impl Into<String>) -> Result<(), PromptConfigError> {
        self.add_template(SYSTEM.to_owned(), template.into())
    }

    fn add_template(&mut self, key: String, source: String) -> Result<(), PromptConfigError> {
        let failed = |message| PromptConfigError::Template { key: key.clone(), message };
        // The engine's own errors come first, since they name the line.
        let read = self.environment.template_from_named_str(&key, &source);
        read.map_err(|error| failed(error.to_string()))?;
        if let Some(unknown) = names::unknown(&self.environment, &source) {
            return Err(failed(unknown));
        }
        let added = self.environment.add_template_owned(key.clone(), source);
        added.map_err(|error| failed(error.to_string()))
    }

    /// Returns the ids, in the order of their addition.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.prompts.iter().map(|(id, _)| id.as_str())
    }

    /// Sets terms for all prompts.
    pub fn set_terms(&mut self, terms: Map<String, Value>) {
        self.terms = terms;
    }

    /// Returns the kind of a prompt's response, and its schema.
    ///
    /// # Errors
    ///
    /// There is no such prompt.
    pub fn wants(&self, id: &str) -> Result<(ResponseType, Option<&JsonSchema>), PromptError> {
        let prompt = self.prompt(id)?;
        Ok((prompt.response, prompt.schema.as_ref()))
    }

    /// Renders a prompt with the terms of an input.
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

    /// Returns parameters to generate the response of a prompt: `base` with the prompt's own constraint. That is JSON
    /// mode for `json`, a grammar of lines for `jsonl`.
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

    /// Converts the text of a complete generation to the prompt's response. Each skipped line of `jsonl` is logged as
    /// a warning, with its number and without its text.
    ///
    /// # Errors
    ///
    /// There is no such prompt. For `json`: the text is not JSON, or not an instance of the schema. Lines of `jsonl`
    /// never fail.
    pub fn take(&self, id: &str, text: &str) -> Result<Response, PromptError> {
        self.taken(id, text, false)
    }

    /// Converts a truncated text, such as one that reached `max_tokens`. Its lines are
    /// [truncated](grammarc_json::Jsonl::truncated), and a number at its end is not an item.
    ///
    /// # Errors
    ///
    /// See [`Self::take`].
    pub fn take_cut(&self, id: &str, text: &str) -> Result<Response, PromptError> {
        self.taken(id, text, true)
    }

    fn taken(&self, id: &str, text: &str, cut: bool) -> Result<Response, PromptError> {
        let response = Response::of(self.prompt(id)?, text, cut)?;
        response.log(id, text);
        Ok(response)
    }

    /// Calls a model: renders the prompt, generates under its schema if the model has logits, and converts the
    /// response.
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
        self.taken(id, &output.text, output.finish.is_cut())
    }

    fn prompt(&self, id: &str) -> Result<&Prompt, PromptError> {
        let found = self.prompts.iter().find(|(other, _)| other == id);
        found.map(|(_, prompt)| prompt).ok_or_else(|| PromptError::Unknown { id: id.to_owned() })
    }
}

/// Returns the name of a prompt's template in the environment.
fn template_name(id: &str) -> String {
    format!("template.{id}")
}

/// Returns an environment without templates.
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
