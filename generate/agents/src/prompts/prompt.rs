//! One prompt: its template, the kind of its response, and the rendered prompt.

use grammarc_generate::backend::{Chat, Prompt as ModelPrompt};
use grammarc_json::JsonSchema;
use serde_json::{Map, Value, json};

/// The kind of a prompt's response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseType {
    /// The text as it is.
    #[default]
    Text,
    /// One JSON value.
    Json,
    /// One JSON value a line. Other lines are skipped and reported.
    Jsonl,
}

impl ResponseType {
    /// All kinds.
    const ALL: [Self; 3] = [Self::Text, Self::Json, Self::Jsonl];

    /// Returns the kind with a name in configurations. `None` if there is none.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns its name in configurations.
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
    /// The template, in Jinja.
    pub template: String,
    /// The kind of response.
    pub response: ResponseType,
    /// The schema of the response: of the whole value for `json`, of each line for `jsonl`.
    pub schema: Option<JsonSchema>,
    /// Default terms. Terms of the input replace them.
    pub terms: Map<String, Value>,
}

impl Prompt {
    /// Returns a prompt whose response is text, without a schema and without terms.
    pub fn new(template: impl Into<String>) -> Self {
        Self { template: template.into(), ..Self::default() }
    }
}

/// A rendered prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedPrompt {
    /// The system message.
    pub system: String,
    /// The prompt.
    pub prompt: String,
}

impl RenderedPrompt {
    /// Returns the input of a model: messages for its chat template if it has one, else one text.
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
