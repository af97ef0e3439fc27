//! Validates the calls of tools whose schemas the grammar does not enforce as a whole.
//!
//! A call is validated when it ends, against the schema that the client sent. A truncated call is not validated.

use std::sync::Arc;

use grammarc_compiler::frontend::structural_tag::{RefusedTool, ToolState};
use grammarc_generate::Event;
use grammarc_json::JsonSchema;
use serde_json::Value;

/// The schemas of the loosened tools of a request, by the tools' names. An error says why a schema cannot validate.
#[derive(Clone, Default)]
pub(crate) struct Loosened {
    schemas: Arc<[(String, Result<JsonSchema, String>)]>,
}

impl Loosened {
    /// Selects the loosened tools among the functions of a request. `refused` are the tools that do not compile.
    pub(crate) fn new(functions: &[Value], refused: &[RefusedTool]) -> Self {
        let loosened = refused.iter().filter(|tool| tool.state != ToolState::LeftOut);
        let schemas = loosened.filter_map(|tool| {
            let mut all =
                functions.iter().map(|function| function.get("function").unwrap_or(function));
            let own = all.find(|function| function["name"] == tool.name.as_str())?;
            let schema = JsonSchema::from_value(own.get("parameters")?.clone());
            Some((tool.name.clone(), schema.map_err(|error| error.to_string())))
        });
        Self { schemas: schemas.collect() }
    }

    /// Starts to validate the calls of one output.
    pub(crate) fn check(&self) -> Check {
        Check { loosened: self.clone(), open: None, violations: Vec::new() }
    }
}

/// The validation of the calls of one output.
pub(crate) struct Check {
    loosened: Loosened,
    /// The call in progress if its tool is loosened: its index, the index of its schema, and its arguments.
    open: Option<(u32, usize, String)>,
    /// Descriptions of the violations so far.
    violations: Vec<String>,
}

impl Check {
    /// Reads one event of the output. Returns the violations of all calls with the last event, if there are any.
    pub(crate) fn event(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::Call { index, name } => {
                self.close();
                let mut names = self.loosened.schemas.iter().map(|(name, _)| name);
                let schema = names.position(|loosened| loosened == name);
                self.open = schema.map(|schema| (*index, schema, String::new()));
            }
            Event::Arguments { delta, .. } => {
                if let Some((_, _, arguments)) = &mut self.open {
                    arguments.push_str(delta);
                }
            }
            Event::Finished(end) => {
                if end.cut_call.is_none() {
                    self.close();
                }
                return (!self.violations.is_empty()).then(|| self.violations.join("; "));
            }
            Event::Text(_) | Event::Reasoning(_) | Event::Tokens(_) | Event::Changed(_) => {}
        }
        None
    }

    /// Validates the call in progress.
    fn close(&mut self) {
        let Some((index, schema, arguments)) = self.open.take() else { return };
        let (name, schema) = &self.loosened.schemas[schema];
        let wrong = match (grammarc_json::parse(&arguments), schema) {
            (Ok(value), Ok(schema)) => schema.validate(&value).err().map(|error| error.to_string()),
            (Ok(_), Err(error)) => Some(format!("not validated: {error}")),
            (Err(error), _) => Some(error.to_string()),
        };
        self.violations.extend(wrong.map(|wrong| format!("call {index} of `{name}`: {wrong}")));
    }
}
