//! The format of an agent's actions as a JSON Schema, and the parser for an agent's output.

use grammarc_generate::{Grammar, JsonModeConfig};
use grammarc_json::{JsonSchema, SchemaError, ValidationError};
use serde_json::{Map, Value, json};

use super::extract::extract_json_response;
use super::tags::{Tag, tags};
use super::tool::AgentTool;

/// Name of the action that ends a conversation.
const ANSWER: &str = "answer";

/// The actions that an agent may take: a call of one of its tools, or the answer.
#[derive(Clone, Debug)]
pub struct AgentFormat {
    tools: Vec<AgentTool>,
    schema: JsonSchema,
    /// Pairs of an action's name and its schema, for error messages.
    actions: Vec<(String, JsonSchema)>,
}

/// The tools of an agent cannot form a format.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// Two tools have the same name, or a tool is called `answer`.
    #[error("there are two actions of the name `{name}`")]
    Name {
        /// The name that occurs twice.
        name: String,
    },
    /// [`AgentTool::content`] names an argument that the tool does not declare.
    #[error(
        "the content of the tool `{tool}` is `{content}`, and its arguments have no such property; name one of `properties`"
    )]
    Content {
        /// Name of the tool.
        tool: String,
        /// Name of the argument that is not declared.
        content: String,
    },
    /// The arguments of a tool are not a valid JSON Schema.
    #[error("the arguments of the tool `{tool}`: {source}")]
    Arguments {
        /// Name of the tool.
        tool: String,
        /// The errors in the schema.
        source: SchemaError,
    },
}

/// The action that an agent's output states.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedAction {
    /// Name of the tool, or `answer`. If the output has tags instead of JSON, the name of the tag.
    pub action_type: String,
    /// The content of the action. For an answer, its text. For a tool, the argument that
    /// [`AgentTool::content`] names, or all arguments. For a tag, its text; for the tag
    /// `tools_call`, the JSON value of its text.
    pub content: Value,
    /// The JSON object as it is written. `None` for a tag.
    pub raw_json: Option<String>,
}

/// The output of an agent has no valid action. The message is meant for the model, which can
/// correct itself.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ActionError {
    /// Description of the fault, with an example of a valid action.
    pub message: String,
}

impl AgentFormat {
    /// Creates the format for an agent with these tools. The action `answer` is always part of it.
    ///
    /// # Errors
    ///
    /// Two actions have the same name, arguments are not a schema, or [`AgentTool::content`] names
    /// an undeclared argument.
    pub fn new(tools: Vec<AgentTool>) -> Result<Self, AgentError> {
        let mut actions: Vec<(String, JsonSchema)> = Vec::new();
        let mut arms = Vec::new();
        let empty = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let answer = (ANSWER, &empty, json!({"type": "string"}));
        let all =
            tools.iter().map(|tool| (tool.name.as_str(), &tool.arguments, json!({"type": "null"})));
        for (name, arguments, answer) in all.chain([answer]) {
            if actions.iter().any(|(other, _)| other == name) {
                return Err(AgentError::Name { name: name.to_owned() });
            }
            let failed = |source| AgentError::Arguments { tool: name.to_owned(), source };
            JsonSchema::from_value(arguments.clone()).map_err(failed)?;
            let arm = arm(name, arguments, &answer);
            let schema = JsonSchema::from_value(arm.clone());
            actions.push((name.to_owned(), schema.map_err(failed)?));
            arms.push(arm);
        }
        for AgentTool { name, arguments, content, .. } in &tools {
            if let Some(content) = content
                && arguments["properties"].get(content).is_none()
            {
                let (tool, content) = (name.clone(), content.clone());
                return Err(AgentError::Content { tool, content });
            }
        }
        let failed = |source| AgentError::Arguments { tool: "any".to_owned(), source };
        let schema = JsonSchema::from_value(json!({"oneOf": arms})).map_err(failed)?;
        Ok(Self { tools, schema, actions })
    }

    /// Returns the tools.
    pub fn tools(&self) -> &[AgentTool] {
        &self.tools
    }

    /// Returns the schema of all actions, one branch for each.
    pub fn schema(&self) -> &JsonSchema {
        &self.schema
    }

    /// Returns the grammar that constrains a model to write one action.
    pub fn grammar(&self) -> Grammar {
        Grammar::schema(&self.schema)
    }

    /// Returns the settings of JSON mode that constrain a model to write one action.
    pub fn json_mode(&self) -> JsonModeConfig {
        JsonModeConfig { schema: Some(self.schema.clone()), ..JsonModeConfig::default() }
    }

    /// Returns the action of an output. It is the first JSON object with a known action, or else
    /// the first tag other than `think`, or else `think`.
    ///
    /// # Errors
    ///
    /// The output has no action, or the arguments or the answer violate the action's schema.
    pub fn parse(&self, output: &str) -> Result<ParsedAction, ActionError> {
        if let Some((raw, object)) = self.extract(output) {
            return self.judged(raw, object);
        }
        let Some(tag) = action_tags(output).pop() else {
            return Err(self.error("there is no action in the output", None));
        };
        let content = match tag.name {
            "tools_call" => serde_json::from_str(tag.content).map_err(|error| {
                self.error(&format!("what stands in <tools_call> is no JSON: {error}"), None)
            })?,
            _ => Value::from(tag.content),
        };
        Ok(ParsedAction { action_type: tag.name.to_owned(), content, raw_json: None })
    }

    /// Parses each output with [`Self::parse`], and returns the names of the actions and their
    /// contents. Both are `None` for an output without a valid action. In this case, send the model
    /// the error of `parse`.
    pub fn postprocess_predictions<T: AsRef<str>>(
        &self,
        outputs: &[T],
    ) -> (Vec<Option<String>>, Vec<Option<Value>>) {
        let parsed = outputs.iter().map(|output| self.parse(output.as_ref()).ok());
        let parsed = parsed.map(|parsed| parsed.map(|one| (one.action_type, one.content)).unzip());
        parsed.unzip()
    }

    /// Returns the part of each output that belongs in the conversation. This is the action's JSON
    /// object, or else the tags through the action's tag, one on each line, or else the whole
    /// output. Each ends with `end` (for example the model's end token) exactly once.
    pub fn postprocess_responses<T: AsRef<str>>(&self, outputs: &[T], end: &str) -> Vec<String> {
        let kept = |output: &str| {
            if let Some((raw, _)) = self.extract(output) {
                return with_end(raw, end);
            }
            let tags: Vec<&str> = action_tags(output).iter().map(|tag| tag.raw).collect();
            if tags.is_empty() { with_end(output, end) } else { with_end(&tags.join("\n"), end) }
        };
        outputs.iter().map(|output| kept(output.as_ref())).collect()
    }

    /// Returns the first JSON object of an output with the fields of an action and a known action.
    /// `None` if there is none.
    fn extract<'t>(&self, output: &'t str) -> Option<(&'t str, Map<String, Value>)> {
        extract_json_response(output, |name| self.actions.iter().any(|(action, _)| action == name))
    }

    fn judged(
        &self,
        raw: &str,
        mut object: Map<String, Value>,
    ) -> Result<ParsedAction, ActionError> {
        let name = object.get("action").and_then(Value::as_str).unwrap_or_default().to_owned();
        let value = Value::Object(object.clone());
        let schema = self.actions.iter().find(|(action, _)| *action == name);
        if let Some((_, schema)) = schema
            && let Err(error) = schema.validate(&value)
        {
            return Err(self.invalid(&name, &error));
        }
        let content = match (self.tool(&name), object.remove("arguments")) {
            (Some(tool), Some(Value::Object(arguments))) => tool.content_of(arguments),
            _ => object.remove("answer").unwrap_or_default(),
        };
        Ok(ParsedAction { action_type: name, content, raw_json: Some(raw.to_owned()) })
    }

    fn invalid(&self, name: &str, error: &ValidationError) -> ActionError {
        self.error(&format!("the action `{name}` is not what it has to be: {error}"), Some(name))
    }

    /// Returns an error with an example of `action`, or of every action if it is `None`.
    fn error(&self, what: &str, action: Option<&str>) -> ActionError {
        let mut message = what.to_owned();
        message.push_str("\nWrite one JSON object like");
        let shown =
            self.actions.iter().filter(|(name, _)| action.is_none_or(|action| action == name));
        for (number, (_, schema)) in shown.enumerate() {
            message.push_str(if number == 0 { "\n" } else { "\nor\n" });
            message.push_str(&schema.expected().to_string());
        }
        ActionError { message }
    }

    fn tool(&self, name: &str) -> Option<&AgentTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Returns the message to the model if executing a valid action failed: the reason, and an
    /// example of the action. If the action is unknown, shows examples of all actions.
    pub fn failed(&self, action: &str, reason: &str) -> ActionError {
        let known = self.actions.iter().any(|(name, _)| name == action).then_some(action);
        self.error(&format!("your action `{action}` failed: {reason}"), known)
    }

    /// Returns the JSON text of an action as a model would write it, for a turn that the host
    /// dictates. `content` is what [`Self::parse`] returns: the text of an answer or the content of
    /// a tool. The object of all arguments is also accepted.
    ///
    /// # Errors
    ///
    /// The action is unknown, or the content violates its schema.
    pub fn forced(&self, action: &str, content: Value, think: &str) -> Result<String, ActionError> {
        let (arguments, answer) = match self.tool(action) {
            Some(tool) => (tool.arguments_of(content), Value::Null),
            None => (json!({}), content),
        };
        let written =
            json!({"think": think, "action": action, "arguments": arguments, "answer": answer});
        let text = written.to_string();
        self.parse(&text).map(|_| text)
    }
}

/// Returns the tags of an output through the first tag other than `think`, which is the action.
/// Without such a tag, returns the first `think` tag.
fn action_tags(output: &str) -> Vec<Tag<'_>> {
    let mut found = Vec::new();
    for tag in tags(output) {
        found.push(tag);
        if tag.name != "think" {
            return found;
        }
    }
    // If there are only thoughts, the first one is the result.
    found.truncate(1);
    found
}

/// Returns the schema of one action.
fn arm(name: &str, arguments: &Value, answer: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "think": {"type": "string"},
            "action": {"const": name},
            "arguments": arguments,
            "answer": answer,
        },
        "required": super::extract::FIELDS,
        "additionalProperties": false,
    })
}

/// Returns the text, followed by `end` unless the text already ends with it.
pub fn with_end(text: &str, end: &str) -> String {
    if text.ends_with(end) { text.to_owned() } else { format!("{text}{end}") }
}
