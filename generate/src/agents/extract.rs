//! The turns of a text: objects that are actions, or were meant to be.
//!
//! Objects are read by a parser from each brace on, so that braces within strings are none. An object without the four fields
//! may hold the action, so the search goes on within it; one with them is a turn of its own, and what stands in its arguments
//! is data: a turn that is no action is passed over as a whole.
//!
//! Cost: a byte is read once for each object around it, of which the parser takes at most 128.

use serde_json::{Map, Value};

/// The fields of an action, in their order.
pub(super) const FIELDS: [&str; 4] = ["think", "action", "arguments", "answer"];

/// A place of a text where a turn begins.
pub(super) enum Turn<'t> {
    /// An object with the four fields: as it stands in the text, and its value.
    Whole { at: usize, raw: &'t str, object: Map<String, Value> },
    /// A brace and one of the fields as its first key, which is no JSON: where it would end is not known.
    Broken { at: usize },
}

/// The turns of a text from left to right. A turn within a whole one is none.
pub(super) fn turns(text: &str) -> impl Iterator<Item = Turn<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + memchr::memchr(b'{', &text.as_bytes()[from..])?;
            let rest = &text[at..];
            from = at + 1;
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            match values.next() {
                Some(Ok(Value::Object(object)))
                    if FIELDS.iter().all(|field| object.contains_key(*field)) =>
                {
                    let raw = &rest[..values.byte_offset()];
                    from = at + raw.len();
                    return Some(Turn::Whole { at, raw, object });
                }
                Some(Ok(_)) => {}
                _ if begins_as_turn(rest) => return Some(Turn::Broken { at }),
                _ => {}
            }
        }
    })
}

/// Whether the first key of what begins with a brace is a field of actions.
fn begins_as_turn(text: &str) -> bool {
    let key = text[1..].trim_start().strip_prefix('"');
    key.is_some_and(|key| {
        FIELDS.iter().any(|field| {
            let behind = key.strip_prefix(field).and_then(|behind| behind.strip_prefix('"'));
            behind.is_some_and(|behind| behind.trim_start().starts_with(':'))
        })
    })
}

/// The first object in a text that has the four fields of an action, one of these actions, and an object of arguments: as it
/// stands in the text, and its value. An object in which a key occurs twice is none.
pub fn extract_json_response(
    text: &str,
    is_action: impl Fn(&str) -> bool,
) -> Option<(&str, Map<String, Value>)> {
    turns(text).find_map(|turn| {
        let Turn::Whole { raw, object, .. } = turn else { return None };
        let known = object.get("action").and_then(Value::as_str).is_some_and(&is_action);
        let whole = known
            && object.get("arguments").is_some_and(Value::is_object)
            && grammarc_json::parse(raw).is_ok();
        whole.then_some((raw, object))
    })
}
