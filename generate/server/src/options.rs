//! Options of a server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use grammarc_generate::prompts::PromptManager;
use grammarc_generate::{Grammar, Local};
use serde_json::json;

/// How a server is run.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The address that it listens at; on this machine alone by default.
    pub address: SocketAddr,
    /// The name of the model in replies.
    pub model: String,
    /// Keys that clients may present; none lets everybody in.
    pub keys: Vec<String>,
    /// Longest body of a request, in bytes.
    pub body_bytes: usize,
    /// Longest schema or grammar, in bytes.
    pub source_bytes: usize,
    /// Deepest nesting of a schema, or of any other source that is JSON, in levels of objects and arrays.
    pub source_depth: usize,
    /// Most tools of a request.
    pub tools: usize,
    /// Most outputs of a request.
    pub choices: u64,
    /// Compilations side by side.
    pub compilations: usize,
    /// Tokens of an output where a request does not say.
    pub max_tokens: usize,
    /// How the model writes calls of tools: a style of structural tags. Clients get arguments as JSON whatever it is.
    pub tool_style: String,
    /// Prompts that are served by name.
    pub prompts: Option<Arc<PromptManager>>,
    /// Tags of the model's reasoning, where it reasons.
    pub reasoning: Option<(String, String)>,
    /// Longest time of a request.
    pub deadline: Option<Duration>,
}

/// An option that a server cannot be run with.
#[derive(Debug, thiserror::Error)]
#[error("{option}: {reason}")]
pub struct OptionError {
    /// Its name.
    pub option: &'static str,
    /// Why not.
    pub reason: String,
}

impl ServerOptions {
    /// Checks the options for a backend: the style of tools is known.
    ///
    /// # Errors
    ///
    /// The first option that cannot be met.
    pub fn check(&self, backend: &Local) -> Result<(), OptionError> {
        let wrong = |reason: String| OptionError { option: "tool_style", reason };
        let parameters = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let tool = json!({"type": "function", "function": {"name": "a", "parameters": parameters}});
        let tag = json!({"type": "tools", "style": self.tool_style, "tools": [tool]});
        let compiled = backend.grammars().compile(&Grammar::from_tags(&tag), None);
        compiled.map(drop).map_err(|error| wrong(error.to_string()))
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 8080)),
            model: "model".to_owned(),
            keys: Vec::new(),
            body_bytes: 1 << 20,
            source_bytes: 256 << 10,
            source_depth: 64,
            tools: 128,
            choices: 8,
            compilations: 2,
            max_tokens: 1024,
            tool_style: "qwen_3".to_owned(),
            prompts: None,
            reasoning: None,
            deadline: Some(Duration::from_secs(600)),
        }
    }
}
