//! The turns of a text: objects with the four fields of an action.
//!
//! Objects are read by a parser from each brace on, so that braces within strings do not count. The search continues within an
//! object that lacks a field, since it may hold an action. An object with all four is a turn, and is passed over as a whole: its
//! arguments are data, also if the turn is no action.
//!
//! Cost: a byte is read once for each object around it, of which the parser takes at most 128.

use std::ops::Range;

use serde_json::{Map, Value};

/// The fields of an action, in their order.
pub(super) const FIELDS: [&str; 4] = ["think", "action", "arguments", "answer"];

/// An object with the four fields.
pub(super) struct Turn<'t> {
    /// Its range in the text, in bytes.
    pub(super) range: Range<usize>,
    /// Its text.
    pub(super) raw: &'t str,
    pub(super) object: Map<String, Value>,
}

/// Returns the turns of a text from left to right. A turn within another is left out.
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

/// Returns the first object with the four fields of an action, one of these actions, and an object of arguments: its
/// text, and its value. An object in which a key occurs twice does not count.
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
