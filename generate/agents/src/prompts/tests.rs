//! Tests of prompts by name: loading, rendering, responses, and the samples.

use std::collections::BTreeMap;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::compile::build_vocabulary;
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::vocabulary::{Listed, VocabularyOptions, from_tokens};
use grammarc_generate::{GenerateParams, Grammar, Grammars, JsonModeConfig};
use grammarc_json::{JsonSchema, Jsonl};
use grammarc_runtime::Vocabulary;
use serde_json::{Map, Value, json};

use super::{
    Prompt, PromptConfigError, PromptError, PromptManager, Response, ResponseType, group_by_type,
};

fn config(prompts: &Value) -> BTreeMap<String, String> {
    let prompts = prompts.as_object().unwrap();
    let mut config: BTreeMap<String, String> =
        prompts.iter().map(|(id, prompt)| (format!("template.{id}"), prompt.to_string())).collect();
    let ids: Vec<&String> = prompts.keys().collect();
    config.insert("template-index".to_owned(), json!(ids).to_string());
    config
}

fn terms(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// Returns the response of a prompt of the kind `jsonl`.
fn lines(manager: &PromptManager, id: &str, text: &str) -> Jsonl {
    match manager.take(id, text).unwrap() {
        Response::Jsonl(found) => found,
        other => panic!("{other:?}"),
    }
}

/// Returns the items in the response of a prompt of the kind `jsonl`.
fn items(manager: &PromptManager, id: &str, text: &str) -> Vec<Value> {
    lines(manager, id, text).into_values()
}

#[test]
fn terms_of_the_input_come_before_those_of_the_prompt_and_of_all() {
    let prompts = json!({"p": {"prompt": "{{ a }} {{ b }} {{ c }}", "terms": {"a": "prompt", "b": "prompt"}}});
    let mut manager = PromptManager::load(&config(&prompts)).unwrap();
    manager.set_terms(terms(json!({"a": "all", "b": "all", "c": "all"})));
    let rendered = manager.render("p", &terms(json!({"a": "input"}))).unwrap();
    assert_eq!(
        (rendered.system.as_str(), rendered.prompt.as_str()),
        ("Be helpful.", "input prompt all")
    );
    assert!(matches!(manager.render("q", &Map::new()), Err(PromptError::Unknown { .. })));
}

#[test]
fn what_is_wrong_with_a_configuration_is_reported_when_it_is_loaded() {
    let load = |prompt: Value| PromptManager::load(&config(&json!({"p": prompt}))).unwrap_err();
    for template in ["{% frob %}", "{{ a | frob }}", "{% if a is frob %}{% endif %}"] {
        let error = load(json!({"prompt": template}));
        assert!(matches!(&error, PromptConfigError::Template { .. }), "{template}");
        assert!(error.to_string().contains("frob"), "{error}");
    }
    assert!(matches!(
        load(json!({"prompt": "x", "schema": {"type": "y"}})),
        PromptConfigError::Schema { .. }
    ));
    assert!(matches!(
        load(json!({"prompt": "x", "response-type": "xml"})),
        PromptConfigError::Value { .. }
    ));
    assert!(matches!(load(json!({})), PromptConfigError::Value { .. }));
    let mut missing = config(&json!({}));
    missing.insert("template-index".to_owned(), "[\"gone\"]".to_owned());
    assert!(PromptManager::load(&missing).unwrap_err().to_string().contains("template.gone"));
}

#[test]
fn responses_are_what_the_prompt_wants() {
    let schema =
        json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}});
    let prompts = json!({
        "text": {"prompt": "x"},
        "json": {"prompt": "x", "response-type": "json", "schema": schema},
        "jsonl": {"prompt": "x", "response-type": "jsonl", "schema": schema},
    });
    let manager = PromptManager::load(&config(&prompts)).unwrap();
    let text = "{\"a\": 1}\nno\n\n```\n{\"a\": \"x\"}\n{\"a\": 2}\n{\"a\":";
    assert_eq!(manager.take("text", text).unwrap(), Response::Text(text.to_owned()));
    let found = lines(&manager, "jsonl", text);
    assert_eq!(found.skipped.iter().map(|line| line.line).collect::<Vec<_>>(), [2, 5, 7]);
    assert!(found.skipped[1].reason.contains("integer"), "{:?}", found.skipped);
    assert!(found.truncated && found.warning.is_none());
    assert_eq!(found.into_values(), [json!({"a": 1}), json!({"a": 2})]);
    let fenced = "So:\n```json\n{\"a\": 3}\n```\nand ```{}```";
    assert_eq!(manager.take("json", fenced).unwrap(), Response::Json(json!({"a": 3})));
    assert!(manager.take("json", "none").unwrap_err().to_string().starts_with("JSON parse fail"));
    assert!(
        manager.take("json", "{}").unwrap_err().to_string().starts_with("Schema validation fail")
    );
    let none = lines(&manager, "jsonl", "");
    assert!(none.items.is_empty() && none.warning.is_some() && !none.truncated);
    let Response::Jsonl(cut) = manager.take_cut("jsonl", "{\"a\": 1}\n").unwrap() else { panic!() };
    assert!(cut.truncated && cut.items.len() == 1);
    let values = [
        ("text", "x", json!("x")),
        ("json", "{\"a\": 3}", json!({"a": 3})),
        ("jsonl", "{\"a\": 4}", json!([{"a": 4}])),
    ];
    for (id, text, value) in values {
        assert_eq!(manager.take(id, text).unwrap().into_value(), value);
    }
}

#[test]
fn a_fence_takes_no_item_with_it() {
    let manager =
        PromptManager::load(&config(&json!({"l": {"prompt": "x", "response-type": "jsonl"}})))
            .unwrap();
    for text in [
        "```json\n{\"a\": 1}```",
        "```json {\"a\": 1}\n```",
        "```{\"a\": 1}```",
        "```jsonl\n{\"a\": 1}\n```\n",
        "So:\n```\n{\"a\": 1}\n```",
    ] {
        assert_eq!(items(&manager, "l", text), [json!({"a": 1})], "{text}");
    }
}

#[test]
fn the_lines_before_a_cut_stay_wherever_it_is() {
    let manager =
        PromptManager::load(&config(&json!({"l": {"prompt": "x", "response-type": "jsonl"}})))
            .unwrap();
    let text = "```json\n{\"a\": \"é\"}\n{\"a\": [2, {\"b\": 3}]}\n{\"a\": \"}\"}\n";
    let whole = [json!({"a": "é"}), json!({"a": [2, {"b": 3}]}), json!({"a": "}"})];
    let ends: Vec<usize> = text.match_indices('\n').skip(1).map(|(at, _)| at).collect();
    for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
        let kept = ends.iter().filter(|&&end| end <= cut).count();
        assert_eq!(items(&manager, "l", &text[..cut]), whole[..kept], "{:?}", &text[..cut]);
    }
}

#[test]
fn terms_are_written_as_they_are_whatever_the_id() {
    let ids = ["html", "x.json", "x.xml", "x"];
    let prompts = ids.map(|id| (id.to_owned(), json!({"prompt": "{{ h }}\n"})));
    let manager = PromptManager::load(&config(&Value::from_iter(prompts))).unwrap();
    for id in ids {
        let rendered = manager.render(id, &terms(json!({"h": "<b>\"&"}))).unwrap();
        assert_eq!(rendered.prompt, "<b>\"&\n", "{id}");
    }
}

#[test]
fn a_prompt_decides_what_its_response_is_held_to() {
    let prompts = json!({"j": {"prompt": "x", "response-type": "json"}, "l": {"prompt": "x", "response-type": "jsonl"}});
    let manager = PromptManager::load(&config(&prompts)).unwrap();
    let bases = [
        GenerateParams { json_mode: Some(JsonModeConfig::default()), ..GenerateParams::default() },
        GenerateParams { constraint: Some(Grammar::json()), ..GenerateParams::default() },
    ];
    for base in bases {
        let json = manager.params("j", base.clone()).unwrap();
        json.check().unwrap();
        assert!(json.json_mode.is_some() && json.constraint.is_none());
        let lines = manager.params("l", base).unwrap();
        lines.check().unwrap();
        assert!(lines.constraint.is_some() && lines.json_mode.is_none());
    }
}

/// Writes ten items as lines and as an array, truncates both at every byte, and counts how many
/// items are kept in total.
#[test]
fn lines_keep_what_an_array_loses() {
    let all: Vec<Value> = (0..10)
        .map(
            |number| json!({"entity": format!("term {number}"), "definition": "a word, explained"}),
        )
        .collect();
    let mut manager = PromptManager::new();
    let prompt = |response| Prompt { response, ..Prompt::new("x") };
    manager.add("lines", prompt(ResponseType::Jsonl)).unwrap();
    manager.add("array", prompt(ResponseType::Json)).unwrap();
    let text: String = all.iter().map(|item| format!("{item}\n")).collect();
    let array = format!("[{}]", all.iter().map(Value::to_string).collect::<Vec<_>>().join(","));
    assert_eq!(text.len(), array.len() - 1);
    let (mut kept_of_lines, mut kept_of_array) = (0, 0);
    for cut in 0..text.len() {
        let found = items(&manager, "lines", &text[..cut]);
        // The items are all those before the truncation, and possibly the one that ends there.
        let before = text[..cut].matches('\n').count();
        assert!((before..=before + 1).contains(&found.len()), "{cut}");
        assert_eq!(found, all[..found.len()]);
        kept_of_lines += found.len();
        kept_of_array += usize::from(manager.take("array", &array[..cut]).is_ok());
    }
    // Lines keep 4.5 of ten items on average, and an array keeps none.
    assert_eq!((text.len(), kept_of_lines, kept_of_array), (530, 2395, 0));
    assert_eq!(items(&manager, "lines", &text), all);
    assert_eq!(manager.take("array", &array).unwrap(), Response::Json(Value::Array(all)));
}

#[test]
fn prompts_are_made_without_a_configuration() {
    let mut manager = PromptManager::default();
    assert_eq!(manager.ids().count(), 0);
    let schema: JsonSchema = r#"{"type": "integer"}"#.parse().unwrap();
    let prompt = Prompt {
        response: ResponseType::Json,
        schema: Some(schema),
        terms: terms(json!({"n": 3})),
        ..Prompt::new("Say {{ n }}.")
    };
    manager.add("say", prompt.clone()).unwrap();
    let rendered = manager.render("say", &Map::new()).unwrap();
    assert_eq!((&*rendered.system, &*rendered.prompt), ("Be helpful.", "Say 3."));
    assert_eq!(manager.take("say", "7").unwrap(), Response::Json(json!(7)));
    assert!(manager.take("say", "\"7\"").is_err());
    manager.set_system("Speak {{ n }} times.").unwrap();
    assert_eq!(manager.render("say", &Map::new()).unwrap().system, "Speak 3 times.");
    // A rejected prompt changes nothing. A prompt with an existing id replaces the earlier one.
    for template in ["{{ x", "{{ x | frob }}"] {
        assert!(manager.add("say", Prompt::new(template)).is_err());
        assert!(manager.set_system(template).is_err());
        let rendered = manager.render("say", &Map::new()).unwrap();
        assert_eq!((&*rendered.system, &*rendered.prompt), ("Speak 3 times.", "Say 3."));
    }
    manager.add("say", Prompt::new("Hm.")).unwrap();
    assert_eq!(manager.ids().collect::<Vec<_>>(), ["say"]);
    assert_eq!(manager.wants("say").unwrap().0, ResponseType::Text);
}

#[test]
fn both_shapes_of_a_configuration_are_the_same() {
    let schema = json!({"type": "string"});
    let object = json!({"system": "S", "templates": {
        "b": {"prompt": "B", "response-type": "jsonl", "schema": schema},
        "a": {"prompt": "A {{ x }}", "terms": {"x": 1}},
    }});
    let templates = object["templates"].as_object().unwrap();
    let texts: Map<String, Value> = templates
        .iter()
        .map(|(id, prompt)| (format!("template.{id}"), Value::from(prompt.to_string())))
        .chain([
            ("template-index".to_owned(), json!("[\"b\", \"a\"]")),
            ("system".to_owned(), json!("\"S\"")),
            ("template.unlisted".to_owned(), json!("{}")),
        ])
        .collect();
    let mixed = json!({"system": "\"S\"", "template-index": ["b", "a"],
        "template.a": templates["a"], "template.b": templates["b"]});
    for config in [object.clone(), Value::Object(texts), mixed] {
        let manager = PromptManager::from_json(&config.to_string()).unwrap();
        assert_eq!(manager.ids().collect::<Vec<_>>(), ["b", "a"], "{config}");
        let rendered = manager.render("a", &Map::new()).unwrap();
        assert_eq!((&*rendered.system, &*rendered.prompt), ("S", "A 1"));
        let (kind, found) = manager.wants("b").unwrap();
        assert_eq!((kind, found.unwrap().value()), (ResponseType::Jsonl, &schema));
    }
}

#[test]
fn a_wrong_configuration_names_the_key_and_what_is_expected() {
    let cases = [
        ("[]", &["a list", "`templates`", "`template-index`"][..]),
        ("{", &["no JSON", "`templates`"]),
        ("{}", &["neither", "`templates`"]),
        (r#"{"templates": {}, "template-index": []}"#, &["`templates` and `template-index`"]),
        (r#"{"templates": []}"#, &["`templates`", "an object of prompts by id", "a list"]),
        (r#"{"templates": {}, "sytem": "x"}"#, &["`sytem`", "`system`"]),
        (r#"{"templates": {}, "system": 1}"#, &["`system`", "a string", "a number"]),
        (r#"{"templates": {"a": "x"}}"#, &["`templates.a`", "an object with `prompt`", "a string"]),
        (r#"{"templates": {"a": {}}}"#, &["`templates.a.prompt`", "nothing"]),
        (r#"{"templates": {"a": {"prompt": 1}}}"#, &["`templates.a.prompt`", "a string"]),
        (
            r#"{"templates": {"a": {"prompt": "x", "response-type": "xml"}}}"#,
            &["`templates.a.response-type`", "jsonl"],
        ),
        (
            r#"{"templates": {"a": {"prompt": "x", "response_type": "json"}}}"#,
            &["`templates.a.response_type`", "`response-type`"],
        ),
        (
            r#"{"templates": {"a": {"prompt": "x", "terms": []}}}"#,
            &["`templates.a.terms`", "an object"],
        ),
        (
            r#"{"templates": {"a": {"prompt": "x", "schema": {"type": "y"}}}}"#,
            &["templates.a", "schema"],
        ),
        (r#"{"templates": {"a": {"prompt": "{{ x"}}}"#, &["template.a"]),
        (r#"{"template-index": "{}"}"#, &["`template-index`", "a list of ids", "an object"]),
        (r#"{"template-index": "x"}"#, &["`template-index`", "the JSON text of a list of ids"]),
        (r#"{"template-index": [1]}"#, &["`template-index`", "a string", "a number"]),
        (
            r#"{"template-index": ["a"], "template.a": "x"}"#,
            &["`template.a`", "the JSON text of an object"],
        ),
        (
            r#"{"template-index": [], "system": "Be brief."}"#,
            &["`system`", "the JSON text of a string"],
        ),
        (r#"{"template-index": ["a"]}"#, &["`template.a`", "`template-index`"]),
    ];
    for (config, parts) in cases {
        let error = PromptManager::from_json(config).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "{part} of {config} in {error}");
        }
    }
}

#[test]
fn items_are_grouped_by_their_type() {
    let all = [
        json!({"type": "b", "n": 1}),
        json!({"type": "a"}),
        json!(5),
        json!({"type": "b", "n": 2}),
        json!({"type": 7}),
    ];
    let groups = group_by_type(all.clone());
    let of = |kind: &str| &groups[&Some(kind.to_owned())];
    assert_eq!(of("b"), &[all[0].clone(), all[3].clone()]);
    assert_eq!((of("a").len(), groups[&None].len(), groups.len()), (1, 2, 3));
}

/// Returns the compiler for a vocabulary of the single bytes and an end token.
fn grammars() -> Grammars {
    let bytes = (0..=255_u8).map(|byte| (vec![byte], Listed::Text));
    let tokens = bytes.chain([(b"<end>".to_vec(), Listed::Special)]);
    let table = from_tokens(tokens, &VocabularyOptions::new().end_tokens([256])).unwrap();
    let data =
        build_vocabulary(&table, "bytes", &prelude_grammar(&TextForm::COMMON), None).unwrap();
    let artifact = VocabularyArtifact::from_buffer(data.to_bytes().unwrap()).unwrap();
    Grammars::new(Vocabulary::from(artifact), None)
}

#[test]
fn the_samples_load_render_and_compile() {
    let manager = PromptManager::from_json(include_str!("../../samples/extraction.json")).unwrap();
    let seed = [
        "extract-definitions",
        "extract-relationships",
        "extract-topics",
        "extract-rows",
        "agent-kg-extract",
        "extract-with-ontologies",
        "ontology-extract",
    ];
    for id in seed {
        assert_eq!(manager.wants(id).unwrap().0, ResponseType::Jsonl, "{id}");
    }
    let described = json!([{"id": "fo/Food", "description": "What is eaten."}]);
    let input = terms(json!({"text": "Ada wrote \"notes\".", "name": "n", "description": "d",
        "fields": [{"name": "f", "type": "string", "description": "g"}],
        "classes": described, "relations": described, "attributes": described}));
    let grammars = grammars();
    for id in manager.ids() {
        let rendered = manager.render(id, &input).unwrap();
        assert!(rendered.prompt.contains("Ada wrote \"notes\"."), "{}", rendered.prompt);
        let params = manager.params(id, GenerateParams::default()).unwrap();
        let from_mode = params.json_mode.as_ref().and_then(|mode| mode.grammar());
        let grammar = params.constraint.or(from_mode).expect("samples are structured");
        grammars.compile(&grammar, None).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_ne!(manager.wants(id).unwrap().0, ResponseType::Text);
    }
}
