//! Unions of printed schemas.

use serde_json::{Map, Value, json};

/// Most branches of a printed union. Larger unions are not printed.
pub(super) const MOST_BRANCHES: usize = 8;

/// Returns the union of schemas: one schema, a list of types, or `anyOf`. `None` for more than [`MOST_BRANCHES`]
/// branches.
pub(super) fn union(branches: Vec<Value>) -> Option<Value> {
    let (mut types, mut others) = (Vec::new(), Vec::new());
    for branch in branches {
        let name = branch
            .get("type")
            .filter(|_| branch.as_object().is_some_and(|members| members.len() == 1));
        match name.and_then(Value::as_str) {
            Some(name) => types.push(name.to_owned()),
            None => others.push(branch),
        }
    }
    match &types[..] {
        [] => {}
        [name] => others.insert(0, json!({ "type": name })),
        names => others.insert(0, json!({ "type": names })),
    }
    match others.len() {
        0 => Some(json!(false)),
        1 => others.pop(),
        count if count <= MOST_BRANCHES => {
            Some(Value::Object(Map::from_iter([("anyOf".to_owned(), Value::Array(others))])))
        }
        _ => None,
    }
}
