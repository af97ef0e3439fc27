//! From a value that the library of references found to its place of the document.
//!
//! The library works on its own values and hands out references to them. A value is recognised by its address, which
//! stands for its identity and is never read through; the registry keeps every value where it is. O(values) once.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::document::{Document, Json, NodeId};

/// Places by value.
#[derive(Debug, Default)]
pub(super) struct Places {
    nodes: FxHashMap<usize, NodeId>,
}

impl Places {
    /// Notes that a value and all values in it are those of a node. A value that the node lacks is left out.
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

    /// The place of a value.
    pub(super) fn get(&self, value: &Value) -> Option<NodeId> {
        self.nodes.get(&address(value)).copied()
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
