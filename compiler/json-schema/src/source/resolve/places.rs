//! Maps values of the reference library to nodes of the document.
//!
//! The library works on its own values and returns references to them. A value is identified by its address, which is
//! never dereferenced; the registry does not move values. O(values) once.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::document::{Document, Json, NodeId};

/// Nodes by value.
#[derive(Debug, Default)]
pub(super) struct Places {
    nodes: FxHashMap<usize, NodeId>,
}

impl Places {
    /// Records the node of a value, and of all values in it. A value that the node lacks is skipped.
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

    /// Returns the node of a value.
    pub(super) fn get(&self, value: &Value) -> Option<NodeId> {
        self.nodes.get(&address(value)).copied()
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
