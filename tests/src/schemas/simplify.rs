//! Simpler schemas, to make a failing one small.

use serde_json::Value;

use crate::shrink::simplest;

/// A value that fails and none of whose simpler neighbours does, or the best found in `tries` attempts.
pub fn simplify(value: Value, tries: usize, fails: impl Fn(&Value) -> bool) -> Value {
    simplest(value, tries, neighbours, fails)
}

/// The value with one member or item left out, replaced by one of its own, or itself made simpler.
fn neighbours(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    match value {
        Value::Array(items) => {
            for at in 0..items.len() {
                let mut fewer = items.clone();
                fewer.remove(at);
                found.push(Value::Array(fewer));
            }
            for (at, item) in items.iter().enumerate() {
                for simpler in neighbours(item) {
                    let mut changed = items.clone();
                    changed[at] = simpler;
                    found.push(Value::Array(changed));
                }
            }
        }
        Value::Object(members) => {
            for key in members.keys() {
                let mut fewer = members.clone();
                fewer.shift_remove(key);
                found.push(Value::Object(fewer));
            }
            for (key, member) in members {
                let own = member.as_object().into_iter().flat_map(|inner| inner.values());
                for simpler in own.cloned().chain(neighbours(member)) {
                    let mut changed = members.clone();
                    changed.insert(key.clone(), simpler);
                    found.push(Value::Object(changed));
                }
            }
        }
        _ => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let schema =
            json!({"a": {"b": {"not": {"type": "null", "title": 1}}, "c": 2}, "d": [1, 2]});
        let found = simplify(schema, 1_000, |value| value.to_string().contains("null"));
        assert_eq!(found, json!({"a": "null"}));
    }
}
