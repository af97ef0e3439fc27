//! Notes about a schema, valid for every target: strings without a bound, objects open by default.

use serde_json::Value;

use crate::finding::{Certainty, Finding, Severity, Treatment};
use crate::places::{Place, Places};
use crate::predicates::shape;

/// Returns the notes about a schema, in the order of the text. Cost: one walk.
pub fn notes(schema: &Value) -> Vec<Finding> {
    let places = Places::of(schema);
    let used = places.all.iter().filter(|place| place.used);
    used.flat_map(|place| unbounded_text(place).into_iter().chain(open_by_default(place))).collect()
}

fn note(rule: &str, place: &Place<'_>, message: &str, change: &str) -> Finding {
    Finding {
        target: String::new(),
        tool: None,
        rule: rule.to_owned(),
        pointer: place.pointer.clone(),
        keyword: String::new(),
        treatment: Treatment::Enforced,
        severity: Severity::Note,
        certainty: Certainty::Documented,
        message: message.to_owned(),
        change: Some(change.to_owned()),
        source: String::new(),
        seen: String::new(),
    }
}

/// Returns a note if the schema allows strings of any length and content.
fn unbounded_text(place: &Place<'_>) -> Option<Finding> {
    const BOUNDS: [&str; 6] = ["maxLength", "pattern", "enum", "const", "format", "$ref"];
    let is_text = shape::declared(place).is_some_and(|types| types.contains(&"string"));
    let is_bounded = BOUNDS.iter().any(|keyword| place.get(keyword).is_some());
    let change = "add `maxLength`, `pattern`, `enum` or `format`";
    (is_text && !is_bounded)
        .then(|| note("unbounded-text", place, "the string can be of any length", change))
}

/// Returns a note if an object names members and allows unnamed ones by default.
fn open_by_default(place: &Place<'_>) -> Option<Finding> {
    let named = place.get("properties").and_then(Value::as_object);
    let says =
        ["additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames"];
    let is_said = says.iter().any(|keyword| place.get(keyword).is_some());
    let is_branch = place.keyword == "allOf";
    let change = "add `\"additionalProperties\": false`, or `true` if other members are wanted";
    (named.is_some_and(|named| !named.is_empty()) && !is_said && !is_branch).then(|| {
        note("open-by-default", place, "the object allows members of any other name", change)
    })
}
