//! Actions of agents. In each turn a model writes one JSON object: the call of a tool with its
//! arguments, or the answer.
//!
//! ```text
//! {"think": "…", "action": "search", "arguments": {"query": "…"}, "answer": null}
//! {"think": "…", "action": "answer", "arguments": {}, "answer": "…"}
//! ```
//!
//! The format is a JSON Schema, so a model can be constrained to it. In the output of an
//! unconstrained model, the first JSON object that is an action is searched. Without one, the older
//! tags (`<search>…</search>`) are searched.
//!
//! Tests: `tests/`. The file `published.rs` there checks the properties that the published
//! description of the format states.

mod extract;
mod format;
mod tags;
#[cfg(test)]
mod tests;
mod tool;

pub use extract::extract_json_response;
pub use format::{ActionError, AgentError, AgentFormat, ParsedAction, with_end};
pub use tags::{TAGS, Tag, tags};
pub use tool::AgentTool;
