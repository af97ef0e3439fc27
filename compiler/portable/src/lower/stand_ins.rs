//! Stand-ins: values that denote others in the outputs of a lowered schema.
//!
//! A target that requires every member gets nullable members, and `null` denotes an absent one. A target whose root is
//! an object gets the source as the member `value`. [`unstand`] decodes a value.
//!
//! A member gets a stand-in only if `null` is none of its values, and if no other schema of the document allows `null`
//! for a member of that name. So decoding needs no validation.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::lower::meet::names;
use crate::places::Places;
use crate::places::pointer::join;
use crate::predicates::shape;

/// The member that holds the source if the root is wrapped.
pub(crate) const WRAPPED: &str = "value";

/// A place whose values denote others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StandIn {
    /// The JSON pointer to the place in the lowered schema.
    pub pointer: String,
    /// What denotes what.
    pub is: Denotes,
}

/// What a stand-in denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Denotes {
    /// `null` denotes an absent member.
    NullForAbsent,
    /// The member `value` of the root denotes the whole value.
    Root,
}

/// Whether `null` may be a value of a schema. `true` where that is not plain.
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

/// Returns the keys for which some object of the document allows `null`: no stand-in is possible for them.
pub(crate) fn nullable_keys(places: &Places<'_>) -> FxHashSet<String> {
    let root = places.root().schema;
    let members = places.all.iter().filter(|place| place.keyword == "properties");
    let nullable = members.filter(|place| may_be_null(root, place.schema));
    nullable.map(|place| place.name.clone()).collect()
}

/// Whether an optional member of an object can have the stand-in: it is no value of it or of others with its name, and
/// no unnamed member can have it.
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

/// Makes optional members required and nullable, and returns the stand-ins. `wants` gets the pointer to the schema of
/// the object and that to the member's schema.
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

/// Makes the document a member of an object, and returns the stand-in. Definitions stay at the root. If a reference
/// leads to the root, the document becomes a definition.
pub(crate) fn wrap_root(root: &mut Value, closed: bool) -> StandIn {
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
    if is_recursive {
        let slot = definitions.entry("$defs").or_insert_with(|| json!({}));
        let name = crate::lower::tree::free_name(slot, "root");
        base = join("#/$defs", &name);
        let wrapped = std::mem::replace(&mut inner, json!({"$ref": base}));
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
    let keep = |uri: &str| {
        ["#/$defs/", "#/definitions/"].iter().any(|start| uri.starts_with(start)) || uri == base
    };
    crate::lower::tree::for_each_reference(root, &mut |uri| {
        if uri == "#" {
            *uri = base.clone();
        } else if uri.starts_with("#/") && !keep(uri) {
            *uri = format!("{base}{}", &uri[1..]);
        }
    });
    StandIn { pointer: String::new(), is: Denotes::Root }
}

/// Returns the value that an output of a lowered schema denotes. `schema` and `stand_ins` are those of
/// [`Lowered`](super::Lowered). A value that is no instance of the schema is decoded as far as it follows the schema.
///
/// # Cost
///
/// Linear in the value, times the number of branches that apply at one place.
pub fn unstand(value: &Value, schema: &Value, stand_ins: &[StandIn]) -> Value {
    let places = Places::of(schema);
    let is = |wanted: Denotes| stand_ins.iter().filter(move |one| one.is == wanted);
    let absent = is(Denotes::NullForAbsent).map(|one| &*one.pointer).collect();
    let decoder = Decoder { places: &places, absent, inside: FxHashMap::default() };
    let mut decoder = decoder;
    let decoded = decoder.value(value, &[0]);
    match is(Denotes::Root).next() {
        Some(_) => decoded.get(WRAPPED).cloned().unwrap_or(decoded),
        None => decoded,
    }
}

struct Decoder<'d> {
    places: &'d Places<'d>,
    /// The pointers of members for which `null` denotes absence.
    absent: FxHashSet<&'d str>,
    /// The schemas that apply beside each schema: targets of references, and branches.
    inside: FxHashMap<usize, Vec<usize>>,
}

impl Decoder<'_> {
    /// Returns all schemas that apply to a value if those of `from` do.
    fn applying(&mut self, from: &[usize]) -> Vec<usize> {
        let mut all: Vec<usize> = Vec::new();
        for &index in from {
            let places = self.places;
            let found = self.inside.entry(index).or_insert_with(|| {
                let (mut found, mut open) = (Vec::new(), vec![index]);
                while let Some(index) = open.pop() {
                    if found.contains(&index) {
                        continue;
                    }
                    found.push(index);
                    open.extend(places.all[index].reference.as_ref().and_then(|one| one.target));
                    let inside = places.inside[index].iter().copied();
                    open.extend(inside.filter(|&one| {
                        matches!(
                            places.all[one].keyword,
                            "anyOf" | "oneOf" | "allOf" | "then" | "else"
                        )
                    }));
                }
                found
            });
            all.extend(found.iter().filter(|one| !all.contains(one)).copied().collect::<Vec<_>>());
        }
        all
    }

    /// Decodes a value to which the schemas of `from` apply. Recurses as deep as the value, which the JSON parser
    /// bounds.
    fn value(&mut self, value: &Value, from: &[usize]) -> Value {
        match value {
            Value::Object(members) => {
                let applying = self.applying(from);
                let mut decoded = Map::new();
                for (key, member) in members {
                    let inside = self.members(&applying, key);
                    let is_absent =
                        |&one: &usize| self.absent.contains(&*self.places.all[one].pointer);
                    if member.is_null() && inside.iter().any(is_absent) {
                        continue;
                    }
                    decoded.insert(key.clone(), self.value(member, &inside));
                }
                Value::Object(decoded)
            }
            Value::Array(items) => {
                let applying = self.applying(from);
                let items = items.iter().enumerate().map(|(at, item)| {
                    let inside = self.items(&applying, at);
                    self.value(item, &inside)
                });
                Value::Array(items.collect())
            }
            value => value.clone(),
        }
    }

    /// Returns the schemas of a member.
    fn members(&self, applying: &[usize], key: &str) -> Vec<usize> {
        let mut found = Vec::new();
        for &index in applying {
            let inside = || self.places.inside[index].iter().copied();
            let named = inside().find(|&one| {
                let place = &self.places.all[one];
                place.keyword == "properties" && place.name == key
            });
            let others = inside().filter(|&one| {
                matches!(self.places.all[one].keyword, "patternProperties" | "additionalProperties")
            });
            match named {
                Some(named) => found.push(named),
                None => found.extend(others),
            }
        }
        found
    }

    /// Returns the schemas of an item.
    fn items(&self, applying: &[usize], at: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for &index in applying {
            let inside = || self.places.inside[index].iter().copied();
            let at = at.to_string();
            let fixed = inside().find(|&one| {
                let place = &self.places.all[one];
                matches!(place.keyword, "prefixItems" | "items") && place.name == at
            });
            let rest = inside().find(|&one| {
                let place = &self.places.all[one];
                (place.keyword == "items" && place.name.is_empty())
                    || place.keyword == "additionalItems"
            });
            found.extend(fixed.or(rest));
        }
        found
    }
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
        stand_ins.push(wrap_root(&mut schema, true));
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
