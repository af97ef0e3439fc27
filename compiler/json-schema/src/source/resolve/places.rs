//! Maps JSON values of the reference library to their places in the document.
//!
//! The library works on its own values and returns references to them. A value is identified by its address, which is
//! never dereferenced; the registry does not move values. Cost: linear in the values, once.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::document::{Document, Json, NodeId};

/// Maps JSON values of the reference library to their places in the document.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Maps the memory address of each JSON value of the reference library to its place in the document.
    nodes: FxHashMap<usize, NodeId>,
}

impl Places {
    /// Records the place of a value and of all values inside it. Values that the document lacks are skipped.
    pub(super) fn note(&mut self, document: &Document<'_>, value: &Value, node: NodeId) {
        self.nodes.entry(address(value)).or_insert(node);
        match (value, document.json(node)) {
            (Value::Array(values), Json::Array(nodes)) => {
                for (value, &node) in values.iter().zip(nodes) {
                    self.note(document, value, node);
                }
            }
            (Value::Object(values), Json::Object(members)) => {
                for (key, value) in values {
                    if let Some(member) = members.get(key) {
                        self.note(document, value, member.value);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the place in the document of a JSON value of the reference library, or `None` if it was not recorded.
    pub(super) fn get(&self, value: &Value) -> Option<NodeId> {
        self.nodes.get(&address(value)).copied()
    }
}

/// Returns the memory address of a JSON value of the reference library, as a key.
fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
