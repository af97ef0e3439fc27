//! Maps a byte offset in a value's JSON text to the member or item that contains it.

use serde_json::Value;

use crate::scan::pointer_step;

/// Returns the JSON pointer of the innermost member or item at a byte offset of the value's compact
/// JSON text. O(text × depth).
pub(super) fn pointer(mut value: &Value, mut at: usize) -> String {
    let mut pointer = String::new();
    loop {
        let parts: Vec<(String, usize, &Value)> = match value {
            Value::Array(items) => (0..)
                .zip(items)
                .map(|(index, item): (usize, _)| (index.to_string(), 0, item))
                .collect(),
            Value::Object(members) => members
                .iter()
                .map(|(key, value)| {
                    (pointer_step(key), Value::from(key.as_str()).to_string().len() + 1, value)
                })
                .collect(),
            _ => return pointer,
        };
        // After the opening bracket, each part is followed by a comma or by the closing bracket.
        let mut start = 1;
        let mut inner = None;
        for (name, key, part) in parts {
            let end = start + key + part.to_string().len();
            if at < end {
                inner = Some((name, start + key, part));
                break;
            }
            start = end + 1;
        }
        let Some((name, start, part)) = inner else { return pointer };
        pointer.push('/');
        pointer.push_str(&name);
        if at < start {
            return pointer;
        }
        (value, at) = (part, at - start);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_byte_belongs_to_the_innermost_part() {
        let value = json!({"a": [1, {"x/y": true}], "b": "text"});
        let text = value.to_string();
        let at = |part: &str| pointer(&value, text.find(part).unwrap());
        assert_eq!(at("\"a\""), "/a");
        assert_eq!(at("1"), "/a/0");
        assert_eq!(at("x/y"), "/a/1/x~1y");
        assert_eq!(at("true"), "/a/1/x~1y");
        assert_eq!(at("text"), "/b");
        assert_eq!(pointer(&value, text.len() - 1), "");
    }
}
