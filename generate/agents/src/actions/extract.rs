//! Finds turns in a text: JSON objects with the four fields of an action.
//!
//! A JSON parser starts at each `{`, so braces within strings do not count. If the object lacks a
//! field, the search continues inside it, because it may contain a turn. An object with all four
//! fields is a turn, and the search continues after it. Its content is data, even if its action is
//! invalid.
//!
//! Cost: each byte is read once for each object around it. The parser accepts a depth of at most
//! 128.

use std::ops::Range;

use serde_json::{Map, Value};

/// Names of an action's fields, in the order in which a model writes them.
pub(super) const FIELDS: [&str; 4] = ["think", "action", "arguments", "answer"];

/// A turn: a JSON object with the four fields of an action.
pub(super) struct Turn<'t> {
    /// Byte range of the object in the text.
    pub(super) range: Range<usize>,
    /// The object as it is written in the text.
    pub(super) raw: &'t str,
    pub(super) object: Map<String, Value>,
}

/// Returns the turns of a text from left to right. A turn within another turn is not returned.
pub(super) fn turns(text: &str) -> impl Iterator<Item = Turn<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + memchr::memchr(b'{', &text.as_bytes()[from..])?;
            from = at + 1;
            let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
            if let Some(Ok(Value::Object(object))) = values.next()
                && FIELDS.iter().all(|field| object.contains_key(*field))
            {
                from = at + values.byte_offset();
                return Some(Turn { range: at..from, raw: &text[at..from], object });
            }
        }
    })
}

/// Returns the first turn with a known action and an object of arguments: its text and its value.
/// `is_action` says whether a name is a known action. Skips objects in which a key occurs twice.
/// `None` if there is no such turn.
pub fn extract_json_response(
    text: &str,
    is_action: impl Fn(&str) -> bool,
) -> Option<(&str, Map<String, Value>)> {
    turns(text).find_map(|Turn { raw, object, .. }| {
        let known = object.get("action").and_then(Value::as_str).is_some_and(&is_action);
        let whole = known
            && object.get("arguments").is_some_and(Value::is_object)
            && grammarc_json::parse(raw).is_ok();
        whole.then_some((raw, object))
    })
}
