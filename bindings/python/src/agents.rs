//! Actions of agents.

use grammarc_generate::agents::{self, AgentFormat, AgentTool};
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
    /// Tools as names, descriptions, and schemas of arguments as text.
    #[new]
    fn new(py: Python<'_>, tools: Vec<(String, String, String)>) -> PyResult<Self> {
        let tool = |(name, description, arguments): (String, String, String)| {
            let arguments = arguments.parse::<Value>().map_err(|error| {
                let message = format!("the arguments of the tool `{name}`: {error}");
                raise::source(py, message)
            })?;
            Ok(AgentTool { name, description, arguments })
        };
        let tools = tools.into_iter().map(tool).collect::<PyResult<Vec<_>>>()?;
        let format = AgentFormat::new(tools);
        format.map(|format| Self { format }).map_err(|error| raise::source(py, error.to_string()))
    }

    /// The schema of all actions, as text.
    fn schema(&self) -> String {
        self.format.schema().value().to_string()
    }

    /// The action that an output has: its type, its content as JSON, and the object as it was written.
    fn parse(&self, py: Python<'_>, output: &str) -> PyResult<(String, String, Option<String>)> {
        let found = py.detach(|| self.format.parse(output));
        let found = found.map_err(|error| raise::no_action(py, error.message))?;
        Ok((found.action_type, found.content.to_string(), found.raw_json))
    }

    /// An action as a model would write it.
    fn forced(&self, py: Python<'_>, action: &str, arguments: &str) -> PyResult<String> {
        let arguments = arguments.parse().unwrap_or(Value::Null);
        let written = self.format.forced(action, arguments);
        written.map_err(|error| raise::no_action(py, error.message))
    }
}

/// The first object of a text that is one of these actions, as it stands there.
#[pyfunction]
pub(crate) fn extract_json_response(text: &str, actions: Option<Vec<String>>) -> Option<&str> {
    let is_action =
        |name: &str| actions.as_ref().is_none_or(|known| known.iter().any(|one| one == name));
    agents::extract_json_response(text, is_action).map(|(raw, _)| raw)
}

/// The tags of a text: names and what stands in them, as JSON.
#[pyfunction]
pub(crate) fn agent_tags(text: &str) -> String {
    let tags: Vec<Value> = agents::tags(text).map(|tag| json!([tag.name, tag.content])).collect();
    Value::Array(tags).to_string()
}
