//! What JSON mode makes of finished outputs: every combination of strict, repair, schema and grammar, over complete and cut
//! texts; and backends without logits.
//!
//! | letter | meaning |
//! | --- | --- |
//! | `V` | valid: the text or a part of it, byte for byte |
//! | `R` | repaired, with its edits |
//! | `U` | unchecked: the text as it came, with a warning |
//! | `P`, `I`, `G`, `X` | an error: no JSON, no instance of the schema, no text of the grammar, not repaired |

use grammarc_generate::backend::{Generation as _, finish};
use grammarc_generate::output::{Collector, Finished, Usage};
use grammarc_generate::{
    Event, Finish, FunctionBackend, GenerateError, GenerateParams, Grammar, JsonModeConfig,
    LlmBackend, Output, Prompt,
};
use grammarc_json::{EditKind, JsonError, JsonSchema};
use serde_json::json;

const SCHEMA: &str =
    r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}"#;
const YES_OR_NO: &str = r#"root ::= "yes" | "no""#;
const CSV: &str = r#"root ::= field ("," field)+
field ::= [a-z]+"#;
const POINT: &str = r#"root ::= "{" ws "\"a\":" ws ([0-9]+ | "\"x\"") ws "}"
ws ::= " "?"#;

/// The modes: a schema and a grammar each.
const MODES: [(Option<&str>, Option<&str>); 5] = [
    (None, None),
    (Some(SCHEMA), None),
    (None, Some(YES_OR_NO)),
    (None, Some(CSV)),
    (Some(SCHEMA), Some(POINT)),
];

/// For each text, whether it is cut, and for each mode the outcomes: strict, strict with repair, lenient, lenient with repair.
const TABLE: [(&str, bool, [&str; 5]); 11] = [
    (r#"{"a": 1}"#, false, ["VVVV", "VVVV", "GGUG", "GGUG", "VVVV"]),
    (r#"{"a": "x"}"#, false, ["VVVV", "IIII", "GGUG", "GGUG", "IIII"]),
    (r#"Sure: {"a": 1}."#, false, ["VVVV", "VVVV", "GGUG", "GGUG", "VVVV"]),
    (r#"{"a": 1,}"#, false, ["PRUR", "PRUR", "GGUG", "GGUG", "GRUR"]),
    (r#"{"b": "say "no" to it"}"#, false, ["PRUR", "PXUX", "GGUG", "GGUG", "GGUG"]),
    (r#"{"b": [1, {"c": 2], "a": 3}"#, false, ["PRUR", "PRUR", "GGUG", "GGUG", "GGUG"]),
    (r#"{"a": 1, "b": [true"#, true, ["PRUR", "PRUR", "GGUG", "GGUG", "GGUG"]),
    (r#"{"b": [true"#, true, ["PRUR", "PXUX", "GGUG", "GGUG", "GGUG"]),
    ("yes", false, ["PXUX", "PXUX", "VVVV", "GGUG", "GGUG"]),
    (" yes\n", false, ["PXUX", "PXUX", "VVVV", "GGUG", "GGUG"]),
    ("x,y", false, ["PXUX", "PXUX", "GGUG", "VVVV", "GGUG"]),
];

fn output(text: &str, cut: bool) -> Output {
    let mut collector = Collector::default();
    collector.push(Event::Text(text.to_owned()));
    let finish = if cut { Finish::Length { closed: false } } else { Finish::Stop };
    let usage = Usage::default();
    collector.push(Event::Finished(Finished { finish, cut_call: None, usage }));
    collector.finish().expect("the last event came")
}

fn outcome(text: &str, cut: bool, mode: &JsonModeConfig) -> char {
    match finish(output(text, cut), Some(mode)) {
        Ok(output) if output.warnings.iter().any(|warning| warning.contains("repaired")) => {
            assert!(!output.edits.is_empty());
            'R'
        }
        Ok(output) if output.warnings.is_empty() => {
            assert!(text.contains(&output.text));
            'V'
        }
        Ok(output) => {
            assert_eq!((output.text.as_str(), output.value), (text, None));
            'U'
        }
        Err(GenerateError::Json(error)) => match error {
            JsonError::Parse(_) => 'P',
            JsonError::Invalid { .. } => 'I',
            JsonError::Grammar { .. } => 'G',
            JsonError::Repair(_) => 'X',
            other => panic!("{other}"),
        },
        Err(other) => panic!("{other}"),
    }
}

fn mode(schema: Option<&str>, grammar: Option<&str>, strict: bool, repair: bool) -> JsonModeConfig {
    let schema = schema.map(|schema| schema.parse().expect("a schema"));
    let grammar = grammar.map(str::to_owned);
    JsonModeConfig { schema, grammar, strict, repair, ..JsonModeConfig::default() }
}

#[test]
fn every_mode_takes_every_text_as_the_table_says() {
    let mut wrong = Vec::new();
    for (text, cut, expected) in TABLE {
        for ((schema, grammar), expected) in MODES.into_iter().zip(expected) {
            let found: String = [(true, false), (true, true), (false, false), (false, true)]
                .into_iter()
                .map(|(strict, repair)| outcome(text, cut, &mode(schema, grammar, strict, repair)))
                .collect();
            if found != expected {
                wrong.push(format!("{text:?} {schema:?} {grammar:?}: {found}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn strict_mode_tells_the_edits_that_are_only_likely() {
    let mode = mode(None, None, true, true);
    let kinds = |text: &str| {
        let output = finish(output(text, false), Some(&mode)).expect("it is repaired");
        (output.value.expect("a value"), output.edits.iter().map(|edit| edit.kind).collect())
    };
    let (value, edits): (_, Vec<EditKind>) = kinds(r#"{"b": "say "no" to it"}"#);
    assert_eq!(value, json!({"b": "say \"no\" to it"}));
    assert!(edits.contains(&EditKind::InnerQuote), "{edits:?}");
    let (value, edits) = kinds(r#"{"b": [1, {"c": 2], "a": 3}"#);
    assert_eq!(value, json!({"b": [1, {"c": 2}], "a": 3}));
    assert!(edits.contains(&EditKind::MissingCloser), "{edits:?}");
}

#[test]
fn an_object_that_is_closed_takes_named_keys_alone() {
    let schema = Some(SCHEMA);
    let closed = JsonModeConfig { closed: true, ..mode(schema, None, true, false) };
    assert_eq!(outcome(r#"{"a": 1}"#, false, &closed), 'V');
    let refused = finish(output(r#"{"a": 1, "b": {"a": 2}}"#, false), Some(&closed)).unwrap_err();
    let GenerateError::Json(JsonError::Invalid { error, .. }) = refused else {
        panic!("{refused}")
    };
    assert_eq!(error.violations[0].pointer, "/b");
    let grammar = closed.grammar().expect("it is constrained");
    assert_eq!(grammar.source().expect("it has a source").options["closed"], true);
    // A schema that speaks of other keys is not closed.
    let open = r#"{"properties": {"a": {}}, "additionalProperties": {"type": "integer"}}"#;
    let closed = JsonModeConfig { closed: true, ..mode(Some(open), None, true, false) };
    assert_eq!(outcome(r#"{"b": 1}"#, false, &closed), 'V');
}

#[test]
fn older_drafts_are_read_as_the_compiler_reads_them() {
    let schemas = [
        (
            json!({"items": [{"type": "integer"}, {"type": "string"}], "additionalItems": false}),
            vec![(json!([1, "x"]), true), (json!(["x"]), false), (json!([1, "x", 2]), false)],
        ),
        (
            json!({"minimum": 3, "exclusiveMinimum": true}),
            vec![(json!(3), false), (json!(4), true)],
        ),
        (
            json!({"dependencies": {"a": ["b"]}}),
            vec![(json!({"a": 1}), false), (json!({"a": 1, "b": 2}), true)],
        ),
    ];
    for (schema, instances) in schemas {
        let text = schema.to_string();
        let schema = JsonSchema::from_value(schema).expect("a schema");
        let front_end = grammarc_compiler::frontend::FrontEnd::JsonSchema(Default::default());
        let grammar = grammarc_json::TextGrammar::new(front_end, text);
        for (instance, is_valid) in instances {
            assert_eq!(schema.is_valid(&instance), is_valid, "{instance}");
            let judged =
                grammar.judge(&format!("{instance:#}").replace('\n', "").replace("  ", ""));
            let accepted = judged == grammarc_json::Judgement::Accepted;
            assert_eq!(accepted, is_valid, "{instance}: {judged:?}");
        }
    }
}

fn backend(answer: &'static str) -> impl LlmBackend {
    FunctionBackend::new(move |_: &str, _: &GenerateParams| Ok(answer.to_owned()))
}

#[test]
fn without_logits_outputs_are_validated_after_they_were_generated() {
    let schema: JsonSchema = SCHEMA.parse().expect("a schema");
    let params = GenerateParams::default();
    let value =
        backend(r#"Here: {"a": 1}"#).generate_json("x", Some(schema.clone()), params.clone());
    assert_eq!(value.expect("an instance"), json!({"a": 1}));
    let wrong = backend(r#"{"a": "x"}"#).generate_json("x", Some(schema.clone()), params.clone());
    assert!(matches!(wrong, Err(GenerateError::Json(JsonError::Invalid { .. }))), "{wrong:?}");
    let json_mode = Some(JsonModeConfig { schema: Some(schema), ..JsonModeConfig::default() });
    let asked = GenerateParams { json_mode, ..params.clone() };
    let output = backend(r#"{"a": 1}"#).generate_output(Prompt::from("x"), asked.clone());
    let warnings = output.expect("an instance").warnings;
    assert!(warnings[0].contains("no logits"), "{warnings:?}");
    assert_eq!(backend(r#"{"a": 1}"#).generate("x", asked.clone()).expect("text"), r#"{"a": 1}"#);
    let parts = backend("one two").generate_stream("x", asked).expect("it starts");
    assert_eq!(parts.collect::<Result<String, _>>().expect("text"), "one two");
    let grammar = GenerateParams { constraint: Some(Grammar::csv(None)), ..params.clone() };
    let refused = backend("a,b").generate("x", grammar).unwrap_err().to_string();
    assert!(refused.contains("json_mode.grammar"), "{refused}");
    let mode = mode(None, Some(CSV), true, false);
    let csv = GenerateParams { json_mode: Some(mode), ..params.clone() };
    assert_eq!(backend("a,b").generate("x", csv.clone()).expect("a text of it"), "a,b");
    // A text of another grammar is no value.
    assert!(matches!(backend("a,b").generate_json("x", None, csv), Err(GenerateError::Json(_))));
    let failing = FunctionBackend::new(|_: &str, _: &GenerateParams| Err("no model".into()));
    let failed = failing.generate("x", params).unwrap_err();
    assert!(matches!(failed, GenerateError::Backend(_)) && failed.to_string() == "no model");
}

#[test]
fn a_function_takes_texts_alone() {
    let refused = backend("x").start(Prompt::Tokens(vec![1]), GenerateParams::default());
    assert!(matches!(refused.err(), Some(GenerateError::Unsupported { what: "prompt", .. })));
    let mut generation =
        backend("x").start(Prompt::from("y"), GenerateParams::default()).expect("it starts");
    assert_eq!(generation.next().expect("an event"), Some(Event::Text("x".to_owned())));
    assert!(matches!(generation.next(), Ok(Some(Event::Finished(_)))));
    assert!(matches!(generation.next(), Ok(None)));
}
