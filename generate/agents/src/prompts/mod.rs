//! Prompts by name: each has a template, the kind of response, and the conversion of the model's
//! response.
//!
//! A [`Prompt`] is created in code and added by [`PromptManager::add`], or read from a
//! configuration. A configuration is JSON in either of two shapes, which
//! [`PromptManager::from_value`] reads:
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
//! | `schema` | JSON Schema: of the value for `json`, of each line for `jsonl` |
//! | `terms` | default values of the template's variables |
//!
//! The second shape is TrustGraph's table, whose values are JSON texts. The system message is also
//! a template, `Be helpful.` by default. Terms are values of template variables. The input's terms
//! override those of the prompt, and these override those of all prompts. Templates are Jinja. A
//! template with a syntax error, or with an unknown filter or test, is rejected when it is added.
//!
//! If the backend has logits, `json` and `jsonl` are generated under the schema. Otherwise they are
//! extracted from the model's text. Tests: `tests.rs`, and over HTTP
//! `server/tests/protocol/prompts.rs`.

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

/// Limit on the steps of rendering a template, in instructions of the template engine. A template
/// that exceeds it is an error.
const FUEL: u64 = 10_000_000;

/// Name of the system message's template in the environment.
const SYSTEM: &str = "system";

/// The system message that is used if none is set.
const HELPFUL: &str = "Be helpful.";

/// A collection of prompts by id, with the system message and the terms that all prompts share.
#[derive(Debug)]
pub struct PromptManager {
    environment: Environment<'static>,
    terms: Map<String, Value>,
    prompts: Vec<(String, Prompt)>,
}

/// A prompt cannot be rendered, or its response cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    /// No prompt has the id.
    #[error("ID invalid: there is no prompt `{id}`")]
    Unknown {
        /// The id that was asked for.
        id: String,
    },
    /// The template cannot be rendered with these terms (values of its variables).
    #[error("Error in template: {id}: {message}")]
    Template {
        /// Id of the prompt.
        id: String,
        /// The message of the template engine.
        message: String,
    },
    /// The backend could not generate a response.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The response is not of the prompt's kind, or violates the prompt's schema.
    #[error(transparent)]
    Response(#[from] ResponseError),
}

impl Default for PromptManager {
    fn default() -> Self {
        Self::new()
    }
}

impl PromptManager {
    /// Creates a collection without prompts, whose system message is `Be helpful.`
    pub fn new() -> Self {
        let mut environment = environment();
        environment.add_template(SYSTEM, HELPFUL).expect("it has no syntax of templates");
        Self { environment, terms: Map::new(), prompts: Vec::new() }
    }

    /// Adds a prompt, or replaces the prompt with the same id.
    ///
    /// # Errors
    ///
    /// The template has a syntax error, or uses an unknown filter or test. The collection is
    /// unchanged in this case.
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
    /// The template has a syntax error, or uses an unknown filter or test. The collection is
    /// unchanged in this case.
    pub fn set_system(&mut self, template: impl Into<String>) -> Result<(), PromptConfigError> {
        self.add_template(SYSTEM.to_owned(), template.into())
    }

    fn add_template(&mut self, key: String, source: String) -> Result<(), PromptConfigError> {
        let failed = |message| PromptConfigError::Template { key: key.clone(), message };
        // The engine's own errors are reported first, because they include the line.
        let read = self.environment.template_from_named_str(&key, &source);
        read.map_err(|error| failed(error.to_string()))?;
        if let Some(unknown) = names::unknown(&self.environment, &source) {
            return Err(failed(unknown));
        }
        let added = self.environment.add_template_owned(key.clone(), source);
        added.map_err(|error| failed(error.to_string()))
    }

    /// Returns the ids of the prompts, in the order in which they were added.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.prompts.iter().map(|(id, _)| id.as_str())
    }

    /// Sets the terms (values of template variables) that all prompts share.
    pub fn set_terms(&mut self, terms: Map<String, Value>) {
        self.terms = terms;
    }

    /// Returns the kind of response that a prompt asks for, and the schema of the response.
    ///
    /// # Errors
    ///
    /// No prompt has the id.
    pub fn wants(&self, id: &str) -> Result<(ResponseType, Option<&JsonSchema>), PromptError> {
        let prompt = self.prompt(id)?;
        Ok((prompt.response, prompt.schema.as_ref()))
    }

    /// Renders a prompt. `input` has the terms (values of template variables) of this call.
    ///
    /// # Errors
    ///
    /// No prompt has the id, or the template cannot be rendered.
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

    /// Returns the parameters for generating the response of a prompt. Takes them from `base` and
    /// sets the constraint: JSON mode for `json`, and a grammar of JSON lines for `jsonl`.
    ///
    /// # Errors
    ///
    /// No prompt has the id.
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

    /// Converts the text of a complete generation to the prompt's response. Each skipped line of
    /// `jsonl` is logged as a warning, with its number and without its text.
    ///
    /// # Errors
    ///
    /// No prompt has the id. For `json`, the text is not JSON or violates the schema. A text of
    /// `jsonl` is never an error.
    pub fn take(&self, id: &str, text: &str) -> Result<Response, PromptError> {
        self.taken(id, text, false)
    }

    /// Converts the text of a truncated generation, for example one that reached `max_tokens`.
    /// Lines of `jsonl` are marked as [truncated](grammarc_json::Jsonl::truncated), and a number at
    /// the end is not an item.
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

    /// Asks a model. Renders the prompt, generates under the prompt's schema if the backend has
    /// logits, and converts the response.
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

/// Creates a template environment without templates.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    // A prompt is neither HTML nor a file: its id does not select an escaping, and its last line
    // break stays.
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let mut syntax = SyntaxConfig::builder();
    syntax.keep_trailing_newline(true);
    environment.set_syntax(syntax.build().expect("the delimiters are the usual ones"));
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment
}
