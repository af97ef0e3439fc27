//! The format of an agent's actions, as a schema, and what an output says in it.

use grammarc_json::{JsonSchema, SchemaError, ValidationError};
use serde_json::{Map, Value, json};

use super::extract::extract_json_response;
use super::tags::tags;
use crate::grammar::Grammar;
use crate::json_mode::JsonModeConfig;

/// The action that ends a conversation.
const ANSWER: &str = "answer";

/// A tool of an agent.
#[derive(Clone, Debug)]
pub struct AgentTool {
    /// Its name, which the action is.
    pub name: String,
    /// The description of its effect, for prompts.
    pub description: String,
    /// The schema of its arguments: an object.
    pub arguments: Value,
}

/// The actions that an agent may take.
#[derive(Clone, Debug)]
pub struct AgentFormat {
    tools: Vec<AgentTool>,
    schema: JsonSchema,
    /// The schema of each action alone, by its name, for messages.
    actions: Vec<(String, JsonSchema)>,
}

/// Why there is no format.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// Two tools have a name, or one is called `answer`.
    #[error("there are two actions of the name `{name}`")]
    Name {
        /// The name.
        name: String,
    },
    /// The arguments of a tool are no schema.
    #[error("the arguments of the tool `{tool}`: {source}")]
    Arguments {
        /// The tool.
        tool: String,
        /// The errors of the schema.
        source: SchemaError,
    },
}

/// An action that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedAction {
    /// The tool, or `answer`; for tags, the tag's name.
    pub action_type: String,
    /// The arguments of a tool, the text of an answer; for tags what stands in them, that of `tools_call` as JSON.
    pub content: Value,
    /// The object as it was written; none for tags.
    pub raw_json: Option<String>,
}

/// Why an output is no action. The message is for the model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ActionError {
    /// The fault, and the look of an action.
    pub message: String,
}

impl AgentFormat {
    /// The format of some tools and the answer.
    ///
    /// # Errors
    ///
    /// Two actions have one name, or arguments are no schema.
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
        let failed = |source| AgentError::Arguments { tool: "any".to_owned(), source };
        let schema = JsonSchema::from_value(json!({"oneOf": arms})).map_err(failed)?;
        Ok(Self { tools, schema, actions })
    }

    /// The tools.
    pub fn tools(&self) -> &[AgentTool] {
        &self.tools
    }

    /// The schema of all actions.
    pub fn schema(&self) -> &JsonSchema {
        &self.schema
    }

    /// The grammar under which a model writes an action.
    pub fn grammar(&self) -> Grammar {
        Grammar::schema(&self.schema)
    }

    /// JSON mode for actions.
    pub fn json_mode(&self) -> JsonModeConfig {
        JsonModeConfig { schema: Some(self.schema.clone()), ..JsonModeConfig::default() }
    }

    /// The action that an output has: its first object that is one, else its first tag but for `think`, else that.
    ///
    /// # Errors
    ///
    /// It has none, or the object's arguments or answer are not what the action's schema says.
    pub fn parse(&self, output: &str) -> Result<ParsedAction, ActionError> {
        let known = |name: &str| self.actions.iter().any(|(action, _)| action == name);
        if let Some((raw, object)) = extract_json_response(output, known) {
            return self.judged(raw, object);
        }
        let tag = tags(output).find(|tag| tag.name != "think").or_else(|| tags(output).next());
        let Some(tag) = tag else {
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
        let content =
            if name == ANSWER { object.remove("answer") } else { object.remove("arguments") };
        let (action_type, raw_json) = (name, Some(raw.to_owned()));
        Ok(ParsedAction { action_type, content: content.unwrap_or_default(), raw_json })
    }

    fn invalid(&self, name: &str, error: &ValidationError) -> ActionError {
        self.error(&format!("the action `{name}` is not what it has to be: {error}"), Some(name))
    }

    /// An error with what an action looks like: the one that was meant, or all of them.
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

    /// An action as a model would write it, for turns that are forced: `search` with a query, say.
    ///
    /// # Errors
    ///
    /// There is no such tool, or the arguments are not its own.
    pub fn forced(&self, action: &str, arguments: Value) -> Result<String, ActionError> {
        let written =
            json!({"think": "", "action": action, "arguments": arguments, "answer": null});
        let text = written.to_string();
        self.parse(&text).map(|_| text)
    }
}

/// The schema of one action.
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

/// A text with an end behind it, once.
pub fn with_end(text: &str, end: &str) -> String {
    if text.ends_with(end) { text.to_owned() } else { format!("{text}{end}") }
}
