//! Prompts by name: loading, rendering, responses, the samples.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{PromptConfigError, PromptError, PromptManager, Response, ResponseType};
use crate::grammar::Grammar;
use crate::json_mode::JsonModeConfig;
use crate::params::GenerateParams;
use crate::testing::grammars;

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
fn what_is_wrong_with_a_configuration_is_told_when_it_is_loaded() {
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
    let items = vec![json!({"a": 1}), json!({"a": 2})];
    assert_eq!(manager.take("jsonl", text).unwrap(), Response::Jsonl(items));
    let fenced = "So:\n```json\n{\"a\": 3}\n```\nand ```{}```";
    assert_eq!(manager.take("json", fenced).unwrap(), Response::Json(json!({"a": 3})));
    assert!(manager.take("json", "none").unwrap_err().to_string().starts_with("JSON parse fail"));
    assert!(
        manager.take("json", "{}").unwrap_err().to_string().starts_with("Schema validation fail")
    );
    assert_eq!(manager.take("jsonl", "").unwrap(), Response::Jsonl(Vec::new()));
}

#[test]
fn a_fence_takes_no_item_with_it() {
    let manager =
        PromptManager::load(&config(&json!({"l": {"prompt": "x", "response-type": "jsonl"}})))
            .unwrap();
    let items = Response::Jsonl(vec![json!({"a": 1})]);
    for text in [
        "```json\n{\"a\": 1}```",
        "```json {\"a\": 1}\n```",
        "```{\"a\": 1}```",
        "```jsonl\n{\"a\": 1}\n```\n",
        "So:\n```\n{\"a\": 1}\n```",
    ] {
        assert_eq!(manager.take("l", text).unwrap(), items, "{text}");
    }
}

#[test]
fn the_lines_before_a_cut_stay_wherever_it_is() {
    let manager =
        PromptManager::load(&config(&json!({"l": {"prompt": "x", "response-type": "jsonl"}})))
            .unwrap();
    let text = "```json\n{\"a\": \"é\"}\n{\"a\": [2, {\"b\": 3}]}\n{\"a\": \"}\"}\n";
    let items = [json!({"a": "é"}), json!({"a": [2, {"b": 3}]}), json!({"a": "}"})];
    let ends: Vec<usize> = text.match_indices('\n').skip(1).map(|(at, _)| at).collect();
    for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
        let whole = ends.iter().filter(|&&end| end <= cut).count();
        let expected = Response::Jsonl(items[..whole].to_vec());
        assert_eq!(manager.take("l", &text[..cut]).unwrap(), expected, "{:?}", &text[..cut]);
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

#[test]
fn the_samples_load_render_and_compile() {
    let samples: Value =
        serde_json::from_str(include_str!("../../samples/extraction.json")).unwrap();
    let mut config = config(&samples["templates"]);
    config.insert("system".to_owned(), samples["system"].to_string());
    let manager = PromptManager::load(&config).unwrap();
    assert_eq!(manager.ids().count(), 6);
    let input = terms(json!({"text": "Ada wrote \"notes\".", "name": "n", "description": "d",
        "fields": [{"name": "f", "type": "string", "description": "g"}]}));
    for id in manager.ids() {
        let rendered = manager.render(id, &input).unwrap();
        assert!(rendered.prompt.contains("Ada wrote \"notes\"."), "{}", rendered.prompt);
        let params = manager.params(id, GenerateParams::default()).unwrap();
        let from_mode = params.json_mode.as_ref().and_then(|mode| mode.grammar());
        let grammar = params.constraint.or(from_mode).expect("samples are structured");
        grammars().compile(&grammar, None).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_ne!(manager.wants(id).unwrap().0, ResponseType::Text);
    }
}
