//! Stand-ins: values that denote others in the outputs of a lowered schema.
//!
//! A target that requires every member gets nullable members, and `null` denotes an absent one. A target whose root is
//! an object gets the source as the member `value`. [`unstand`] decodes a value.
//!
//! A member gets a stand-in only if no schema of the document allows `null` for a member of its name. So decoding needs
//! no validation.

use std::collections::BTreeSet;
use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::lower::meet::names;
use crate::places::pointer::join;
use crate::places::{Place, Places};
use crate::predicates::shape;

/// The member that holds the source if the root is wrapped.
pub(crate) const WRAPPED: &str = "value";

/// A place of the lowered schema whose values denote other values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandIn {
    /// The JSON pointer to the place in the lowered schema.
    pub pointer: String,
    /// The kind of stand-in.
    pub is: Denotes,
}

/// The kind of a stand-in: the value written, and the value denoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Denotes {
    /// `null` denotes an absent member.
    NullForAbsent,
    /// The member `value` of the root denotes the whole value.
    Root,
}

/// Whether a schema may allow `null`. `true` if its types, constants and branches do not decide it.
pub(crate) fn may_be_null(root: &Value, schema: &Value) -> bool {
    let mut open = vec![schema];
    // References are followed a bounded number of times. Beyond, `null` counts as possible.
    for _ in 0..256 {
        let Some(schema) = open.pop() else { return false };
        let Some(members) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                continue;
            }
            return true;
        };
        if let Some(kind) = members.get("type")
            && !names(kind).contains(&"null")
        {
            continue;
        }
        if let Some(value) = members.get("const") {
            if !value.is_null() {
                continue;
            }
            return true;
        }
        if let Some(values) = members.get("enum").and_then(Value::as_array) {
            if !values.iter().any(Value::is_null) {
                continue;
            }
            return true;
        }
        let pointer =
            members.get("$ref").and_then(Value::as_str).and_then(|uri| uri.strip_prefix('#'));
        if let Some(target) = pointer.and_then(|pointer| root.pointer(pointer)) {
            open.push(target);
            continue;
        }
        let branches =
            ["anyOf", "oneOf"].iter().find_map(|keyword| members.get(*keyword)?.as_array());
        match branches {
            Some(branches) => open.extend(branches),
            None => return true,
        }
    }
    true
}

/// Returns the keys for which some object of the document allows `null`. Their absence cannot be denoted by `null`.
pub(crate) fn nullable_keys(places: &Places<'_>) -> FxHashSet<String> {
    let root = places.root().schema;
    let members = places.all.iter().filter(|place| place.keyword == "properties");
    let nullable = members.filter(|place| may_be_null(root, place.schema));
    nullable.map(|place| place.name.clone()).collect()
}

/// Whether `null` can denote the absence of an optional member. No member of that name may allow `null`, and the object
/// may not have `patternProperties`.
pub(crate) fn can_stand(
    nullable: &FxHashSet<String>,
    object: &Map<String, Value>,
    key: &str,
) -> bool {
    !nullable.contains(key) && !object.contains_key("patternProperties")
}

/// Makes a member required.
pub(crate) fn require(root: &mut Value, pointer: &str, key: &str) {
    let Some(schema) = root.pointer_mut(pointer).and_then(Value::as_object_mut) else { return };
    if let Some(keys) = schema.entry("required").or_insert_with(|| json!([])).as_array_mut() {
        keys.push(json!(key));
    }
}

/// Makes optional members required and nullable, and returns the stand-ins. `wants` selects members by two pointers: to
/// the object's schema and to the member's schema.
pub(crate) fn null_for_absent(
    root: &mut Value,
    wants: impl Fn(&str, &str) -> bool,
) -> Vec<StandIn> {
    let snapshot = root.clone();
    let places = Places::of(&snapshot);
    let nullable = nullable_keys(&places);
    let mut stand_ins = Vec::new();
    for place in &places.all {
        let Some(object) = place.members() else { continue };
        for key in shape::optional(place) {
            let pointer = join(&join(&place.pointer, "properties"), key);
            if !can_stand(&nullable, object, key) || !wants(&place.pointer, &pointer) {
                continue;
            }
            let Some(member) = root.pointer_mut(&pointer) else { continue };
            let before = std::mem::take(member);
            *member = with_null(before);
            require(root, &place.pointer, key);
            stand_ins.push(StandIn { pointer, is: Denotes::NullForAbsent });
        }
    }
    stand_ins
}

/// Returns a schema that also allows `null`.
fn with_null(schema: Value) -> Value {
    if let Value::Object(mut members) = schema {
        let is_plain = !["enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not", "if"]
            .iter()
            .any(|keyword| members.contains_key(*keyword));
        if let (true, Some(kind)) = (is_plain, members.get("type")) {
            let mut all: Vec<String> = names(kind).into_iter().map(str::to_owned).collect();
            all.push("null".to_owned());
            members.insert("type".to_owned(), json!(all));
            return Value::Object(members);
        }
        let only_union = members.len() == 1
            || members
                .keys()
                .all(|keyword| matches!(&**keyword, "anyOf" | "description" | "title"));
        if let (true, Some(branches)) =
            (only_union, members.get_mut("anyOf").and_then(Value::as_array_mut))
        {
            branches.push(json!({"type": "null"}));
            return Value::Object(members);
        }
        // The description of a member stays where a model reads it: at the member.
        let description = members.shift_remove("description");
        let mut outer = Map::new();
        if let Some(description) = description {
            outer.insert("description".to_owned(), description);
        }
        outer.insert("anyOf".to_owned(), json!([members, {"type": "null"}]));
        return Value::Object(outer);
    }
    json!({"anyOf": [schema, {"type": "null"}]})
}

/// Translates pointers into a document to pointers into the wrapped document.
pub(crate) struct Moved {
    /// The reference to the former root.
    base: String,
}

impl Moved {
    /// Returns the new pointer of a subschema, for its pointer before the wrapping. Definitions keep their pointers.
    pub(crate) fn pointer(&self, before: &str) -> String {
        let stays = ["/$defs/", "/definitions/"].iter().any(|start| before.starts_with(start));
        if stays { before.to_owned() } else { format!("{}{before}", &self.base[1..]) }
    }
}

/// Wraps the document as the member `value` of an object. Returns the stand-in and the translation of pointers.
/// Definitions stay at the root. If a reference names the root, the document becomes a definition.
pub(crate) fn wrap_root(root: &mut Value, closed: bool) -> (StandIn, Moved) {
    let mut inner = std::mem::take(root);
    let mut definitions = Map::new();
    for keyword in ["$schema", "$defs", "definitions"] {
        if let Some(found) = inner.as_object_mut().and_then(|members| members.shift_remove(keyword))
        {
            definitions.insert(keyword.to_owned(), found);
        }
    }
    let mut is_recursive = false;
    crate::lower::tree::for_each_reference(&mut inner, &mut |uri| is_recursive |= uri == "#");
    for found in definitions.values_mut() {
        crate::lower::tree::for_each_reference(found, &mut |uri| is_recursive |= uri == "#");
    }
    let mut base = join("#/properties", WRAPPED);
    // The reference from the member to the document is written last, because other references change before.
    let mut member = None;
    if is_recursive {
        let slot = definitions.entry("$defs").or_insert_with(|| json!({}));
        let name = crate::lower::tree::free_name(slot, "root");
        base = join("#/$defs", &name);
        let wrapped = std::mem::replace(&mut inner, Value::Null);
        member = Some(json!({"$ref": base}));
        if let Some(slot) = slot.as_object_mut() {
            slot.insert(name, wrapped);
        }
    }
    let mut outer = Map::new();
    outer.insert("type".to_owned(), json!("object"));
    outer.insert("properties".to_owned(), json!({ WRAPPED: inner }));
    outer.insert("required".to_owned(), json!([WRAPPED]));
    if closed {
        outer.insert("additionalProperties".to_owned(), json!(false));
    }
    outer.extend(definitions);
    *root = Value::Object(outer);
    let moved = Moved { base };
    crate::lower::tree::for_each_reference(root, &mut |uri| {
        if let Some(pointer) =
            uri.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with('/'))
        {
            *uri = format!("#{}", moved.pointer(pointer));
        }
    });
    if let Some(member) = member {
        root["properties"][WRAPPED] = member;
    }
    (StandIn { pointer: String::new(), is: Denotes::Root }, moved)
}

/// Decodes a value of a lowered schema: replaces stand-ins by the values that they denote. `schema` and `stand_ins` are
/// those of [`Lowered`](super::Lowered). A value that is not an instance is decoded as far as it follows the schema.
///
/// # Cost
///
/// Linear in the value. For each set of schemas that apply to one value, linear in these schemas.
pub fn unstand(value: &Value, schema: &Value, stand_ins: &[StandIn]) -> Value {
    let places = Places::of(schema);
    let is = |wanted: Denotes| stand_ins.iter().filter(move |one| one.is == wanted);
    let absent = is(Denotes::NullForAbsent).map(|one| &*one.pointer).collect();
    let mut decoder = Decoder { places: &places, absent, sets: IndexMap::new() };
    let root = decoder.set(vec![0]);
    let decoded = decoder.value(value, root);
    match is(Denotes::Root).next() {
        Some(_) => decoded.get(WRAPPED).cloned().unwrap_or(decoded),
        None => decoded,
    }
}

/// The schemas that apply to the members and items of a value. The numbers are indices of schema sets.
#[derive(Default)]
struct Inside {
    named: FxHashMap<String, usize>,
    /// The set for members without an entry in `named`.
    others: usize,
    first: Vec<usize>,
    /// The set for items after those of `first`.
    rest: usize,
}

struct Decoder<'d> {
    places: &'d Places<'d>,
    /// The pointers to schemas of members whose absence `null` denotes.
    absent: FxHashSet<&'d str>,
    /// The interned sets of schemas that apply to one value. Each has its [`Inside`] once computed.
    sets: IndexMap<Vec<usize>, Option<Rc<Inside>>>,
}

impl Decoder<'_> {
    /// Returns the index of a schema set: the closure of `from` under references and branches.
    fn set(&mut self, from: Vec<usize>) -> usize {
        const BRANCHES: [&str; 5] = ["anyOf", "oneOf", "allOf", "then", "else"];
        let places = self.places;
        let (mut found, mut open) = (BTreeSet::new(), from);
        while let Some(index) = open.pop() {
            if found.insert(index) {
                open.extend(places.all[index].reference.as_ref().and_then(|one| one.target));
                let inside = places.inside[index].iter().copied();
                open.extend(inside.filter(|&one| BRANCHES.contains(&places.all[one].keyword)));
            }
        }
        let entry = self.sets.entry(found.into_iter().collect());
        let index = entry.index();
        entry.or_insert(None);
        index
    }

    /// Returns the schema sets for the members and items of a value with the schemas of a set. Computed once for each
    /// set.
    fn inside(&mut self, set: usize) -> Rc<Inside> {
        if let Some(known) = &self.sets[set] {
            return Rc::clone(known);
        }
        let places = self.places;
        let applying: Vec<Vec<usize>> = self
            .sets
            .get_index(set)
            .into_iter()
            .flat_map(|(all, _)| all)
            .map(|&index| places.inside[index].clone())
            .collect();
        let all = || applying.iter().flatten().map(|&one| (one, &places.all[one]));
        let names =
            all().filter(|(_, place)| place.keyword == "properties").map(|(_, place)| &place.name);
        let names: BTreeSet<&String> = names.collect();
        let count = all()
            .filter(|(_, place)| is_positional(place))
            .map(|(_, place)| place.name.parse().map_or(0, |at: usize| at + 1));
        let count = count.max().unwrap_or(0);
        let mut inside = Inside::default();
        let mut by_name: FxHashMap<(usize, &str), usize> = FxHashMap::default();
        let mut by_index: FxHashMap<(usize, &str), usize> = FxHashMap::default();
        let (mut others, mut rests) = (Vec::new(), Vec::new());
        for (schema, children) in applying.iter().enumerate() {
            let (mut other, mut rest) = (Vec::new(), None);
            for &one in children {
                let place = &places.all[one];
                match place.keyword {
                    "properties" => {
                        by_name.insert((schema, &place.name), one);
                    }
                    "patternProperties" | "additionalProperties" => other.push(one),
                    _ if is_positional(place) => {
                        by_index.insert((schema, &place.name), one);
                    }
                    "items" | "additionalItems" => rest = rest.or(Some(one)),
                    _ => {}
                }
            }
            others.push(other);
            rests.push(rest);
        }
        for name in names {
            let of_schema = |schema: usize| match by_name.get(&(schema, name)) {
                Some(&one) => vec![one],
                None => others[schema].clone(),
            };
            let found = (0..applying.len()).flat_map(of_schema).collect();
            inside.named.insert(name.clone(), self.set(found));
        }
        for at in 0..count {
            let at = at.to_string();
            let of_schema =
                |schema: usize| by_index.get(&(schema, &*at)).copied().or(rests[schema]);
            let found = (0..applying.len()).filter_map(of_schema).collect();
            inside.first.push(self.set(found));
        }
        inside.others = self.set(others.concat());
        inside.rest = self.set(rests.into_iter().flatten().collect());
        let inside = Rc::new(inside);
        self.sets[set] = Some(Rc::clone(&inside));
        inside
    }

    /// Whether `null` denotes absence for one of the schemas of a set.
    fn is_absent(&self, set: usize) -> bool {
        let all = self.sets.get_index(set).into_iter().flat_map(|(all, _)| all);
        all.into_iter().any(|&one| self.absent.contains(&*self.places.all[one].pointer))
    }

    /// Decodes a value to which the schemas of a set apply. Recurses as deep as the value, which the JSON parser bounds.
    fn value(&mut self, value: &Value, set: usize) -> Value {
        match value {
            Value::Object(members) => {
                let inside = self.inside(set);
                let mut decoded = Map::new();
                for (key, member) in members {
                    let set = inside.named.get(key).copied().unwrap_or(inside.others);
                    if member.is_null() && self.is_absent(set) {
                        continue;
                    }
                    decoded.insert(key.clone(), self.value(member, set));
                }
                Value::Object(decoded)
            }
            Value::Array(items) => {
                let inside = self.inside(set);
                let items = items.iter().enumerate().map(|(at, item)| {
                    self.value(item, inside.first.get(at).copied().unwrap_or(inside.rest))
                });
                Value::Array(items.collect())
            }
            value => value.clone(),
        }
    }
}

/// Whether a place is the schema of one item.
fn is_positional(place: &Place<'_>) -> bool {
    matches!(place.keyword, "prefixItems" | "items") && !place.name.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_members_and_the_root_are_decoded() {
        let mut schema = json!({
            "type": "array", "items": {"$ref": "#/$defs/n"},
            "$defs": {"n": {
                "type": "object", "additionalProperties": false, "required": ["v"],
                "properties": {"v": {"type": ["null", "string"]}, "n": {"$ref": "#/$defs/n"}, "s": {"type": "string"}},
            }},
        });
        let mut stand_ins = null_for_absent(&mut schema, |_, _| true);
        stand_ins.push(wrap_root(&mut schema, true).0);
        // Pointers of members in definitions do not change by the wrapping.
        assert_eq!(stand_ins.len(), 3);
        let value =
            json!({"value": [{"v": null, "n": {"v": "x", "n": null, "s": "y"}, "s": null}]});
        assert_eq!(
            unstand(&value, &schema, &stand_ins),
            json!([{"v": null, "n": {"v": "x", "s": "y"}}])
        );
        assert_eq!(schema["$defs"]["n"]["properties"]["s"], json!({"type": ["string", "null"]}));
    }

    #[test]
    fn null_is_found_behind_references_and_branches() {
        let root = json!({"$defs": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "r": {"$ref": "#/$defs/r"}}});
        let cases = [
            (json!({"type": "string"}), false),
            (json!({"type": ["string", "null"]}), true),
            (json!({"enum": ["a"]}), false),
            (json!({"enum": [null]}), true),
            (json!({"$ref": "#/$defs/a"}), true),
            (json!({"$ref": "#/$defs/r"}), true),
            (json!({}), true),
            (json!({"anyOf": [{"type": "string"}, {"const": 1}]}), false),
        ];
        for (schema, expected) in cases {
            assert_eq!(may_be_null(&root, &schema), expected, "{schema}");
        }
    }
}
