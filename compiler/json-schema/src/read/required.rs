//! Warns about names in `required` that resemble a declared property.
//!
//! By the specification a required name need not be declared: the property may have any value. If a declared name is
//! similar and not itself required, the required name is probably misspelt, and a model would write both.

use rustc_hash::FxHashSet;

use crate::document::{Document, Json, Members, NodeId};
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::suggest::nearest;

/// Keywords through which another schema may declare a required name. If a schema has one of them, no name is reported.
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

/// Most pairs of a required and a declared name that are compared in one document. Further names get no warning.
const MOST_COMPARED: usize = 1 << 16;

/// Returns warnings about required names that the `properties` beside them have in another spelling. Cost: linear in
/// the names, and at most [`MOST_COMPARED`] comparisons.
pub(crate) fn misspelt(
    document: &Document<'_>,
    required: impl Iterator<Item = NodeId>,
) -> Vec<Diagnostic> {
    let mut left = MOST_COMPARED;
    let mut found = Vec::new();
    for required in required {
        let Some(names) = Names::beside(document, required) else { continue };
        let undeclared = names.required.iter().filter(|(_, name)| !names.has(name));
        let undeclared: Vec<&(NodeId, &str)> = undeclared.collect();
        let beside = |keyword: &&str| document.get(names.schema, keyword).is_some();
        if undeclared.is_empty() || DECLARING.iter().any(beside) {
            continue;
        }
        let free = names.free();
        for &(node, name) in undeclared {
            let Some(rest) = left.checked_sub(free.len() + 1) else { return found };
            left = rest;
            let Some(near) = nearest(name, free.iter().copied()) else { continue };
            let text = format!("`required` names {name:?}, which `properties` does not have");
            let warning = Diagnostic::warning("json-schema::undeclared-required", text);
            found.push(document.place(warning, node).with_help(format!("did you mean {near:?}?")));
        }
    }
    found
}

/// Returns the name in `properties` that `name` in the `required` beside it probably misspells. Returns `None` if
/// `name` is declared or resembles no declared name.
pub(crate) fn declared_near<'d>(
    document: &'d Document<'_>,
    required: NodeId,
    name: &str,
) -> Option<&'d str> {
    let names = Names::beside(document, required)?;
    if names.has(name) { None } else { nearest(name, names.free()) }
}

/// The names in `required` and in `properties` of one schema.
struct Names<'d> {
    /// The place of the schema that has both keywords.
    schema: NodeId,
    /// The required names, each with its place.
    required: Vec<(NodeId, &'d str)>,
    /// The members of `properties`: the declared names with their schemas.
    declared: &'d Members<'d>,
}

impl<'d> Names<'d> {
    /// Returns the names of a `required` and of the `properties` beside it. Returns `None` if one of them is absent or
    /// malformed.
    fn beside(document: &'d Document<'_>, required: NodeId) -> Option<Self> {
        let schema = document.parent(required)?;
        let Json::Array(items) = document.json(required) else { return None };
        let Json::Object(declared) = document.json(document.get(schema, "properties")?) else {
            return None;
        };
        let name = |&item: &NodeId| match document.json(item) {
            Json::String(name) => Some((item, &**name)),
            _ => None,
        };
        Some(Self { schema, required: items.iter().filter_map(name).collect(), declared })
    }

    /// Returns whether `properties` declares a name.
    fn has(&self, name: &str) -> bool {
        self.declared.get(name).is_some()
    }

    /// Returns the names in `properties` that are not in `required`. A name in both is spelt correctly.
    fn free(&self) -> Vec<&'d str> {
        let required: FxHashSet<&str> = self.required.iter().map(|(_, name)| *name).collect();
        self.declared.keys().filter(|declared| !required.contains(declared)).collect()
    }
}
