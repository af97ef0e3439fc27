//! Options of a server.

use std::sync::Arc;
use std::time::Duration;

use grammarc_generate::prompts::PromptManager;
use grammarc_generate::{Grammar, Local};
use serde_json::json;

use crate::priority;

/// How a server is run.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The name of the model in replies.
    pub model: String,
    /// Keys that clients may present; none lets everybody in. An empty key lets nobody in.
    pub keys: Vec<String>,
    /// Names that requests may have in `Host`, and pages in `Origin`, beside those of this machine; `*` for any.
    pub allowed_hosts: Vec<String>,
    /// Bounds on requests.
    pub limits: RequestLimits,
    /// Most compilations at the same time.
    pub compilations: usize,
    /// Requests that may wait for a compilation; of one client, a fourth of these.
    pub waiting_compilations: usize,
    /// Most tokens of an output if the request sets no bound.
    pub max_tokens: usize,
    /// How the model writes calls of tools: a style of structural tags. Clients get arguments as JSON whatever it is.
    pub tool_style: String,
    /// Treat every schema as `strict`: refuse undeclared keys in objects with `properties` and without `additionalProperties`.
    pub closed: bool,
    /// Prompts that are served by name.
    pub prompts: Option<Arc<PromptManager>>,
    /// Tags of the model's reasoning, where it reasons.
    pub reasoning: Option<(String, String)>,
    /// Longest time of a request.
    pub deadline: Option<Duration>,
}

/// Bounds on one request.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Longest body, in bytes.
    pub body_bytes: usize,
    /// Longest time from the end of a head to the end of its body.
    pub body_time: Duration,
    /// Longest schema or grammar, in bytes.
    pub source_bytes: usize,
    /// Deepest nesting of a schema, or of any other source that is JSON, in levels of objects and arrays.
    pub source_depth: usize,
    /// Most tools.
    pub tools: usize,
    /// Most outputs, of all prompts together.
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
    /// Checks the options for a backend: no key is empty, and the style of tools is known.
    ///
    /// # Errors
    ///
    /// The first option that cannot be met.
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
            // The compiler's threads have the priority of the one that starts them.
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
            closed: false,
            prompts: None,
            reasoning: None,
            deadline: Some(Duration::from_secs(600)),
        }
    }
}
