//! The options of a server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use grammarc_agents::prompts::PromptManager;
use grammarc_compiler::frontend::structural_tag::OnRefused;
use grammarc_generate::{Grammar, Local};
use serde_json::json;

use crate::priority;

/// The options of a server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Name of the model in replies.
    pub model: String,
    /// The API keys that clients may present. Without keys, every request is accepted. An empty key
    /// is an error.
    pub keys: Vec<String>,
    /// Names that are allowed in `Host` and `Origin`, besides those of this machine. `*` allows
    /// every name.
    pub allowed_hosts: Vec<String>,
    /// The limits on each request.
    pub limits: RequestLimits,
    /// Maximum number of compilations that run at the same time.
    pub compilations: usize,
    /// Maximum number of requests that wait for a compilation. A further request is refused. One
    /// client may have a quarter of the places.
    pub waiting_compilations: usize,
    /// Maximum number of tokens of an output whose request sets no maximum.
    pub max_tokens: usize,
    /// The notation in which the model writes tool calls: a style of structural tags. Clients
    /// always receive the arguments as JSON.
    pub tool_style: String,
    /// What is refused if a tool of a request does not compile, unless the request says so.
    pub on_refused: OnRefused,
    /// Folders of artifacts that requests may name by digest, with their subfolders.
    pub artifacts: Vec<PathBuf>,
    /// Whether to treat every schema as `strict`: objects with `properties` and without
    /// `additionalProperties` reject undeclared keys.
    pub closed: bool,
    /// The prompts that the server offers by name. `None` if there are none.
    pub prompts: Option<Arc<PromptManager>>,
    /// The opening and closing tag of the model's reasoning. `None` if the model does not reason.
    pub reasoning: Option<(String, String)>,
    /// Time limit of a request. `None` sets no limit.
    pub deadline: Option<Duration>,
}

/// The limits on one request. A request that exceeds one is rejected.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Maximum length of a body, in bytes.
    pub body_bytes: usize,
    /// Time limit from the end of a request's head to the end of its body.
    pub body_time: Duration,
    /// Maximum length of a schema or grammar, in bytes.
    pub source_bytes: usize,
    /// Maximum nesting of a schema, or of any other source that is JSON, in levels of objects and
    /// arrays.
    pub source_depth: usize,
    /// Maximum number of tools.
    pub tools: usize,
    /// Maximum number of outputs, for all prompts of a request together.
    pub choices: u64,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            body_bytes: 1 << 20,
            body_time: Duration::from_secs(30),
            source_bytes: 256 << 10,
            source_depth: 64,
            tools: 128,
            choices: 8,
        }
    }
}

/// An option of the server is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{option}: {reason}")]
pub struct OptionError {
    /// Name of the option.
    pub option: &'static str,
    /// The reason why the option is wrong.
    pub reason: String,
}

impl ServerOptions {
    /// Checks the options for a backend: no key may be empty, and the notation of tool calls must
    /// be known.
    ///
    /// # Errors
    ///
    /// The first option that is wrong.
    pub fn check(&self, backend: &Local) -> Result<(), OptionError> {
        if self.keys.iter().any(|key| key.trim().is_empty()) {
            let reason = "a key is empty; leave it out to let everybody in".to_owned();
            return Err(OptionError { option: "keys", reason });
        }
        let wrong = |reason: String| OptionError { option: "tool_style", reason };
        let parameters = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let tool = json!({"type": "function", "function": {"name": "a", "parameters": parameters}});
        let tag = json!({"type": "tools", "style": self.tool_style, "tools": [tool]});
        let compile = || {
            // The compiler's threads inherit the priority of the thread that starts them.
            priority::lower();
            backend.grammars().compile(&Grammar::from_tags(&tag), None)
        };
        let compiled = std::thread::scope(|scope| scope.spawn(compile).join());
        let compiled = compiled.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        compiled.map(drop).map_err(|error| wrong(error.to_string()))
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            model: "model".to_owned(),
            keys: Vec::new(),
            allowed_hosts: Vec::new(),
            limits: RequestLimits::default(),
            compilations: 2,
            waiting_compilations: 256,
            max_tokens: 1024,
            tool_style: "qwen_3".to_owned(),
            on_refused: OnRefused::default(),
            artifacts: Vec::new(),
            closed: false,
            prompts: None,
            reasoning: None,
            deadline: Some(Duration::from_secs(600)),
        }
    }
}
