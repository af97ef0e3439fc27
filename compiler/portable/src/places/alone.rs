//! Extracts a subschema as a document of its own.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

/// Returns the subschema `part` of `root` as a document of its own, with the definitions that it refers to. A subschema
/// with other references, such as `#`, gets all definitions, and its meaning may change.
///
/// Cost: linear in the subschema and in its definitions.
pub(crate) fn alone(root: &Value, part: &Value) -> Value {
    let Some(members) = part.as_object() else { return part.clone() };
    let mut needed: FxHashSet<(&str, String)> = FxHashSet::default();
    let mut open = vec![part];
    let mut needs_all = false;
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                for (keyword, value) in members {
                    let uri = value.as_str().filter(|_| keyword.ends_with("ef"));
                    match uri.map(named) {
                        None => open.push(value),
                        Some(None) => needs_all = true,
                        Some(Some((holder, name))) => {
                            let definition = root.get(holder).and_then(|all| all.get(&name));
                            if needed.insert((holder, name)) {
                                open.extend(definition);
                            }
                        }
                    }
                }
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    let mut schema = members.clone();
    for holder in ["$defs", "definitions"] {
        let Some(all) = root.get(holder).and_then(Value::as_object) else { continue };
        let is_needed = |name: &String| needs_all || needed.contains(&(holder, name.clone()));
        let kept: Map<String, Value> = all
            .iter()
            .filter(|(name, _)| is_needed(name))
            .map(|(name, one)| (name.clone(), one.clone()))
            .collect();
        if !kept.is_empty() {
            schema.entry(holder).or_insert(Value::Object(kept));
        }
    }
    if let Some(draft) = root.get("$schema") {
        schema.entry("$schema").or_insert_with(|| draft.clone());
    }
    Value::Object(schema)
}

/// Splits a reference to a definition into `$defs` or `definitions`, and the name. `None` for other references.
fn named(uri: &str) -> Option<(&'static str, String)> {
    let (holder, rest) = ["$defs", "definitions"].into_iter().find_map(|holder| {
        Some((holder, uri.strip_prefix("#/")?.strip_prefix(holder)?.strip_prefix('/')?))
    })?;
    let name = super::pointer::decoded(rest.split('/').next()?);
    Some((holder, name.replace("~1", "/").replace("~0", "~")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_have_the_definitions_that_they_need() {
        let root = json!({
            "$defs": {"a/b": {"$ref": "#/definitions/c"}, "d": {}},
            "definitions": {"c": {"type": "null"}, "e": {}},
        });
        let part = json!({"items": {"$ref": "#/$defs/a~1b"}});
        let expected = json!({
            "items": {"$ref": "#/$defs/a~1b"},
            "$defs": {"a/b": {"$ref": "#/definitions/c"}}, "definitions": {"c": {"type": "null"}},
        });
        assert_eq!(alone(&root, &part), expected);
        assert_eq!(
            alone(&root, &json!({"items": {"$ref": "#"}}))["definitions"],
            root["definitions"]
        );
    }
}
