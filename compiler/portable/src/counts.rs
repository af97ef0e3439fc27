//! Counts over a schema, and over all schemas of a request.
//!
//! Definitions count once if a reference uses them. Depth follows references, except recursive ones. Cost: linear in
//! the schema.

use serde_json::Value;

use crate::places::Places;
use crate::places::keywords::is_definitions;
use crate::predicates::shape;

/// The names of the counts, in packs.
pub(crate) const COUNTS: [&str; 9] = [
    "depth",
    "enum-characters",
    "enum-values",
    "fields",
    "name-characters",
    "optional",
    "properties",
    "tools",
    "unions",
];

/// The count `enum-characters` ignores each `enum` with at most this number of values.
const SMALL_ENUM: usize = 250;

/// Returns a count of a schema by its name. 0 for an unknown name.
pub(crate) fn count(name: &str, places: &Places<'_>) -> u64 {
    let used = || places.all.iter().filter(|place| place.used);
    let members = |place: &crate::places::Place<'_>, keyword: &str| {
        place.get(keyword).and_then(Value::as_object).map_or(0, |members| members.len())
    };
    let total: usize = match name {
        "properties" | "fields" => used().map(|place| members(place, "properties")).sum(),
        "optional" => used().map(|place| shape::optional(place).count()).sum(),
        "unions" => used().filter(|place| is_union(place)).count(),
        "enum-values" => used().map(|place| values(place).len()).sum(),
        "enum-characters" => {
            let large = used().map(values).filter(|values| values.len() > SMALL_ENUM);
            large.map(|values| values.iter().map(characters).sum()).max().unwrap_or(0)
        }
        "name-characters" => used().map(named_characters).sum(),
        "depth" => depth(places),
        "tools" => 1,
        _ => 0,
    };
    total as u64
}

/// Whether a schema allows several types or branches.
fn is_union(place: &crate::places::Place<'_>) -> bool {
    ["anyOf", "oneOf"].iter().any(|keyword| place.get(keyword).is_some())
        || place.get("type").is_some_and(Value::is_array)
}

fn values<'v>(place: &crate::places::Place<'v>) -> &'v [Value] {
    place.get("enum").and_then(Value::as_array).map_or(&[], |values| values)
}

fn characters(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), |text| text.chars().count())
}

/// Returns the number of characters in the names of members and definitions, and in the values of `enum` and `const`.
fn named_characters(place: &crate::places::Place<'_>) -> usize {
    let names = ["properties", "$defs", "definitions"].iter().flat_map(|keyword| {
        let members = place.get(keyword).and_then(Value::as_object);
        members.into_iter().flat_map(|members| members.keys())
    });
    let names: usize = names.map(|name| name.chars().count()).sum();
    let constant = place.get("const").map_or(0, characters);
    names + constant + values(place).iter().map(characters).sum::<usize>()
}

/// Returns the greatest number of nested levels of objects and arrays. Recursive references are not followed.
fn depth(places: &Places<'_>) -> usize {
    // Each place is visited after those inside it: a stack with a mark for the way back.
    let mut depths: Vec<Option<usize>> = vec![None; places.all.len()];
    let mut open = vec![(0, false)];
    let next = |index: usize| {
        let inside = places.inside[index].iter().copied();
        let inside = inside.filter(|&one| !is_definitions(places.all[one].keyword));
        let reference = places.all[index].reference.as_ref().filter(|one| !one.recursive);
        inside.chain(reference.and_then(|one| one.target)).collect::<Vec<_>>()
    };
    while let Some((index, is_back)) = open.pop() {
        if is_back {
            let deepest = next(index).into_iter().map(|one| {
                let is_level = matches!(
                    places.all[one].keyword,
                    "properties"
                        | "additionalProperties"
                        | "patternProperties"
                        | "items"
                        | "prefixItems"
                ) && places.all[one].parent == Some(index);
                depths[one].unwrap_or(0) + usize::from(is_level)
            });
            depths[index] = Some(deepest.max().unwrap_or(0));
        } else if depths[index].is_none() {
            // A schema that is met again on the way down has no depth of its own there.
            depths[index] = Some(0);
            open.push((index, true));
            open.extend(next(index).into_iter().map(|one| (one, false)));
        }
    }
    depths[0].unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_are_counted() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"type": ["string", "null"]}, "bc": {"$ref": "#/$defs/x"}, "d": {"$ref": "#/$defs/x"}
            },
            "required": ["a"],
            "$defs": {
                "x": {"items": {"properties": {"e": {"enum": ["p", 10]}, "f": {"$ref": "#/$defs/x"}}}},
                "unused": {"properties": {"z": true}},
            },
        });
        let places = Places::of(&schema);
        let expected = [
            ("properties", 5),
            ("optional", 4),
            ("unions", 1),
            ("enum-values", 2),
            ("enum-characters", 0),
            ("name-characters", 1 + 2 + 1 + 1 + 6 + 2 + 3),
            ("depth", 3),
            ("tools", 1),
        ];
        for (name, value) in expected {
            assert_eq!(count(name, &places), value, "{name}");
        }
    }
}
