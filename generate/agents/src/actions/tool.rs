//! Tools of agents, and the content of their actions.

use serde_json::{Map, Value};

/// A tool of an agent.
#[derive(Clone, Debug)]
pub struct AgentTool {
    /// The name of the tool, which the model writes as the `action`.
    pub name: String,
    /// The description of its effect, for prompts.
    pub description: String,
    /// The schema of its arguments: an object.
    pub arguments: Value,
    /// The argument that is the [content](super::ParsedAction::content) of an action; `None` for the object of all arguments.
    pub content: Option<String>,
}

impl AgentTool {
    /// A tool whose content is the object of all arguments. The content of a tool named `search` with an argument `query` is that
    /// argument, as it is in `<search>…</search>`.
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

    /// Returns the content of an action with these arguments. Null if the argument for the content is absent.
    pub(super) fn content_of(&self, mut arguments: Map<String, Value>) -> Value {
        match &self.content {
            Some(member) => arguments.remove(member).unwrap_or_default(),
            None => Value::Object(arguments),
        }
    }

    /// Returns the arguments of an action with this content, which may also be the object of all arguments.
    pub(super) fn arguments_of(&self, content: Value) -> Value {
        match (&self.content, content) {
            (None, content) | (_, content @ Value::Object(_)) => content,
            (Some(member), content) => Value::Object(Map::from_iter([(member.clone(), content)])),
        }
    }
}
