//! The first object of a text that is an action.
//!
//! Objects are read by a parser from each brace on, so that braces within strings are none. An object without the four fields
//! may hold the action, so the search goes on within it; one with them is a turn of its own, and what stands in its arguments
//! is data: a turn that is no action is passed over as a whole.
//!
//! Cost: a byte is read once for each object around it, of which the parser takes at most 128.

use serde_json::{Map, Value};

/// The fields of an action, in their order.
pub(super) const FIELDS: [&str; 4] = ["think", "action", "arguments", "answer"];

/// The first object in a text that has the four fields of an action, one of these actions, and an object of arguments: as it
/// stands in the text, and its value. An object in which a key occurs twice is none.
pub fn extract_json_response(
    text: &str,
    is_action: impl Fn(&str) -> bool,
) -> Option<(&str, Map<String, Value>)> {
    let mut from = 0;
    while let Some(brace) = memchr::memchr(b'{', &text.as_bytes()[from..]) {
        let rest = &text[from + brace..];
        from += brace + 1;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let Some(Ok(Value::Object(object))) = values.next() else { continue };
        if !FIELDS.iter().all(|field| object.contains_key(*field)) {
            continue;
        }
        let raw = &rest[..values.byte_offset()];
        from += raw.len() - 1;
        let known = object.get("action").and_then(Value::as_str).is_some_and(&is_action);
        if known
            && object.get("arguments").is_some_and(Value::is_object)
            && grammarc_json::parse(raw).is_ok()
        {
            return Some((raw, object));
        }
    }
    None
}
