//! Tests of partial values: compares them with the strict parser, for texts truncated at every
//! position.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Change, PartialJson};
use crate::schema::JsonSchema;

fn values() -> impl Strategy<Value = Value> {
    let text = "[a-c\"\\\\\n日🎉/~ ]{0,6}";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6_f64..1e6).prop_map(|number| json!(number)),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(text, inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Returns a JSON text of a value, with some characters escaped and some white space.
fn written(value: &Value, pretty: bool, escaped: bool) -> String {
    let text =
        if pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) };
    let text = text.expect("it is a value");
    if !escaped {
        return text;
    }
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// Whether `before` can have grown to `after`: containers have gained parts, and strings have
/// become longer.
fn grew(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::String(before), Value::String(after)) => after.starts_with(before.as_str()),
        (Value::Array(before), Value::Array(after)) => {
            before.len() <= after.len()
                && before.iter().zip(after).all(|(before, after)| grew(before, after))
        }
        (Value::Object(before), Value::Object(after)) => before
            .iter()
            .all(|(key, before)| after.get(key).is_some_and(|after| grew(before, after))),
        _ => before == after,
    }
}

/// Applies changes to a value.
fn replay(value: &mut Option<Value>, changes: &[Change]) {
    for change in changes {
        match change {
            Change::Added { pointer, value: added } => match pointer.rsplit_once('/') {
                None => *value = Some(added.clone()),
                Some((parent, last)) => {
                    match value
                        .as_mut()
                        .and_then(|value| value.pointer_mut(parent))
                        .expect("it was added")
                    {
                        Value::Array(items) => items.push(added.clone()),
                        Value::Object(members) => {
                            let key = last.replace("~1", "/").replace("~0", "~");
                            members.insert(key, added.clone());
                        }
                        other => panic!("{other} has no parts"),
                    }
                }
            },
            Change::Grew { pointer, delta } => {
                match value.as_mut().and_then(|value| value.pointer_mut(pointer)) {
                    Some(Value::String(text)) => text.push_str(delta),
                    other => panic!("{other:?} does not grow"),
                }
            }
            Change::Closed { .. } => {}
        }
    }
}

proptest! {
    #[test]
    fn a_value_only_grows_and_ends_as_the_strict_one(
        value in values(), pretty in any::<bool>(), escaped in any::<bool>(), step in 1_usize..9,
    ) {
        let text = written(&value, pretty, escaped);
        let mut partial = PartialJson::new(None);
        let mut before: Option<Value> = None;
        let mut replayed = None;
        let characters: Vec<char> = text.chars().collect();
        for part in characters.chunks(step) {
            let part: String = part.iter().collect();
            let changes = partial.push(&part).expect("it is the beginning of JSON").to_vec();
            replay(&mut replayed, &changes);
            prop_assert_eq!(partial.value(), replayed.as_ref());
            if let (Some(before), Some(after)) = (&before, partial.value()) {
                prop_assert!(grew(before, after), "{} became {}", before, after);
            }
            before = partial.value().cloned();
        }
        let last = partial.finish().expect("it is JSON");
        prop_assert_eq!(&last, &crate::parse(&text).expect("it is JSON"));
        if let Some(before) = before {
            prop_assert!(grew(&before, &last));
        }
    }

    /// Under a schema, a string whose texts are listed appears only as its final text, in whatever
    /// parts the JSON text arrives.
    #[test]
    fn listed_strings_are_monotone(
        items in prop::collection::vec("(aa|ab|b|abc|é|x)", 0..6), step in 1_usize..5, constrained: bool,
    ) {
        let texts = ["aa", "ab", "b", "abc", "é"];
        let is_instance = items.iter().all(|item| texts.contains(&item.as_str()));
        prop_assume!(is_instance || !constrained);
        let schema = JsonSchema::from_value(json!({"items": {"enum": texts}})).unwrap();
        let mut partial = match constrained {
            true => PartialJson::constrained(schema),
            false => PartialJson::new(Some(schema)),
        };
        let last = json!(items);
        let text = last.to_string();
        let characters: Vec<char> = text.chars().collect();
        for part in characters.chunks(step) {
            partial.push(&part.iter().collect::<String>()).expect("it is the beginning of JSON");
            let Some(Value::Array(shown)) = partial.value() else { continue };
            let whole = last.as_array().unwrap();
            prop_assert!(shown.len() <= whole.len() && shown[..] == whole[..shown.len()]);
        }
        prop_assert_eq!(partial.finish().expect("it is JSON"), last);
    }

    /// Escapes of UTF-16 units, including halves of surrogate pairs, are decoded as by the strict
    /// parser.
    #[test]
    fn units_of_utf_16_are_read_as_by_the_strict_parser(units in prop::collection::vec("(a|\\\\n|\\\\u(d83d|de00|dbff|DC00|0041))", 0..6)) {
        let text = format!("[\"{}\"]", units.concat());
        let mut partial = PartialJson::new(None);
        let mut shown = String::new();
        for c in text.chars() {
            partial.push(c.encode_utf8(&mut [0; 4])).expect("it is the beginning of JSON");
            let now = partial.value().and_then(|value| value[0].as_str()).unwrap_or_default();
            prop_assert!(now.starts_with(&shown));
            shown = now.to_owned();
        }
        prop_assert_eq!(partial.finish().unwrap(), crate::parse(&text).unwrap());
    }

    #[test]
    fn what_the_strict_parser_refuses_is_refused(text in r#"[\[\]{}:,"a1.e\-\\u \ntruefalsn]{0,12}"#) {
        let mut partial = PartialJson::new(None);
        let read = partial.push(&text).map(drop).and_then(|()| partial.finish());
        match (read, crate::parse(&text)) {
            (Ok(value), Ok(strict)) => prop_assert_eq!(value, strict),
            (Err(_), Err(_)) => {}
            (one, other) => prop_assert!(false, "{:?} and {:?}", one, other),
        }
    }
}

fn judged(schema: Value) -> PartialJson {
    PartialJson::new(Some(JsonSchema::from_value(schema).expect("a schema")))
}

#[test]
fn a_listed_text_appears_once_it_is_certain_and_whole() {
    let schema = json!({"properties": {"a": {"enum": ["alpha", "alto", "beta"]}}});
    let mut plain = judged(schema.clone());
    plain.push(r#"{"a": "alph"#).unwrap();
    assert_eq!(plain.value(), Some(&json!({})));
    plain.push(r#"abet"}"#).unwrap();
    assert_eq!(plain.finish().unwrap(), json!({"a": "alphabet"}));
    let constrained = || PartialJson::constrained(JsonSchema::from_value(schema.clone()).unwrap());
    for other in [r#"{"a": "alphx"#, r#"{"a": "alp""#] {
        let mut partial = constrained();
        let refused = other.chars().any(|c| partial.push(c.encode_utf8(&mut [0; 4])).is_err());
        assert!(refused, "{other}");
        assert_eq!(partial.value(), Some(&json!({"a": "alpha"})));
    }
    let mut partial = constrained();
    assert_eq!(partial.push(r#"{"a": "al"#).unwrap().len(), 1);
    assert_eq!(partial.value(), Some(&json!({})));
    let changes = partial.push("p").unwrap().to_vec();
    assert_eq!(changes, [Change::Added { pointer: "/a".to_owned(), value: json!("alpha") }]);
    assert!(!partial.is_complete("/a"));
    partial.push("ha\"").unwrap();
    assert!(partial.is_complete("/a") && !partial.is_complete(""));
    partial.push("}").unwrap();
    assert!(partial.is_complete(""));
}

#[test]
fn parts_are_judged_when_they_close() {
    let item =
        json!({"type": "object", "required": ["id"], "properties": {"id": {"$ref": "#/$defs/id"}}});
    let mut partial = judged(
        json!({"$defs": {"id": {"type": "integer"}, "item": item}, "properties": {"items": {"items": {"$ref": "#/$defs/item"}}}}),
    );
    let closed = |changes: &[Change]| -> Vec<(String, bool)> {
        changes
            .iter()
            .filter_map(|change| match change {
                Change::Closed { pointer, violations } => {
                    Some((pointer.clone(), violations.is_some()))
                }
                _ => None,
            })
            .collect()
    };
    let first = closed(partial.push(r#"{"items": [{"id": 1}, {"id": "x"}"#).unwrap());
    let names = |expected: &[(&str, bool)]| {
        expected.iter().map(|(name, bad)| ((*name).to_owned(), *bad)).collect::<Vec<_>>()
    };
    assert_eq!(first, names(&[("/items/0", false), ("/items/1/id", true), ("/items/1", true)]));
    let rest = closed(partial.push("]}").unwrap());
    assert_eq!(rest, names(&[("/items", true), ("", true)]));
}

#[test]
fn an_error_stays() {
    let mut partial = PartialJson::new(None);
    partial.push(r#"{"a": 1, "#).unwrap();
    let error = partial.push(r#""a": 2}"#).map(<[_]>::to_vec).unwrap_err();
    assert!(error.message.contains("occurs twice"), "{error}");
    assert_eq!(partial.push("}").map(<[_]>::to_vec).unwrap_err(), error);
    assert_eq!(partial.value(), Some(&json!({"a": 1})));
}

#[test]
fn depth_is_bounded_as_in_the_strict_parser() {
    for depth in [126, 127, 128, 129] {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        let mut partial = PartialJson::new(None);
        let read = partial.push(&text).map(drop).and_then(|()| partial.finish());
        assert_eq!(read.is_ok(), crate::parse(&text).is_ok(), "{depth}");
    }
}
