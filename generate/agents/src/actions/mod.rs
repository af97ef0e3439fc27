//! Actions of agents: one JSON object a turn that names a tool and its arguments, or the answer.
//!
//! ```text
//! {"think": "…", "action": "search", "arguments": {"query": "…"}, "answer": null}
//! {"think": "…", "action": "answer", "arguments": {}, "answer": "…"}
//! ```
//!
//! The format is a schema, so that a model can be constrained to it. The output of an unconstrained model is searched for the first
//! object that is an action, and then for the tags that agents wrote before. The tests are in `tests/`. `published.rs` holds
//! the properties that the document of the format states.

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
