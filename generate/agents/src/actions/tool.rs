//! The tools of an agent, and the conversion between their arguments and the content of an action.

use serde_json::{Map, Value};

/// A tool that an agent may call.
#[derive(Clone, Debug)]
pub struct AgentTool {
    /// Name of the tool. The model writes it as the `action`.
    pub name: String,
    /// Description of what the tool does, for prompts.
    pub description: String,
    /// JSON Schema of the tool's arguments, which are an object.
    pub arguments: Value,
    /// Name of the argument that is the [content](super::ParsedAction::content) of an action.
    /// `None` makes the object of all arguments the content.
    pub content: Option<String>,
}

impl AgentTool {
    /// Creates a tool whose content is the object of all arguments. Exception: if a tool named
    /// `search` has an argument `query`, the content is this argument, as in the tag
    /// `<search>…</search>`.
    ///
    /// ```
    /// use grammarc_agents::actions::AgentTool;
    /// use serde_json::json;
    ///
    /// let query = json!({"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]});
    /// assert_eq!(AgentTool::new("search", "Finds pages.", query.clone()).content.as_deref(), Some("query"));
    /// assert_eq!(AgentTool::new("find", "Finds pages.", query).content, None);
    /// ```
    pub fn new(name: impl Into<String>, description: impl Into<String>, arguments: Value) -> Self {
        let (name, description) = (name.into(), description.into());
        let is_search = name == "search" && arguments["properties"].get("query").is_some();
        let content = is_search.then(|| "query".to_owned());
        Self { name, description, arguments, content }
    }

    /// Returns the content of an action with these arguments. Null if the argument that is the
    /// content is absent.
    pub(super) fn content_of(&self, mut arguments: Map<String, Value>) -> Value {
        match &self.content {
            Some(member) => arguments.remove(member).unwrap_or_default(),
            None => Value::Object(arguments),
        }
    }

    /// Returns the arguments of an action with this content. A content that is an object is taken
    /// as all arguments.
    pub(super) fn arguments_of(&self, content: Value) -> Value {
        match (&self.content, content) {
            (None, content) | (_, content @ Value::Object(_)) => content,
            (Some(member), content) => Value::Object(Map::from_iter([(member.clone(), content)])),
        }
    }
}
