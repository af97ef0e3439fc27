//! Actions of agents.

use grammarc_agents::actions::{self, AgentFormat, AgentTool};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::raise;

/// The actions that an agent may take.
#[pyclass(frozen, module = "grammarc._native")]
pub(crate) struct Actions {
    format: AgentFormat,
}

#[pymethods]
impl Actions {
    /// Makes actions. Tools are names, descriptions, schemas of arguments as text, and the argument that is the
    /// content. The last flag selects all arguments as the content; without it and without an argument, the tool's
    /// name decides.
    #[new]
    fn new(
        py: Python<'_>,
        tools: Vec<(String, String, String, Option<String>, bool)>,
    ) -> PyResult<Self> {
        let tool = |(name, description, arguments, content, is_all): (
            String,
            String,
            String,
            Option<String>,
            bool,
        )| {
            let arguments = arguments.parse::<Value>().map_err(|error| {
                let message = format!("the arguments of the tool `{name}`: {error}");
                raise::source(py, message)
            })?;
            let tool = AgentTool::new(name, description, arguments);
            let content = if is_all { None } else { content.or_else(|| tool.content.clone()) };
            Ok(AgentTool { content, ..tool })
        };
        let tools = tools.into_iter().map(tool).collect::<PyResult<Vec<_>>>()?;
        let format = AgentFormat::new(tools);
        format.map(|format| Self { format }).map_err(|error| raise::source(py, error.to_string()))
    }

    /// Returns the schema of all actions, as text.
    fn schema(&self) -> String {
        self.format.schema().value().to_string()
    }

    /// Returns the action of an output: its type, its content as JSON, and the text of its object.
    fn parse(&self, py: Python<'_>, output: &str) -> PyResult<(String, String, Option<String>)> {
        let found = py.detach(|| self.format.parse(output));
        let found = found.map_err(|error| raise::no_action(py, error.message))?;
        Ok((found.action_type, found.content.to_string(), found.raw_json))
    }

    /// Returns the actions of some outputs, and their contents as JSON. Both are `None` for an output without an
    /// action.
    fn postprocess_predictions(
        &self,
        py: Python<'_>,
        outputs: Vec<String>,
    ) -> (Vec<Option<String>>, Vec<Option<String>>) {
        py.detach(|| {
            let (actions, contents) = self.format.postprocess_predictions(&outputs);
            let texts = contents.into_iter().map(|content| content.map(|one| one.to_string()));
            (actions, texts.collect())
        })
    }

    /// Returns the outputs for a conversation.
    fn postprocess_responses(
        &self,
        py: Python<'_>,
        outputs: Vec<String>,
        end: &str,
    ) -> Vec<String> {
        py.detach(|| self.format.postprocess_responses(&outputs, end))
    }

    /// Returns the message for a valid action whose execution failed.
    fn failed(&self, action: &str, reason: &str) -> String {
        self.format.failed(action, reason).message
    }

    /// Returns an action as a model would write it, with a content that is JSON.
    fn forced(&self, py: Python<'_>, action: &str, content: &str, think: &str) -> PyResult<String> {
        let content = content.parse().unwrap_or(Value::Null);
        let written = self.format.forced(action, content, think);
        written.map_err(|error| raise::no_action(py, error.message))
    }
}

/// Returns the first object of a text that is one of these actions, as text.
#[pyfunction]
pub(crate) fn extract_json_response(text: &str, actions: Option<Vec<String>>) -> Option<&str> {
    let is_action =
        |name: &str| actions.as_ref().is_none_or(|known| known.iter().any(|one| one == name));
    actions::extract_json_response(text, is_action).map(|(raw, _)| raw)
}

/// Returns the tags of a text: names and contents, as JSON.
#[pyfunction]
pub(crate) fn agent_tags(text: &str) -> String {
    let tags: Vec<Value> = actions::tags(text).map(|tag| json!([tag.name, tag.content])).collect();
    Value::Array(tags).to_string()
}
