//! Names in `required` that `properties` has with another spelling.
//!
//! A required name that nothing declares is right by the specification: the property may have any value. Where a declared
//! name is near it and is not required itself, it is a slip, and a model would write both.

use crate::diagnostics::Diagnostic;
use crate::frontend::document::{Document, Json, NodeId};
use crate::frontend::suggest::nearest;

/// Keywords beside which another schema may declare what `required` names.
const DECLARING: [&str; 11] = [
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "allOf",
    "anyOf",
    "dependencies",
    "dependentSchemas",
    "if",
    "oneOf",
    "patternProperties",
    "propertyNames",
];

/// Warnings about names in a `required` that the `properties` beside it spells otherwise.
pub(super) fn misspelt(document: &Document<'_>, required: NodeId) -> Vec<Diagnostic> {
    let (Some(schema), Json::Array(names)) = (document.parent(required), document.json(required))
    else {
        return Vec::new();
    };
    let properties = document.get(schema, "properties").map(|at| document.json(at));
    let Some(Json::Object(declared)) = properties else { return Vec::new() };
    let undeclared = names.iter().filter_map(|&node| match document.json(node) {
        Json::String(name) if declared.get(name).is_none() => Some((node, &**name)),
        _ => None,
    });
    let slip = |(node, name): (NodeId, &str)| {
        let near = declared_near(document, required, name)?;
        let text = format!("`required` names {name:?}, which `properties` does not have");
        let warning = Diagnostic::warning("json-schema::undeclared-required", text);
        Some(document.place(warning, node).with_help(format!("did you mean {near:?}?")))
    };
    let found: Vec<Diagnostic> = undeclared.filter_map(slip).collect();
    match DECLARING.iter().any(|keyword| document.get(schema, keyword).is_some()) {
        true => Vec::new(),
        false => found,
    }
}

/// The name in `properties` that a name in the `required` beside it is a slip for.
pub(super) fn declared_near<'d>(
    document: &'d Document<'_>,
    required: NodeId,
    name: &str,
) -> Option<&'d str> {
    let properties = document.get(document.parent(required)?, "properties")?;
    let (Json::Object(declared), Json::Array(names)) =
        (document.json(properties), document.json(required))
    else {
        return None;
    };
    // A name that is required besides was not meant by another word.
    let is_free = |candidate: &&str| {
        let is_it = |&other: &NodeId| matches!(document.json(other), Json::String(other) if &**other == *candidate);
        !names.iter().any(is_it)
    };
    match declared.get(name) {
        Some(_) => None,
        None => nearest(name, declared.keys().filter(is_free)),
    }
}
