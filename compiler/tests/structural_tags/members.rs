//! Members of objects as tags: a text is accepted where some object that it may be read as is one of the schema.
//!
//! The oracle writes objects by itself and reads values as the families' parsers do: where the type is written down, by
//! it; otherwise as the text, or as JSON.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{lowered, verdicts};

/// A style: before and behind a key, what is written of the types, behind a value.
struct Style {
    name: &'static str,
    key: [&'static str; 2],
    /// By type: string, number, boolean, null, object, array. One for all where the type is not written.
    types: &'static [&'static str],
    close: &'static str,
    /// Whether one line end before and behind a value is no part of it.
    lines: bool,
}

const STYLES: [Style; 7] = [
    Style {
        name: "qwen_xml",
        key: ["<parameter=", ">"],
        types: &[""],
        close: "</parameter>",
        lines: true,
    },
    Style {
        name: "seed_xml",
        key: ["<parameter=", ">"],
        types: &[""],
        close: "</parameter>",
        lines: false,
    },
    Style {
        name: "minimax_xml",
        key: ["<parameter name=\"", "\">"],
        types: &[""],
        close: "</parameter>",
        lines: false,
    },
    Style {
        name: "deepseek_xml",
        key: ["<｜DSML｜parameter name=\"", "\" string=\""],
        types: &["true\">", "false\">", "false\">", "false\">", "false\">", "false\">"],
        close: "</｜DSML｜parameter>",
        lines: false,
    },
    Style {
        name: "deepseek_v4_1_xml",
        key: ["<｜DSML｜ parameter name=\"", "\" string=\""],
        types: &["true\">", "false\">", "false\">", "false\">", "false\">", "false\">"],
        close: "</｜DSML｜ parameter>",
        lines: false,
    },
    Style {
        name: "glm_xml",
        key: ["<arg_key>", "</arg_key><arg_value>"],
        types: &[""],
        close: "</arg_value>",
        lines: false,
    },
    Style {
        name: "kimi_k3_xml",
        key: ["<|open|>argument key=\"", "\" type=\""],
        types: &[
            "string\"<|sep|>",
            "number\"<|sep|>",
            "boolean\"<|sep|>",
            "null\"<|sep|>",
            "object\"<|sep|>",
            "array\"<|sep|>",
        ],
        close: "<|close|>argument<|sep|>",
        lines: false,
    },
];

fn type_of(value: &Value) -> usize {
    match value {
        Value::String(_) => 0,
        Value::Number(_) => 1,
        Value::Bool(_) => 2,
        Value::Null => 3,
        Value::Object(_) => 4,
        Value::Array(_) => 5,
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Style {
    fn member(&self, key: &str, value: &Value, line: &str) -> String {
        let begin = if self.types.len() == 1 { self.types[0] } else { self.types[type_of(value)] };
        let [before, behind] = self.key;
        format!("{before}{key}{behind}{begin}{line}{}{line}{}", text_of(value), self.close)
    }

    /// The values that what is written of one may be read as.
    fn readings(&self, value: &Value, line: &str) -> Vec<Value> {
        if self.types.len() > 1 {
            return vec![value.clone()];
        }
        let mut text = format!("{line}{}{line}", text_of(value));
        if self.lines {
            text = text.strip_prefix('\n').map_or(text.clone(), str::to_owned);
            text = text.strip_suffix('\n').map_or(text.clone(), str::to_owned);
        }
        let as_json = serde_json::from_str(&text).ok();
        [Value::String(text)].into_iter().chain(as_json).collect()
    }
}

/// All objects with one reading for each member.
fn objects(members: &[(&str, Vec<Value>)]) -> Vec<Map<String, Value>> {
    members.iter().fold(vec![Map::new()], |objects, (key, readings)| {
        let with = |object: &Map<String, Value>, value: &Value| {
            let mut object = object.clone();
            object.insert((*key).to_owned(), value.clone());
            object
        };
        objects
            .iter()
            .flat_map(|object| readings.iter().map(move |value| with(object, value)))
            .collect()
    })
}

fn schemas() -> Vec<Value> {
    vec![
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}),
        json!({"type": "object", "properties": {"a": {"enum": ["x", "yy", 5, null]}, "b": {"const": {"k": 1}}}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "maxLength": 4}, "b": {"type": ["boolean", "array"]}}, "additionalProperties": {"type": "number"}}),
        json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^x*y$"}, "b": {"type": ["string", "null"]}}, "required": ["a", "b"]}),
        json!({"anyOf": [
            {"properties": {"a": {"const": "x"}, "b": {"type": "integer"}}, "required": ["a", "b"]},
            {"properties": {"a": {"const": "yy"}, "c": {"type": "string"}}, "required": ["a"], "additionalProperties": false}
        ]}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/s"}, "b": {"$ref": "#"}}, "$defs": {"s": {"type": "string", "maxLength": 2}}, "maxProperties": 2}),
        json!(true),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let texts = [
        "x",
        "yy",
        "xxy",
        "",
        "5",
        "null",
        "\nx\n",
        "a<b",
        "true",
        "[]",
        "{\"k\":1}",
        "a very long text",
        "é日",
    ];
    prop_oneof![
        3 => prop::sample::select(texts.to_vec()).prop_map(Value::from),
        1 => prop::sample::select(vec![json!(5), json!(-1.5), json!(null), json!(true), json!([]), json!([1, "a"])]),
        1 => prop::sample::select(vec![json!({"k": 1}), json!({}), json!({"a": "x", "b": {"a": "x"}})]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn texts_are_those_of_instances(
        style in 0..STYLES.len(),
        schema in 0..schemas().len(),
        is_on_lines: bool,
        instances in prop::collection::vec((prop::sample::subsequence(vec!["a", "b", "c"], 0..=3), prop::collection::vec(any_value(), 3)), 1..10),
    ) {
        let (style, schema) = (&STYLES[style], &schemas()[schema]);
        let line = if is_on_lines && style.lines { "\n" } else { "" };
        let validator = jsonschema::validator_for(schema).unwrap();
        let mut texts = Vec::new();
        let mut expected = Vec::new();
        for (keys, values) in &instances {
            let members = keys.iter().zip(values);
            texts.push(members.clone().map(|(key, value)| style.member(key, value, line)).collect::<String>());
            let readings: Vec<(&str, Vec<Value>)> = members.map(|(key, value)| (*key, style.readings(value, line))).collect();
            expected.push(objects(&readings).into_iter().any(|object| validator.is_valid(&Value::Object(object))));
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let tag = json!({"type": "json_schema", "style": style.name, "json_schema": schema});
        let found = verdicts(&tag, &texts).unwrap();
        for ((text, found), expected) in texts.iter().zip(found).zip(expected) {
            prop_assert_eq!(found, expected, "{} {} {:?}", style.name, schema, text);
        }
    }

    #[test]
    fn any_order_keeps_required_and_distinct_keys(style in 0..STYLES.len(), keys in prop::collection::vec(0..3usize, 0..5)) {
        let style = &STYLES[style];
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}}, "required": ["a", "c"], "additionalProperties": false});
        let text: String = keys.iter().map(|&key| style.member(["a", "b", "c"][key], &json!(5), "")).collect();
        let tag = json!({"type": "json_schema", "style": style.name, "json_schema": schema, "any_order": true});
        let count = |key| keys.iter().filter(|&&one| one == key).count();
        let expected = count(0) == 1 && count(1) <= 1 && count(2) == 1;
        prop_assert_eq!(verdicts(&tag, &[&text]).unwrap(), [expected], "{}", text);
    }
}

/// A string cannot hold what ends it; a bound on its length is kept beside that.
#[test]
fn strings_end_where_their_tag_does() {
    for style in &STYLES {
        let long = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 40}}, "required": ["a"], "additionalProperties": false});
        let tag = json!({"type": "json_schema", "style": style.name, "json_schema": long});
        let inside = format!("x{}y", style.close);
        let prefix = &style.close[..style.close.len() - 1];
        let values = [inside.as_str(), prefix, &"é".repeat(40), &"é".repeat(41)];
        let texts = values.map(|value| style.member("a", &value.into(), ""));
        let texts = texts.each_ref().map(String::as_str);
        assert_eq!(verdicts(&tag, &texts).unwrap(), [false, true, true, false], "{}", style.name);
    }
}

/// The bound on a length is a part of the automaton, so that one that is too long is refused, and the place is named.
#[test]
fn long_bounds_are_refused_with_their_place() {
    let tag = |style: &Style, most: u32| {
        let schema = json!({"properties": {"a": {"type": "string", "maxLength": most}}});
        json!({"type": "json_schema", "style": style.name, "json_schema": schema})
    };
    for style in &STYLES {
        assert!(lowered(&tag(style, 1000)).is_ok(), "{}", style.name);
        let errors = lowered(&tag(style, 1_000_000)).expect_err("it is too long");
        assert_eq!(errors[0].code, "json-schema::state-limit", "{}", style.name);
        let pointer = errors[0].pointer.as_deref();
        assert_eq!(pointer, Some("/json_schema"), "{}", style.name);
    }
}
