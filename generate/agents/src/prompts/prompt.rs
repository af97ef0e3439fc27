//! One prompt: its template, the kind of response, and the rendered prompt.

use grammarc_generate::backend::{Chat, Prompt as ModelPrompt};
use grammarc_json::JsonSchema;
use serde_json::{Map, Value, json};

/// The kind of response that a prompt asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseType {
    /// The generated text, unchanged.
    #[default]
    Text,
    /// One JSON value.
    Json,
    /// One JSON value on each line. Lines that are no JSON values are skipped and reported.
    Jsonl,
}

impl ResponseType {
    /// All kinds of response.
    const ALL: [Self; 3] = [Self::Text, Self::Json, Self::Jsonl];

    /// Returns the kind with this name in configurations. `None` for an unknown name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the name of the kind in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
        }
    }
}

/// A prompt, as [`PromptManager::add`](super::PromptManager::add) takes it.
///
/// ```
/// use grammarc_agents::prompts::{Prompt, ResponseType};
///
/// let prompt = Prompt { response: ResponseType::Jsonl, ..Prompt::new("List the towns in: {{ text }}") };
/// assert!(prompt.schema.is_none() && prompt.terms.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    /// Text of the template, in Jinja.
    pub template: String,
    /// The kind of response that the prompt asks for.
    pub response: ResponseType,
    /// JSON Schema of the response: of the value for `json`, and of each line for `jsonl`. `None`
    /// allows any value.
    pub schema: Option<JsonSchema>,
    /// Default values of the template's variables. The input's values override them.
    pub terms: Map<String, Value>,
}

impl Prompt {
    /// Creates a prompt whose response is plain text, without a schema and without terms.
    pub fn new(template: impl Into<String>) -> Self {
        Self { template: template.into(), ..Self::default() }
    }
}

/// A prompt whose template was rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedPrompt {
    /// Text of the system message.
    pub system: String,
    /// Text of the prompt.
    pub prompt: String,
}

impl RenderedPrompt {
    /// Returns the input for a model. With a chat template (`is_chat`) these are messages,
    /// otherwise one text.
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
