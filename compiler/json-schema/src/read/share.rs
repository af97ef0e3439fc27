//! Shares equal schemas: later passes see only the first schema of each group of equal ones.
//!
//! Authors copy: branches of a `oneOf` that differ in one property repeat all others. Equal schemas become one atom of
//! the algebra, so the value of a shared property is decided once for all branches. Branches are then distinguished by
//! the property that differs, without enumerating all combinations.
//!
//! Subschemas come before the schemas that contain them. So a schema is compared by its keywords and the
//! representatives of its subschemas. A back edge of a recursive schema is not followed: copies of recursive schemas
//! stay separate, which costs size and never correctness. Only schemas with equal outlines are compared, because a
//! comparison takes a copy. Cost: linear in the document.

use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use super::schema::{Part, Schema, SchemaId, Schemas};
use crate::document::{Document, Json, NodeId};

/// Returns for each schema, by its index, the first schema that is equal.
pub(crate) fn first_equals(document: &Document<'_>, schemas: &Schemas) -> Vec<SchemaId> {
    let outlines: Vec<u64> = schemas.iter().map(|id| outline(schemas.parts(id))).collect();
    let mut alike: FxHashMap<u64, usize> = FxHashMap::default();
    alike.reserve(outlines.len());
    outlines.iter().for_each(|&outline| *alike.entry(outline).or_default() += 1);
    let mut known: IndexMap<Vec<Part>, SchemaId, FxBuildHasher> = IndexMap::default();
    let mut values: FxHashMap<String, NodeId> = FxHashMap::default();
    let mut first: Vec<Option<SchemaId>> = schemas.iter().map(|_| None).collect();
    let mut opened = vec![false; first.len()];
    let mut stack = Vec::new();
    for start in schemas.iter() {
        stack.push(start);
        while let Some(&id) = stack.last() {
            if !std::mem::replace(&mut opened[id.index()], true) {
                for (_, part) in schemas.parts(id) {
                    part.for_each_schema(|&child| {
                        if !opened[child.index()] {
                            stack.push(child);
                        }
                    });
                }
                continue;
            }
            stack.pop();
            if first[id.index()].is_some() {
                continue;
            }
            let parts = match schemas.get(id) {
                // A schema that only refers to another schema is replaced by it.
                Schema::Parts(parts)
                    if let [(_, Part::All(one))] = &parts[..]
                        && one.len() == 1 =>
                {
                    first[id.index()] = Some(first[one[0].index()].unwrap_or(one[0]));
                    continue;
                }
                Schema::Parts(parts) if alike[&outlines[id.index()]] > 1 => parts,
                _ => {
                    first[id.index()] = Some(id);
                    continue;
                }
            };
            let parts = parts.iter().map(|(_, part)| {
                let mut part = part.clone();
                part.for_each_schema_mut(|child| {
                    *child = first[child.index()].unwrap_or(*child);
                });
                if let Part::Values(nodes) = &mut part {
                    for node in nodes {
                        let mut text = String::new();
                        write(document, *node, &mut text);
                        *node = *values.entry(text).or_insert(*node);
                    }
                }
                part
            });
            first[id.index()] = Some(*known.entry(parts.collect()).or_insert(id));
        }
    }
    schemas.iter().zip(first).map(|(id, first)| first.unwrap_or(id)).collect()
}

/// Returns a hash of a schema's keywords, without the subschemas and JSON values in them. Equal schemas have equal
/// hashes.
fn outline(parts: &[(NodeId, Part)]) -> u64 {
    let mut hasher = FxHasher::default();
    for (_, part) in parts {
        std::mem::discriminant(part).hash(&mut hasher);
        match part {
            Part::Types(types) => types.hash(&mut hasher),
            Part::Strings(strings) => strings.hash(&mut hasher),
            Part::Values(values) => values.len().hash(&mut hasher),
            Part::Required(keys) => keys.hash(&mut hasher),
            Part::Properties(properties) => {
                properties.iter().for_each(|(key, _)| key.hash(&mut hasher));
            }
            _ => {}
        }
    }
    hasher.finish()
}

/// Appends to `text` an unambiguous text of the JSON value at a node: different values have different texts.
fn write(document: &Document<'_>, node: NodeId, text: &mut String) {
    match document.json(node) {
        Json::Null => text.push('n'),
        Json::Bool(value) => text.push(if *value { 't' } else { 'f' }),
        Json::Number(number) => {
            text.push('#');
            text.push_str(number);
        }
        Json::String(string) => write_string(string, text),
        Json::Array(items) => {
            text.push('[');
            for &item in items {
                write(document, item, text);
                text.push(',');
            }
            text.push(']');
        }
        Json::Object(members) => {
            text.push('{');
            for (key, member) in members.iter() {
                write_string(key, text);
                write(document, member.value, text);
                text.push(',');
            }
            text.push('}');
        }
    }
}

/// Appends to `text` the length in bytes of a string, and then the string. With the length, no escapes are needed.
fn write_string(string: &str, text: &mut String) {
    write!(text, "{}:{string}", string.len()).expect("writing to a string does not fail");
}
