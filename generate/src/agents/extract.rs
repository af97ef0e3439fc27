//! The first object of a text that is an action.

use serde_json::{Map, Value};

/// The fields of an action, in their order.
pub(super) const FIELDS: [&str; 4] = ["think", "action", "arguments", "answer"];

/// Most braces of a text at which an object is looked for.
const MOST: usize = 4096;

/// The first object in a text that has the four fields of an action, one of these actions, and an object of arguments: as it
/// stands in the text, and its value. Braces within strings are none.
///
/// At most the first 4,096 braces are looked at; a text with more before its action has none here.
pub fn extract_json_response(
    text: &str,
    is_action: impl Fn(&str) -> bool,
) -> Option<(&str, Map<String, Value>)> {
    let braces = memchr::memchr_iter(b'{', text.as_bytes()).take(MOST);
    braces.into_iter().find_map(|at| {
        let rest = &text[at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let Some(Ok(Value::Object(object))) = values.next() else { return None };
        let whole = FIELDS.iter().all(|field| object.contains_key(*field));
        let known = object.get("action").and_then(Value::as_str).is_some_and(&is_action);
        let fits = whole && known && object.get("arguments").is_some_and(Value::is_object);
        fits.then(|| (&rest[..values.byte_offset()], object))
    })
}
