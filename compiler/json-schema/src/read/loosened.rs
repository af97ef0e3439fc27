//! What says nothing if parts of a schema do not compile and are not to be enforced: the places of these parts, or more.
//!
//! Tests: `tests/loosely.rs`.

use rustc_hash::FxHashSet;

use super::keyword::is_keyword;
use crate::document::{Document, Json, NodeId};

/// Keywords whose schema is a test: where it is met more often, fewer values may be allowed.
pub(crate) const TESTS: [&str; 6] =
    ["not", "if", "oneOf", "contains", "dependentSchemas", "dependencies"];

/// Keywords that others read or that hold schemas by name. Where one is at fault, its whole schema is loosened.
const OF_SCHEMA: [&str; 9] = [
    "prefixItems",
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "then",
    "else",
    "minContains",
    "maxContains",
];

/// Keywords that hold schemas by name.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// Keywords that hold lists of schemas.
const LISTED: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];

/// Returns the schemas and keywords that say nothing, for the places of errors in a document. An empty pointer stands
/// for the whole document.
pub(crate) fn loosened(document: &Document<'_>, pointers: &[String]) -> FxHashSet<NodeId> {
    let root = document.root();
    if pointers.is_empty() {
        return FxHashSet::default();
    }
    // What a keyword evaluates, and what a reference from a test means, is not known by place.
    let decides_all = |node: NodeId| {
        let key = document.key(node);
        let leaves = || match document.json(node) {
            Json::String(target) => !target.starts_with('#'),
            _ => false,
        };
        let is_reference = key.ends_with("ef") && is_keyword(key);
        let decides = is_reference && (leaves() || test_around(document, node).is_some());
        key.starts_with("unevaluated") || decides
    };
    if pointers.iter().any(String::is_empty) || document.nodes().any(decides_all) {
        return FxHashSet::from_iter([root]);
    }
    let places = pointers.iter().map(|pointer| {
        let place = document.walk(root, pointer).map(|node| loosenable(document, node));
        place.unwrap_or(root)
    });
    places.collect()
}

/// Returns the schema or keyword that has to say nothing if the value at `node` is at fault.
fn loosenable(document: &Document<'_>, node: NodeId) -> NodeId {
    let mut at = node;
    while let Some(parent) = document.parent(at) {
        let (key, above) = (document.key(at), document.key(parent));
        let place = match document.json(parent) {
            Json::Object(_) if NAMED.contains(&above) => Some(at),
            Json::Array(_) if LISTED.contains(&above) => Some(at),
            Json::Object(_) if OF_SCHEMA.contains(&key) => Some(parent),
            Json::Object(_) if is_keyword(key) => Some(at),
            _ => None,
        };
        if let Some(place) = place {
            return test_around(document, place).unwrap_or(place);
        }
        at = parent;
    }
    at
}

/// Returns the outermost keyword around a value whose schema is a test. `None` if there is none.
fn test_around(document: &Document<'_>, node: NodeId) -> Option<NodeId> {
    let (mut at, mut test) = (node, None);
    while let Some(parent) = document.parent(at) {
        if TESTS.contains(&document.key(at)) {
            test = Some(at);
        }
        at = parent;
    }
    test
}
