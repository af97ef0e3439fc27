//! Prompts of the server's configuration.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use grammarc_agents::prompts::{Prompt, PromptManager, Response, ResponseType};
use grammarc_generate::GenerateParams;
use grammarc_generate::engine::EngineOptions;
use grammarc_server::ServerOptions;
use serde_json::{Map, Value, json};

use crate::client::Server;
use crate::model;

fn server() -> Server {
    let city = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": false});
    let prompts = [
        ("text", json!({"prompt": "Write ⟦{{ wish }}⟧."})),
        ("json", json!({"prompt": "Write ⟦{{ wish }}⟧.", "response-type": "json", "schema": city})),
        ("jsonl", json!({"prompt": "Write ⟦{{ wish | upper }}⟧.", "response-type": "jsonl"})),
    ];
    let mut config: BTreeMap<String, String> =
        prompts.iter().map(|(id, prompt)| (format!("template.{id}"), prompt.to_string())).collect();
    config.insert("template-index".to_owned(), json!(["text", "json", "jsonl"]).to_string());
    let prompts = PromptManager::load(&config).expect("a configuration");
    Server::new(ServerOptions { prompts: Some(Arc::new(prompts)), ..ServerOptions::default() })
}

#[tokio::test]
async fn responses_are_what_the_prompts_want() {
    let server = server();
    let list = server.get("/v1/prompts").await.json();
    let ids: Vec<&Value> =
        list["data"].as_array().expect("a list").iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, ["text", "json", "jsonl"]);
    assert_eq!(list["data"][1]["response_type"], "json");
    let cases = [
        ("text", "hello world", json!("hello world")),
        ("json", "{\"city\":\"Oslo\"}", json!({"city": "Oslo"})),
        ("jsonl", "{\"a\":1}\n[12]\n", json!([{"A": 1}, [12]])),
    ];
    for (id, wish, response) in cases {
        let body = json!({"input": {"wish": wish}, "temperature": 0, "max_tokens": 200});
        let reply = server.post(&format!("/v1/prompts/{id}"), &body).await;
        let found = reply.json();
        assert_eq!(found["response"], response, "{id}: {}", reply.text);
        assert_eq!((&found["prompt"], &found["response_type"]), (&json!(id), &json!(id)));
        // A value is there as a text of JSON too; a text is not.
        let object = (id != "text").then(|| response.to_string());
        assert_eq!(found["object"].as_str(), object.as_deref());
        let is_list = id == "jsonl";
        assert_eq!(
            (found.get("skipped").is_some(), found.get("truncated").is_some()),
            (is_list, is_list)
        );
        if is_list {
            assert_eq!(
                [&found["skipped"], &found["truncated"], &found["warning"]],
                [&json!([]), &json!(false), &Value::Null]
            );
        }
        assert!(found["usage"]["completion_tokens"].as_u64() > Some(0), "{found}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_reported() {
    let server = server();
    let ask = async |id: &str, body: Value| server.post(&format!("/v1/prompts/{id}"), &body).await;
    let reply = ask("gone", json!({})).await;
    assert_eq!(
        (reply.status, &reply.json()["error"]["code"]),
        (StatusCode::NOT_FOUND, &json!("not_found"))
    );
    let reply = ask("text", json!({"input": "x"})).await;
    assert_eq!(
        (reply.status, &reply.json()["error"]["param"]),
        (StatusCode::BAD_REQUEST, &json!("input"))
    );
    let reply = ask("text", json!({"n": 2})).await;
    assert_eq!(reply.json()["error"]["param"], "n");
    // An answer that is cut is no JSON.
    let cut = json!({"input": {"wish": "{\"city\":\"Oslo and so on\"}"}, "temperature": 0, "max_tokens": 6});
    let reply = ask("json", cut).await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", reply.text);
    assert_eq!(reply.json()["error"]["code"], "invalid_output");
    let none = Server::new(ServerOptions::default());
    assert_eq!(none.get("/v1/prompts").await.json()["data"], json!([]));
    assert_eq!(none.post("/v1/prompts/text", &json!({})).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_stream_has_each_item_and_then_the_rest() {
    let server = server();
    let ask = async |id: &str, wish: &str, tokens: u32| {
        let body = json!({"input": {"wish": wish}, "temperature": 0, "max_tokens": tokens, "stream": true});
        server.post(&format!("/v1/prompts/{id}"), &body).await.frames()
    };
    let (frames, is_done) = ask("jsonl", "{\"a\":1}\n[12]\n", 200).await;
    let (last, items) = frames.split_last().expect("frames");
    assert_eq!(items, [json!({"item": {"A": 1}, "line": 1}), json!({"item": [12], "line": 2})]);
    assert_eq!(
        (last["truncated"].clone(), last["finish_reason"].clone(), is_done),
        (json!(false), json!("stop"), true)
    );
    assert!(
        last.get("response").is_none() && last["usage"]["completion_tokens"].as_u64() > Some(0)
    );
    for (id, wish) in [("text", "hello world"), ("json", "{\"city\":\"Oslo\"}")] {
        let (frames, is_done) = ask(id, wish, 200).await;
        let (last, parts) = frames.split_last().expect("frames");
        let text: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        assert_eq!((text.as_str(), is_done), (wish, true));
        assert!(!last["response"].is_null(), "{last}");
    }
    // What is no response is an error in the last frame.
    let (frames, is_done) = ask("json", "{\"city\":\"Oslo and so on\"}", 6).await;
    let last = frames.last().expect("a frame");
    assert_eq!((last["error"]["code"].as_str(), is_done), (Some("invalid_output"), false));
}

/// A reply that `max_tokens` cuts, at every number of tokens: through a backend, over HTTP, and streamed.
#[tokio::test]
async fn lines_that_are_cut_keep_the_items_before_the_cut() {
    let all = [json!({"A": 1}), json!({"A": "OSLO"}), json!(127)];
    let wish = "{\"A\":1}\n{\"A\":\"OSLO\"}\n127\n";
    let server = server();
    let backend = model::backend(EngineOptions::default(), Duration::ZERO);
    let mut prompts = PromptManager::new();
    // As the server has it: the model's noise, and so its tokens, depend on the prompt.
    let template = "Write ⟦{{ wish | upper }}⟧.";
    let prompt = Prompt { response: ResponseType::Jsonl, ..Prompt::new(template) };
    prompts.add("lines", prompt).expect("a template");
    let (mut least, mut counts) = (0, Vec::new());
    for max_tokens in 1..30 {
        let input = Map::from_iter([("wish".to_owned(), json!(wish))]);
        let params = GenerateParams { max_tokens, temperature: 0.0, ..GenerateParams::default() };
        let Response::Jsonl(found) =
            prompts.invoke(&backend, "lines", &input, params).expect("lines never fail")
        else {
            panic!("it is a prompt for lines");
        };
        let (truncated, skipped) = (found.truncated, found.skipped.len());
        let items = found.into_values();
        assert_eq!(items, all[..items.len()], "{max_tokens}");
        assert!(items.len() >= least, "{max_tokens}");
        // A line that is not whole is the last; the number is taken once its line ends.
        assert!(skipped <= 1 && (truncated || items.len() == all.len()), "{max_tokens}");
        least = items.len();
        counts.push((items.len(), truncated));
        let mut body = json!({"input": {"wish": wish}, "temperature": 0, "max_tokens": max_tokens});
        let reply = server.post("/v1/prompts/jsonl", &body).await.json();
        assert_eq!((&reply["response"], &reply["truncated"]), (&json!(items), &json!(truncated)));
        assert_eq!(reply["skipped"].as_array().map(Vec::len), Some(skipped));
        assert_eq!(reply["warning"].is_string(), items.is_empty(), "{reply}");
        body["stream"] = json!(true);
        let (frames, _) = server.post("/v1/prompts/jsonl", &body).await.frames();
        let streamed: Vec<&Value> = frames.iter().filter_map(|frame| frame.get("item")).collect();
        assert_eq!(streamed, items.iter().collect::<Vec<_>>(), "{max_tokens}");
    }
    for expected in [(0, true), (1, true), (2, true), (3, false)] {
        assert!(counts.contains(&expected), "{expected:?} in {counts:?}");
    }
}

/// Each sample of the repository by lines that its prompt asks for, as the file stands.
#[tokio::test]
async fn the_samples_are_served() {
    let text = include_str!("../../../agents/samples/extraction.json");
    let prompts = PromptManager::from_json(text).expect("the samples are a configuration");
    let ids: Vec<String> = prompts.ids().map(str::to_owned).collect();
    let server =
        Server::new(ServerOptions { prompts: Some(Arc::new(prompts)), ..ServerOptions::default() });
    let relation = json!({"subject": "DNA", "predicate": "located_in", "object": "cell nucleus", "object-entity": true});
    let typed = |kind: &str, mut item: Value| {
        let mut whole = json!({"type": kind});
        let (whole_fields, fields) =
            (whole.as_object_mut().expect("one"), item.as_object_mut().expect("one"));
        whole_fields.extend(std::mem::take(fields));
        whole
    };
    let definition = json!({"entity": "DNA", "definition": "Carries instructions"});
    let pasty = json!({"entity": "pasty", "entity_type": "fo/Recipe"});
    let ontology = vec![
        typed("entity", pasty.clone()),
        json!({"type": "relationship", "subject": "pasty", "subject_type": "fo/Recipe", "relation": "fo/has_ingredient", "object": "beef", "object_type": "fo/Food"}),
        json!({"type": "attribute", "entity": "pasty", "entity_type": "fo/Recipe", "attribute": "fo/serves", "value": "4 people"}),
    ];
    let cases = [
        ("extract-definitions", vec![definition.clone(), definition.clone()]),
        ("extract-relationships", vec![relation.clone()]),
        ("extract-topics", vec![json!({"topic": "cells", "definition": "They live."})]),
        ("extract-rows", vec![json!({"name": "Ada", "born": 1815})]),
        (
            "agent-kg-extract",
            vec![typed("definition", definition), typed("relationship", relation)],
        ),
        ("extract-with-ontologies", ontology.clone()),
        ("ontology-extract", ontology),
        (
            "extract-events",
            vec![json!({"type": "event", "what": "a walk", "who": ["Ada"], "when": null})],
        ),
    ];
    for (id, items) in &cases {
        let lines: String = items.iter().map(|item| format!("{item}\n")).collect();
        let body = json!({"input": {"text": format!("⟦{lines}⟧"), "name": "people", "description": "who"}, "temperature": 0, "max_tokens": 1000});
        let reply = server.post(&format!("/v1/prompts/{id}"), &body).await;
        let found = reply.json();
        assert_eq!(found["response"], json!(items), "{id}: {}", reply.text);
        assert_eq!(found["object"], json!(items).to_string(), "{id}");
    }
    // One sample wants a value.
    assert_eq!(ids.len(), cases.len() + 1);
}
