//! Prompts of the server's configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::http::StatusCode;
use grammarc_generate::prompts::PromptManager;
use grammarc_server::ServerOptions;
use serde_json::{Value, json};

use crate::client::Server;

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
        assert!(found["usage"]["completion_tokens"].as_u64() > Some(0), "{found}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_told() {
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
    let reply = ask("text", json!({"stream": true})).await;
    assert_eq!(reply.json()["error"]["param"], "stream");
    // An answer that is cut is no JSON.
    let cut = json!({"input": {"wish": "{\"city\":\"Oslo and so on\"}"}, "temperature": 0, "max_tokens": 6});
    let reply = ask("json", cut).await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", reply.text);
    assert_eq!(reply.json()["error"]["code"], "invalid_output");
    let none = Server::new(ServerOptions::default());
    assert_eq!(none.get("/v1/prompts").await.json()["data"], json!([]));
    assert_eq!(none.post("/v1/prompts/text", &json!({})).await.status, StatusCode::NOT_FOUND);
}
