//! Lists of tools: the schema of each by its name.

use indexmap::IndexMap;
use serde_json::Value;

/// Reads a list of tools in the form of OpenAI, Anthropic or MCP, and returns the text of each schema by the tool's
/// name. `None` if the text is not such a list. If several tools have one name, the last one counts.
pub fn tools(text: &str) -> Option<IndexMap<String, String>> {
    let parsed: Value = serde_json::from_str(text).ok()?;
    let list = parsed.as_array().or_else(|| parsed.get("tools")?.as_array())?;
    list.iter().map(tool).collect()
}

/// Returns the name of a tool and the text of its schema. `None` if the value is not a tool definition.
fn tool(tool: &Value) -> Option<(String, String)> {
    let tool = tool.get("function").unwrap_or(tool);
    let name = tool.get("name")?.as_str()?.to_owned();
    let keys = ["parameters", "input_schema", "inputSchema"];
    let schema = keys.into_iter().find_map(|key| tool.get(key));
    Some((name, schema.map_or_else(|| "{}".to_owned(), Value::to_string)))
}
