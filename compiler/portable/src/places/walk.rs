//! Finds all subschemas of a document, in one walk without recursion.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::answers::Answers;
use super::keywords::{Holds, holds, is_definitions};
use super::place::{Place, Places};
use super::pointer::push;
use super::references::resolve;

impl<'v> Places<'v> {
    /// Finds the subschemas of a document, and resolves its references.
    pub(crate) fn of(document: &'v Value) -> Self {
        Self::with_answers(document, Answers::default())
    }

    /// Does the same as [`Places::of`], and reuses the cached answers of earlier walks.
    pub(crate) fn with_answers(document: &'v Value, answers: Answers) -> Self {
        let mut places = Self {
            answers,
            all: Vec::new(),
            by_pointer: FxHashMap::default(),
            inside: Vec::new(),
            references_alone: declares_old_draft(document),
        };
        places.walk(document);
        resolve(&mut places, document);
        places
    }

    fn walk(&mut self, document: &'v Value) {
        let root = Place {
            schema: document,
            pointer: String::new(),
            parent: None,
            keyword: "",
            name: String::new(),
            reference: None,
            used: false,
        };
        let mut open = vec![root];
        while let Some(place) = open.pop() {
            let (index, schema) = (self.all.len(), place.schema);
            let pointer = place.pointer.clone();
            if let Some(parent) = place.parent {
                self.inside[parent].push(index);
            }
            self.by_pointer.insert(pointer.clone(), index);
            self.all.push(place);
            self.inside.push(Vec::new());
            let Some(members) = schema.as_object() else { continue };
            let before = open.len();
            for (keyword, value) in members {
                if self.references_alone && members.contains_key("$ref") && !is_definitions(keyword)
                {
                    continue;
                }
                let mut add = |name: Option<String>, schema: &'v Value| {
                    let mut pointer = pointer.clone();
                    push(&mut pointer, keyword);
                    if let Some(name) = &name {
                        push(&mut pointer, name);
                    }
                    let name = name.unwrap_or_default();
                    let (parent, reference) = (Some(index), None);
                    let place =
                        Place { schema, pointer, parent, keyword, name, reference, used: false };
                    open.push(place);
                };
                match (holds(keyword), value) {
                    (Holds::Schema, Value::Array(items)) if keyword == "items" => {
                        items
                            .iter()
                            .enumerate()
                            .for_each(|(at, one)| add(Some(at.to_string()), one));
                    }
                    (Holds::Schema, Value::Object(_) | Value::Bool(_)) => add(None, value),
                    (Holds::List, Value::Array(items)) => {
                        items
                            .iter()
                            .enumerate()
                            .for_each(|(at, one)| add(Some(at.to_string()), one));
                    }
                    (Holds::Named, Value::Object(named)) => {
                        let schemas =
                            named.iter().filter(|(_, one)| one.is_object() || one.is_boolean());
                        schemas.for_each(|(name, one)| add(Some(name.clone()), one));
                    }
                    _ => {}
                }
            }
            // The walk takes the last first, so that places are in the order of the text.
            open[before..].reverse();
        }
    }
}

/// Whether a document declares a draft in which keywords beside `$ref` have no effect.
fn declares_old_draft(document: &Value) -> bool {
    let declared = document.get("$schema").and_then(Value::as_str).unwrap_or_default();
    ["draft-03", "draft-04", "draft-06", "draft-07"].iter().any(|draft| declared.contains(draft))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn places_are_in_text_order_and_know_their_use() {
        let schema = json!({
            "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}, "b": {"type": "null"}},
            "properties": {"x~": {"$ref": "#/$defs/a"}, "y": {"anyOf": [true, {"$ref": "x:y"}]}},
        });
        let places = Places::of(&schema);
        let pointers: Vec<_> = places.all.iter().map(|place| &*place.pointer).collect();
        assert_eq!(
            pointers,
            [
                "",
                "/$defs/a",
                "/$defs/a/items",
                "/$defs/b",
                "/properties/x~0",
                "/properties/y",
                "/properties/y/anyOf/0",
                "/properties/y/anyOf/1"
            ]
        );
        let at = |pointer: &str| &places.all[places.by_pointer[pointer]];
        assert!(at("/$defs/a").used && !at("/$defs/b").used);
        assert!(at("/$defs/a/items").reference.as_ref().unwrap().recursive);
        assert!(!at("/properties/x~0").reference.as_ref().unwrap().recursive);
        assert_eq!(at("/properties/y/anyOf/1").reference.as_ref().unwrap().target, None);
    }

    #[test]
    fn deep_documents_are_walked_without_recursion() {
        let mut schema = json!(true);
        for _ in 0..5_000 {
            let mut outer = Map::new();
            outer.insert("not".to_owned(), schema);
            schema = Value::Object(outer);
        }
        let places = Places::of(&schema);
        assert_eq!(places.all.len(), 5_001);
        drop(places);
        // Dropping a value recurses in serde_json, so the test takes it apart.
        while let Value::Object(mut members) = schema {
            schema = members.remove("not").unwrap_or(Value::Null);
        }
    }
}
