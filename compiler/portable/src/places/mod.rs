//! The places of a schema document: each subschema with its pointer, what holds it, and where its reference leads.
//!
//! One iterative walk finds all subschemas, in the order of the text. A second pass resolves references within the
//! document, and strongly connected components (Tarjan) find recursive ones.
//!
//! Cost: linear in the document, and one look-up for each reference. Tests: below, and all tests of rules.

pub(crate) mod alone;
pub(crate) mod keywords;
pub(crate) mod pointer;
mod references;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use grammarc_json_schema::relation::RelationOptions;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use keywords::{Holds, holds, is_definitions};
use pointer::push;
pub(crate) use references::Reference;

/// One subschema of a document.
#[derive(Clone, Debug)]
pub(crate) struct Place<'v> {
    /// The subschema.
    pub(crate) schema: &'v Value,
    /// The JSON pointer to the subschema.
    pub(crate) pointer: String,
    /// The index of the schema that holds this one. `None` for the root.
    pub(crate) parent: Option<usize>,
    /// The keyword of the parent that holds this schema. Empty for the root.
    pub(crate) keyword: &'v str,
    /// The name or index under which the keyword holds this schema. Empty if it holds one schema.
    pub(crate) name: String,
    /// The reference of this schema, if it has one.
    pub(crate) reference: Option<Reference>,
    /// Whether the schema applies to some value: it is not a definition without a reference to it.
    pub(crate) used: bool,
}

impl<'v> Place<'v> {
    /// Returns the keywords of the schema. `None` for `true` and `false`.
    pub(crate) fn members(&self) -> Option<&'v Map<String, Value>> {
        self.schema.as_object()
    }

    /// Returns the value of a keyword of the schema.
    pub(crate) fn get(&self, keyword: &str) -> Option<&'v Value> {
        self.members()?.get(keyword)
    }

    /// Whether this is the outermost schema.
    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Returns the JSON pointer to a keyword of the schema.
    pub(crate) fn at(&self, keyword: &str) -> String {
        let mut pointer = self.pointer.clone();
        push(&mut pointer, keyword);
        pointer
    }
}

/// All subschemas of a document, the root first.
#[derive(Clone, Debug)]
pub(crate) struct Places<'v> {
    /// The subschemas, each before those inside it.
    pub(crate) all: Vec<Place<'v>>,
    /// The index of each subschema by its pointer.
    pub(crate) by_pointer: FxHashMap<String, usize>,
    /// The indices of the schemas directly inside each schema.
    pub(crate) inside: Vec<Vec<usize>>,
    /// Whether keywords beside `$ref` have no effect, because `$schema` declares draft 4, 6 or 7.
    pub(crate) references_alone: bool,
    /// Answers to questions about pairs of schemas, by the texts of both.
    pub(crate) answers: Answers,
}

/// Answers to questions about branches of unions, shared by the walks over one document or request.
#[derive(Clone, Debug)]
pub(crate) struct Answers(Rc<Asked>);

#[derive(Debug)]
struct Asked {
    /// Whether branches overlap, by their text.
    known: RefCell<FxHashMap<String, bool>>,
    /// How schemas are read, and the time of all questions together.
    options: RelationOptions,
    spent: Cell<Duration>,
}

impl Default for Answers {
    fn default() -> Self {
        Self::new(RelationOptions::default())
    }
}

impl Answers {
    /// Creates an empty list. `options.time` is the time of all questions together.
    pub(crate) fn new(options: RelationOptions) -> Self {
        Self(Rc::new(Asked { known: RefCell::default(), options, spent: Cell::default() }))
    }

    /// Returns the answer for a text, and asks for it if there is none yet.
    pub(crate) fn known(&self, text: String, ask: impl FnOnce() -> bool) -> bool {
        if let Some(&known) = self.0.known.borrow().get(&text) {
            return known;
        }
        let answer = ask();
        self.0.known.borrow_mut().insert(text, answer);
        answer
    }

    /// Asks a question within a time limit, and within what is left of the time of all. `None` if nothing is left.
    pub(crate) fn ask<T>(
        &self,
        limit: Duration,
        ask: impl FnOnce(&RelationOptions) -> T,
    ) -> Option<T> {
        let Asked { options, spent, .. } = &*self.0;
        let left = options.time.saturating_sub(spent.get());
        if left.is_zero() {
            return None;
        }
        let begin = Instant::now();
        let answer = ask(&RelationOptions { time: limit.min(left), ..options.clone() });
        spent.set(spent.get() + begin.elapsed());
        Some(answer)
    }
}

impl<'v> Places<'v> {
    /// Walks a document.
    pub(crate) fn of(document: &'v Value) -> Self {
        Self::with_answers(document, Answers::default())
    }

    /// Walks a document, with the answers of earlier walks.
    pub(crate) fn with_answers(document: &'v Value, answers: Answers) -> Self {
        let mut places = Self {
            answers,
            all: Vec::new(),
            by_pointer: FxHashMap::default(),
            inside: Vec::new(),
            references_alone: declares_old_draft(document),
        };
        places.walk(document);
        references::resolve(&mut places, document);
        places
    }

    /// Returns the outermost schema.
    pub(crate) fn root(&self) -> &Place<'v> {
        &self.all[0]
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
    use serde_json::json;

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
