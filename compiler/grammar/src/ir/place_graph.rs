//! The places of a source for each value of a JSON text: which schemas apply to it.

use std::collections::BTreeMap;

use crate::open_json::Step;

/// Maps the path to a value of a JSON text to places in the source of a grammar. A node stands for the values with the
/// same places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceGraph {
    /// The nodes. The first is that of the outermost value.
    pub nodes: Vec<PlaceNode>,
}

/// A node of a [`PlaceGraph`]. Its members and items are numbers of nodes; `None` for values without a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceNode {
    /// JSON pointers to the schemas that apply to the value.
    pub pointers: Vec<String>,
    /// The node of each member that the source names.
    pub members: BTreeMap<Box<str>, Option<u32>>,
    /// The node of all other members.
    pub other: Option<u32>,
    /// The nodes of the first items.
    pub first: Vec<Option<u32>>,
    /// The node of all other items.
    pub rest: Option<u32>,
}

impl PlaceGraph {
    /// Returns the number of the node at the end of a path from the outermost value. `None` if there is none.
    pub fn at(&self, path: &[Step]) -> Option<u32> {
        let start = (!self.nodes.is_empty()).then_some(0);
        path.iter().try_fold(start?, |node, step| {
            let PlaceNode { members, other, first, rest, .. } = &self.nodes[node as usize];
            match step {
                Step::Key(key) => members.get(key.as_str()).copied().unwrap_or(*other),
                Step::Index(index) => first.get(*index).copied().unwrap_or(*rest),
            }
        })
    }
}
