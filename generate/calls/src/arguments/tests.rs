//! Tests that arguments in the notation of each model family are converted to equal JSON, however
//! the text is split.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use grammarc_compiler::frontend::FrontEnd;
use grammarc_json::{Judgement, TextGrammar};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::TagArguments;
use crate::part::Part;

/// Pairs of a notation of calls, and the notation of members that it uses.
const STYLES: [(&str, &str); 13] = [
    ("qwen_3_coder", "qwen_xml"),
    ("minimax", "minimax_xml"),
    ("glm_4_5", "glm_xml"),
    ("hy_v3", "hy_v3_xml"),
    ("lfm_2", "python"),
    ("minimax_m3", "minimax_m3_xml"),
    ("deepseek_v3_2", "deepseek_xml"),
    ("deepseek_v4_1", "deepseek_v4_1_xml"),
    ("kimi_k3", "kimi_k3_xml"),
    ("cohere", "cohere_xml"),
    ("seed_oss", "seed_xml"),
    ("gemma_4", "gemma"),
    ("functiongemma", "functiongemma"),
];

fn object(json: &str) -> Map<String, Value> {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// Returns the members of arguments as a model family writes them. Follows the families' chat
/// templates, and does not use the compiler's tables.
fn written(style: &str, members: &Map<String, Value>) -> String {
    match style {
        "gemma_4" => in_braces("<|\"|>", members),
        "functiongemma" => in_braces("<escape>", members),
        "lfm_2" => {
            let members = members.iter().map(|(key, value)| format!("{key}={}", python(value)));
            members.collect::<Vec<_>>().join(", ")
        }
        _ => members.iter().map(|(key, value)| member(style, key, value)).collect(),
    }
}

/// Writes an object in braces, with keys by name and without quotes. `mark` is around each string.
fn in_braces(mark: &str, members: &Map<String, Value>) -> String {
    let mut members: Vec<(&String, &Value)> = members.iter().collect();
    members.sort_by_key(|(key, _)| key.to_lowercase());
    let members = members.iter().map(|(key, value)| format!("{key}:{}", marked(mark, value)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn marked(mark: &str, value: &Value) -> String {
    match value {
        Value::String(text) => format!("{mark}{text}{mark}"),
        Value::Object(members) => in_braces(mark, members),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| marked(mark, item)).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    }
}

fn member(style: &str, key: &str, value: &Value) -> String {
    let raw = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let is_string = value.is_string();
    match style {
        "qwen_3_coder" => format!("<parameter={key}>\n{raw}\n</parameter>\n"),
        "seed_oss" => format!("<parameter={key}>{raw}</parameter>\n"),
        "minimax" => format!("<parameter name=\"{key}\">{raw}</parameter>\n"),
        "glm_4_5" | "hy_v3" => {
            format!("<arg_key>{key}</arg_key>\n<arg_value>{raw}</arg_value>\n")
        }
        "deepseek_v3_2" => format!(
            "<｜DSML｜parameter name=\"{key}\" string=\"{is_string}\">{raw}</｜DSML｜parameter>\n"
        ),
        "deepseek_v4_1" => format!(
            "<｜DSML｜ parameter name=\"{key}\" string=\"{is_string}\">{raw}</｜DSML｜ parameter>\n"
        ),
        "kimi_k3" => {
            let key = key.replace('&', "&amp;").replace('"', "&quot;");
            let kind = kind(value);
            format!(
                "<|open|>argument key=\"{key}\" type=\"{kind}\"<|sep|>{raw}<|close|>argument<|sep|>"
            )
        }
        "minimax_m3" => element(key, value),
        "cohere" => nested(&format!(" name=\"{key}\""), value),
        other => panic!("{other}"),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Writes a value as a literal of Python. Strings without quotes and escapes stand between single quotes.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(flag) => if *flag { "True" } else { "False" }.to_owned(),
        Value::String(text) if !text.contains(['\'', '\\', '\n']) => format!("'{text}'"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(python).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| format!("'{key}': {}", python(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// Writes a value in MiniMax's elements, which may be nested and state no types.
fn element(name: &str, value: &Value) -> String {
    const MARKER: &str = "]<]minimax[>[";
    let inside = match value {
        Value::String(text) => text.clone(),
        Value::Object(members) => members.iter().map(|(key, value)| element(key, value)).collect(),
        Value::Array(items) => items.iter().map(|item| element("item", item)).collect(),
        other => other.to_string(),
    };
    format!("{MARKER}<{name}>{inside}{MARKER}</{name}>")
}

/// Writes a value in Cohere's tags, which may be nested.
fn nested(name: &str, value: &Value) -> String {
    let (kind, inside) = match value {
        Value::String(text) => ("raw", text.clone()),
        Value::Object(members) => {
            let members =
                members.iter().map(|(key, value)| nested(&format!(" name=\"{key}\""), value));
            ("dict", members.collect())
        }
        Value::Array(items) => ("list", items.iter().map(|item| nested("", item)).collect()),
        other => ("json", other.to_string()),
    };
    format!("<cofl:value{name} type=\"{kind}\">{inside}</cofl:value>")
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "choice": {"enum": ["Oslo", "12", "true"]},
            "count": {"type": "integer"},
            "share": {"type": "number"},
            "flag": {"type": "boolean"},
            "nothing": {"type": "null"},
            "list": {"type": "array", "items": {"type": "string"}},
            "inner": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {"type": "integer"}}}, "required": ["a", "b"], "additionalProperties": false},
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "referred": {"$ref": "#/$defs/name"},
        },
        "required": [],
        "additionalProperties": false,
        "$defs": {"name": {"type": "string"}},
    })
}

/// Returns texts with everything that confuses readers of tags and of JSON.
fn text() -> impl Strategy<Value = String> {
    "[a-c0-9 \n\"\\\\<>/&;=é日{}\\[\\],:]{0,12}|\"[a-c0-9]{0,3}\"|true|null|12|<parameter|</para|\n\n"
        .prop_map(|text| text)
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    let members: Vec<BoxedStrategy<(&str, Value)>> = vec![
        text().prop_map(|text| ("text", Value::from(text))).boxed(),
        prop_oneof![Just("Oslo"), Just("12"), Just("true")]
            .prop_map(|text| ("choice", text.into()))
            .boxed(),
        any::<i32>().prop_map(|number| ("count", number.into())).boxed(),
        (-1000..1000_i32).prop_map(|number| ("share", json!(f64::from(number) / 8.0))).boxed(),
        any::<bool>().prop_map(|flag| ("flag", flag.into())).boxed(),
        Just(("nothing", Value::Null)).boxed(),
        proptest::collection::vec("[a-c<\"\\\\\n]{0,4}", 0..3)
            .prop_map(|list| ("list", list.into()))
            .boxed(),
        ("[a-c\"]{0,4}", proptest::collection::vec(any::<i8>(), 0..3))
            .prop_map(|(a, b)| ("inner", json!({"a": a, "b": b})))
            .boxed(),
        any::<Option<i8>>().prop_map(|number| ("maybe", json!(number))).boxed(),
        text().prop_map(|text| ("referred", Value::from(text))).boxed(),
    ];
    (members, proptest::collection::vec(any::<bool>(), 10)).prop_map(|(members, taken)| {
        let members = members.into_iter().zip(taken).filter(|(_, taken)| *taken);
        members.map(|((key, value), _)| (key.to_owned(), value)).collect()
    })
}

/// Returns the grammar of the arguments in a notation.
fn grammar(style: &'static str) -> TextGrammar {
    static KNOWN: LazyLock<Mutex<HashMap<&str, TextGrammar>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap();
    let make = || {
        let format = json!({"type": "json_schema", "style": style, "json_schema": schema()});
        let tag = json!({"type": "structural_tag", "format": format});
        TextGrammar::new(FrontEnd::StructuralTag(Default::default()), tag.to_string())
    };
    known.entry(style).or_insert_with(make).clone()
}

fn tool(parameters: &Value) -> Value {
    json!({"type": "function", "function": {"name": "get", "parameters": parameters}})
}

/// Returns the parts that a conversion returns for a call whose arguments arrive as these texts. If
/// `is_whole`, the call is complete.
fn converted(style: &str, tool: &Value, texts: &[&str], is_whole: bool) -> Vec<Part> {
    let mut stage = TagArguments::new(style, std::slice::from_ref(tool)).unwrap().stage();
    let call = Part::Call { index: 0, name: "get".to_owned() };
    let given = texts.iter().map(|text| Part::Arguments { index: 0, delta: (*text).to_owned() });
    let mut parts = Vec::new();
    [call].into_iter().chain(given).for_each(|part| stage.push(part, &mut parts));
    if is_whole {
        stage.finish(&mut parts);
    }
    parts
}

fn json_of(parts: &[Part]) -> String {
    let delta = |part: &Part| match part {
        Part::Arguments { delta, .. } => Some(delta.clone()),
        _ => None,
    };
    parts.iter().filter_map(delta).collect()
}

/// Splits a text at these character positions.
fn cut<'t>(text: &'t str, at: &[proptest::sample::Index]) -> Vec<&'t str> {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let mut cuts: Vec<usize> =
        at.iter().filter(|_| !places.is_empty()).map(|index| *index.get(&places)).collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn arguments_come_back_as_they_were(members in arguments(), cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..12)) {
        for (style, of_members) in STYLES {
            let text = written(style, &members);
            prop_assert_eq!(grammar(of_members).judge(&text), Judgement::Accepted, "{}: {:?}", style, text);
            let parts = converted(style, &tool(&schema()), &cut(&text, &cuts), true);
            prop_assert_eq!(&object(&json_of(&parts)), &members, "{}: {:?}", style, text);
        }
    }

    #[test]
    fn a_call_that_is_cut_is_the_beginning_of_its_json(members in arguments(), cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 1..4)) {
        for (style, _) in STYLES {
            let text = written(style, &members);
            let parts = cut(&text, &cuts);
            let whole = json_of(&converted(style, &tool(&schema()), &parts, true));
            let some = &parts[..parts.len().saturating_sub(1)];
            let found = json_of(&converted(style, &tool(&schema()), some, false));
            prop_assert!(whole.starts_with(&found), "{}: {} of {}", style, found, whole);
        }
    }
}

#[test]
fn members_that_depend_on_each_other_are_judged_together() {
    let arm = |kind: &str, value: Value| json!({"properties": {"kind": {"const": kind}, "value": value}, "required": ["kind", "value"]});
    let schema = json!({"type": "object", "anyOf": [arm("text", json!({"type": "string"})), arm("number", json!({"type": "integer"}))]});
    for (kind, value) in [("text", json!("12")), ("number", json!(12))] {
        let members =
            Map::from_iter([("kind".to_owned(), json!(kind)), ("value".to_owned(), value)]);
        let text = written("qwen_3_coder", &members);
        let parts = converted("qwen_3_coder", &tool(&schema), &[&text], true);
        assert_eq!(object(&json_of(&parts)), members);
    }
}

#[test]
fn keys_between_quotes_and_deep_brackets_are_read() {
    let tool = json!({"type": "function", "function": {"name": "get"}});
    let text = "{<|\"|>a b, {<|\"|>:[[],[{x:<|\"|>}]<|\"|>}]],c:{},d:-15}";
    let expected = json!({"a b, {": [[], [{"x": "}]"}]], "c": {}, "d": -15});
    let whole = json_of(&converted("gemma_4", &tool, &[text], true));
    let parts: Vec<&str> = (0..text.len()).map(|at| &text[at..=at]).collect();
    assert_eq!(json_of(&converted("gemma_4", &tool, &parts, true)), whole);
    assert_eq!(serde_json::from_str::<Value>(&whole).unwrap(), expected);
    let deep = 100_000;
    let text = format!("{{a:{}{}}}", "[".repeat(deep), "]".repeat(deep));
    let parts = converted("gemma_4", &tool, &[&text], true);
    assert_eq!(json_of(&parts).len(), "{\"a\":}".len() + 2 * deep);
}

#[test]
fn nested_elements_have_the_types_of_the_schema() {
    let schema = json!({
        "type": "object",
        "properties": {
            "lists": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
            "item": {"type": "object", "properties": {"item": {"enum": ["1", 2, null]}}},
            "empty": {"type": "object"},
            "none": {"type": "array"},
            "a/~b": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]},
            "codes": {"type": "array", "items": {"type": "string", "pattern": "^[0-9]+$"}},
            "place": {"oneOf": [
                {"properties": {"kind": {"const": "text"}, "id": {"type": "string"}}, "required": ["kind", "id"]},
                {"properties": {"kind": {"const": "number"}, "id": {"type": "integer"}}, "required": ["kind", "id"]},
            ]},
        },
    });
    // More items than violations are reported at once.
    let codes: Vec<String> = (0..300).map(|code| code.to_string()).collect();
    let whole = json!({
        "lists": [["1"], [], ["true", " x\n"]],
        "item": {"item": "1"},
        "empty": {},
        "none": [],
        "a/~b": ["7"],
        "codes": codes,
        "place": {"kind": "text", "id": "12"},
    });
    let others = [
        json!({"item": {"item": 2}, "a/~b": 7, "place": {"kind": "number", "id": 12}}),
        json!({"item": {"item": null}, "none": [1, "a", {"b": [2]}]}),
    ];
    let root = json!({"type": "object", "anyOf": [
        {"properties": {"kind": {"const": "a"}, "list": {"type": "array", "items": {"type": "string"}}}},
        {"properties": {"kind": {"const": "b"}, "list": {"type": "array", "items": {"type": "integer"}}}},
    ], "required": ["kind", "list"]});
    let of_root = [json!({"kind": "a", "list": ["1"]}), json!({"kind": "b", "list": [1]})];
    let cases = [whole].into_iter().chain(others).map(|value| (&schema, value));
    for (schema, value) in cases.chain(of_root.map(|value| (&root, value))) {
        let text = written("minimax_m3", value.as_object().unwrap());
        let parts: Vec<&str> = text.split_inclusive(|_| true).collect();
        let parts_read = converted("minimax_m3", &tool(schema), &parts, true);
        assert_eq!(Value::Object(object(&json_of(&parts_read))), value);
    }
    // Elements without a schema, and elements that are too deep.
    let any = json!({"type": "function", "function": {"name": "get"}});
    let text = written("minimax_m3", &object(r#"{"a": {"b": 1, "c": "", "d": ["x"]}}"#));
    let parts_read = converted("minimax_m3", &any, &[&text], true);
    assert_eq!(json_of(&parts_read), r#"{"a":{"b":1,"c":"","d":["x"]}}"#);
    let begin = "]<]minimax[>[<a>".repeat(100_000);
    let text = begin + &"]<]minimax[>[</a>".repeat(100_000);
    let parts_read = converted("minimax_m3", &any, &[&text], true);
    assert_eq!(json_of(&parts_read), format!("{}\"\"{}", "{\"a\":".repeat(128), "}".repeat(128)));
}

/// Pairs of literals, as a Python interpreter evaluates them, and JSON.
#[test]
fn pythons_literals_are_json() {
    let cases = [
        ("''", r#""""#),
        (r#""a'b""#, r#""a'b""#),
        (r#"'\'\"\\'"#, r#""'\"\\""#),
        (r"'\n\r\t\b\f\a\v\0'", r#""\n\r\t\b\f\u0007\u000b\u0000""#),
        (r"'\x41\u00e9\U0001f600\101\7'", "\"Aé😀A\\u0007\""),
        // An unknown escape is a backslash and its character.
        (r"'\d\''", r#""\\d'""#),
        (r"'\ud800'", "\"\u{fffd}\""),
        ("[True, False, None, true, false, null]", "[true,false,null,true,false,null]"),
        ("-1.5e3", "-1.5e3"),
        ("{'a': [1, {}], \"b\": ''}", r#"{"a":[1,{}],"b":""}"#),
    ];
    let tool = json!({"type": "function", "function": {"name": "get"}});
    for (literal, json) in cases {
        let text = format!("x={literal}, y=1 , z=None");
        let expected = format!(r#"{{"x":{json},"y":1,"z":null}}"#);
        for parts in [vec![text.as_str()], text.split_inclusive(|_| true).collect()] {
            let parts_read = converted("pythonic", &tool, &parts, true);
            assert_eq!(json_of(&parts_read), expected);
        }
    }
    let parts_read = converted("pythonic", &tool, &[], true);
    assert_eq!(json_of(&parts_read), "{}");
}

#[test]
fn markers_may_have_a_suffix() {
    let members = object(r#"{"text": "</arg_value> <arg_key:b>", "count": 3}"#);
    let text = written("hy_v3", &members);
    let [open, close] = ["<arg_key>text<", "</arg_value>\n"];
    assert!(text.contains(open) && text.contains(close));
    let text = ["<arg_key", "</arg_key", "<arg_value", "</arg_value"]
        .iter()
        .fold(text, |text, marker| text.replace(&format!("{marker}>"), &format!("{marker}:a>")));
    // The value's own text is no marker.
    let text = text.replacen("</arg_value:a> <arg_key:b>", "</arg_value> <arg_key:b>", 1);
    let parts: Vec<&str> = text.split_inclusive(|_| true).collect();
    let parts_read = converted("hy_v3", &tool(&schema()), &parts, true);
    assert_eq!(object(&json_of(&parts_read)), members);
}

#[test]
fn pythons_booleans_are_read_where_a_family_writes_them() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "string"}}});
    let text = "<parameter=a>\nTrue\n</parameter>\n<parameter=b>\nFalse\n</parameter>\n";
    let parts = converted("qwen_3_coder", &tool(&schema), &[text], true);
    assert_eq!(json_of(&parts), r#"{"a":true,"b":"False"}"#);
}

#[test]
fn calls_without_members_are_empty_objects_and_calls_end_where_others_begin() {
    let mut stage = TagArguments::new("qwen3_coder", &[tool(&schema())]).unwrap().stage();
    let call = |index| Part::Call { index, name: "get".to_owned() };
    let delta = |index, delta: &str| Part::Arguments { index, delta: delta.to_owned() };
    let text = |text: &str| Part::Text(text.to_owned());
    let given =
        [call(0), call(1), delta(1, "<parameter=flag>true</parameter>"), text("\n"), call(2)];
    let mut parts = Vec::new();
    given.into_iter().for_each(|part| stage.push(part, &mut parts));
    let expected =
        [call(0), delta(0, "{}"), call(1), delta(1, "{\"flag\":true}"), text("\n"), call(2)];
    assert_eq!(parts, expected);
    assert!(TagArguments::new("qwen_3", &[]).is_none() && TagArguments::new("frob", &[]).is_none());
}

#[test]
fn types_hold_beside_many_missing_keys() {
    for kind in [json!("string"), json!(["string", "null"])] {
        let names: Vec<String> = (0..40).map(|at| format!("p{at}")).collect();
        let properties: Map<String, Value> =
            names.iter().map(|name| (name.clone(), json!({"type": kind}))).collect();
        let schema = json!({"type": "object", "properties": properties, "required": names});
        let text = "<parameter=p0>\n5\n</parameter>\n";
        let parts = converted("qwen_3_coder", &tool(&schema), &[text], false);
        assert_eq!(json_of(&parts), r#"{"p0":"5""#, "{kind}");
    }
    let hidden = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"a": {"$ref": "#/definitions/i", "type": "string"}},
        "definitions": {"i": {"type": "integer"}},
    });
    for parts in
        [vec!["<parameter=a>\n5\n</parameter>\n"], vec!["<parameter=a>\n5", "\n</parameter>\n"]]
    {
        let parts = converted("qwen_3_coder", &tool(&hidden), &parts, true);
        assert_eq!(json_of(&parts), r#"{"a":5}"#);
    }
}

#[test]
fn long_keys_are_read_in_linear_time() {
    let key = "k".repeat(200_000);
    let any = json!({"type": "function", "function": {"name": "get"}});
    for (style, text) in [
        ("glm_4_5", format!("<arg_key>{key}</arg_key>\n<arg_value>1</arg_value>")),
        ("gemma_4", format!("{{{key}:1}}")),
        ("gemma_4", format!("{{<|\"|>{key}<|\"|>:1}}")),
        ("minimax_m3", format!("]<]minimax[>[<{key}>1]<]minimax[>[</{key}>")),
    ] {
        let parts: Vec<&str> = text.split_inclusive(|_| true).collect();
        let parts = converted(style, &any, &parts, true);
        assert_eq!(object(&json_of(&parts)), Map::from_iter([(key.clone(), json!(1))]), "{style}");
    }
}

#[test]
fn strings_are_written_while_they_come() {
    let cases = [
        ("qwen_3_coder", "<parameter=text>\na\"b\nc</par", r#"{"text":"a\"b\nc"#),
        ("qwen_3_coder", "<parameter=text>\n", r#"{"text":""#),
        ("qwen_3_coder", "<parameter=text>\na\n", r#"{"text":"a"#),
        (
            "qwen_3_coder",
            "<parameter=text>\na\n</parameter>\n<parameter=referred>\na",
            r#"{"text":"a""#,
        ),
        ("qwen_3_coder", "<parameter=maybe>\n1", "{"),
        ("qwen_3_coder", "<parameter=choice>\n1", r#"{"choice":"1"#),
        ("gemma_4", "{text:<|\"|>é<|\"", r#"{"text":"é"#),
        ("gemma_4", "{list:[<|\"|>a<|\"|>,<|\"|>b", r#"{"list":["a","b"#),
    ];
    for (style, text, expected) in cases {
        let whole = json_of(&converted(style, &tool(&schema()), &[text], false));
        assert_eq!(whole, expected, "{text}");
        let characters: Vec<String> = text.chars().map(String::from).collect();
        let characters: Vec<&str> = characters.iter().map(String::as_str).collect();
        let each = json_of(&converted(style, &tool(&schema()), &characters, false));
        assert_eq!(each, expected, "{text}, by characters");
    }
}

#[test]
fn a_text_in_place_of_arguments_passes_as_it_is() {
    let tool = json!({"type": "function", "function": {"name": "get", "input_pattern": "<.*"}});
    let parts = converted("minimax", &tool, &["<parameter", " name"], true);
    assert_eq!(json_of(&parts), "<parameter name");
}

#[test]
fn a_long_value_and_deep_containers_are_read_in_linear_time() {
    let long = "<".repeat(200_000);
    let text = written("qwen_3_coder", &Map::from_iter([("text".to_owned(), json!(long))]));
    let parts: Vec<&str> =
        text.as_bytes().chunks(2).map(|part| std::str::from_utf8(part).unwrap()).collect();
    let parts = converted("qwen_3_coder", &tool(&schema()), &parts, true);
    assert_eq!(object(&json_of(&parts))["text"], json!(long));
    let deep = 100_000;
    let text = "<cofl:value name=\"list\" type=\"list\">".to_owned()
        + &"<cofl:value type=\"list\">".repeat(deep)
        + &"</cofl:value>".repeat(deep + 1);
    let tool = json!({"type": "function", "function": {"name": "get"}});
    let parts = converted("cohere", &tool, &[&text], true);
    assert_eq!(json_of(&parts).len(), "{\"list\":[]}".len() + 2 * deep);
}
