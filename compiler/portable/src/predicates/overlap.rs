//! Decides whether branches of a union overlap: first by their types and constants, then by comparing schemas.

use std::time::Duration;

use grammarc_grammar::diagnostics::Source;
use grammarc_json_schema::relation::{Relation, relate};
use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use super::At;
use crate::places::Answers;
use crate::places::alone::alone;

/// Time limit of a question about two branches. Beyond it, they count as overlapping.
const TIME: Duration = Duration::from_millis(200);
/// Most pairs of branches that the compiler compares. Unions with more such pairs count as overlapping.
const MOST_PAIRS: usize = 64;

/// Whether two branches of the rule's keyword overlap, or are not proved disjoint.
pub(super) fn overlaps(at: At<'_>) -> bool {
    let root = at.places.root().schema;
    let Some(branches) = at.value().and_then(Value::as_array) else { return false };
    let text = at.value().map(Value::to_string).unwrap_or_default();
    // What a reference names may change from walk to walk.
    if text.contains("ef\"") {
        return !are_disjoint(root, branches, &at.places.answers);
    }
    at.places.answers.known(text, || !are_disjoint(root, branches, &at.places.answers))
}

/// Whether it is proved that no value satisfies two of the branches. `root` is the document of the branches.
pub(crate) fn are_disjoint(root: &Value, branches: &[Value], answers: &Answers) -> bool {
    let mut asked = 0;
    for (at, left) in branches.iter().enumerate() {
        for right in &branches[at + 1..] {
            if are_plainly_disjoint(root, left, right) {
                continue;
            }
            asked += 1;
            if asked > MOST_PAIRS || !are_proved_disjoint(root, left, right, answers) {
                return false;
            }
        }
    }
    true
}

/// Follows references to definitions at the root, a bounded number of times.
fn followed<'v>(root: &'v Value, schema: &'v Value) -> &'v Value {
    let mut schema = schema;
    for _ in 0..8 {
        let pointer =
            schema.get("$ref").and_then(Value::as_str).and_then(|uri| uri.strip_prefix('#'));
        let Some(target) = pointer.and_then(|pointer| root.pointer(pointer)) else { break };
        schema = target;
    }
    schema
}

/// Whether two schemas are disjoint by their types, constants, or a required member with disjoint constants. `false` if
/// these do not decide it.
fn are_plainly_disjoint(root: &Value, left: &Value, right: &Value) -> bool {
    let (left, right) = (followed(root, left), followed(root, right));
    let (Some(left), Some(right)) = (left.as_object(), right.as_object()) else {
        return left == &Value::Bool(false) || right == &Value::Bool(false);
    };
    if let (Some(left), Some(right)) = (types(left), types(right))
        && !left.iter().any(|name| right.contains(name))
    {
        return true;
    }
    if let (Some(left), Some(right)) = (constants(left), constants(right)) {
        return !left.iter().any(|value| right.contains(value));
    }
    let is_object = |schema: &Map<String, Value>| types(schema) == Some(vec!["object"]);
    if !is_object(left) || !is_object(right) {
        return false;
    }
    let requires = |schema: &Map<String, Value>, key: &str| {
        let keys = schema.get("required").and_then(Value::as_array);
        keys.is_some_and(|keys| keys.iter().any(|one| one == key))
    };
    let (Some(left_members), Some(right_members)) = (named(left), named(right)) else {
        return false;
    };
    left_members.iter().any(|(key, member)| {
        let Some(other) = right_members.get(key) else { return false };
        let (member, other) = (followed(root, member), followed(root, other));
        let both =
            member.as_object().and_then(constants).zip(other.as_object().and_then(constants));
        let apart = both.is_some_and(|(one, two)| !one.iter().any(|value| two.contains(value)));
        apart && requires(left, key) && requires(right, key)
    })
}

fn named(schema: &Map<String, Value>) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

/// Returns the types of a schema, with `number` for `integer`.
fn types(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    let name = |name| if name == "integer" { "number" } else { name };
    match schema.get("type")? {
        Value::String(text) => Some(vec![name(text)]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).map(name).collect()),
        _ => None,
    }
}

/// Returns the texts of the values that a schema's `const` or `enum` allows.
fn constants(schema: &Map<String, Value>) -> Option<FxHashSet<String>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some([value].into_iter().map(canonical).collect()),
        (None, Some(Value::Array(values))) => Some(values.iter().map(canonical).collect()),
        _ => None,
    }
}

/// Returns a text that is the same for equal values. Unequal objects, arrays and close numbers may share a text.
fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("{}", number.as_f64().unwrap_or(f64::NAN)),
        // Objects and arrays may be equal in other orders and spellings.
        Value::Array(_) => "[]".to_owned(),
        Value::Object(_) => "{}".to_owned(),
        value => value.to_string(),
    }
}

/// Whether the compiler proves that no value satisfies both schemas.
fn are_proved_disjoint(root: &Value, left: &Value, right: &Value, answers: &Answers) -> bool {
    let (left, right) = (alone(root, left), alone(root, right));
    let source = |value: Value| Source::new("<branch>", value.to_string());
    let (left, right) = (source(left), source(right));
    let compared = answers.ask(TIME, |options| relate(&left, &right, options));
    compared.is_some_and(|found| found.is_ok_and(|found| found.relation == Relation::Disjoint))
}
