//! The small endpoints: models, tokens, grammars by id, repair, counters.

use std::time::Duration;

use axum::http::{StatusCode, header};
use grammarc_artifacts::write;
use grammarc_generate::Grammar;
use grammarc_generate::engine::EngineOptions;
use grammarc_server::ServerOptions;
use serde_json::{Value, json};

use crate::client::{Server, chat};
use crate::model::{self, CONTEXT};

#[tokio::test]
async fn a_grammar_is_compiled_once_and_named_from_then_on() {
    let server = Server::new(ServerOptions::default());
    let source = json!({"language": "gbnf", "source": "root ::= \"ab\"{2,5}"});
    let first = server.post("/v1/grammars", &source).await.json();
    assert_eq!(first["least_tokens"], 4, "{first}");
    assert!(first["report"].is_object(), "{first}");
    let again = server.post("/v1/grammars", &source).await.json();
    assert_eq!(first, again);
    let reply = server
        .post("/v1/chat/completions", &chat("ababab", json!({"grammar_id": first["id"]})))
        .await;
    assert_eq!(reply.json()["choices"][0]["message"]["content"], "ababab", "{}", reply.text);
    let schema = json!({"language": "json-schema", "source": {"type": "integer"}, "options": {"whitespace": "compact"}});
    let kept = server.post("/v1/grammars", &schema).await;
    assert_eq!(kept.status, StatusCode::OK, "{}", kept.text);
    let refused =
        server.post("/v1/grammars", &json!({"language": "gbnf", "source": "root ::= x"})).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let refused = refused.json();
    assert_eq!(refused["error"]["code"], "grammar_refused");
    assert!(refused["error"]["diagnostics"][0]["code"].is_string(), "{refused}");
}

#[tokio::test]
async fn a_list_of_tools_is_a_grammar_in_the_style_of_the_model() {
    let server = Server::new(ServerOptions::default());
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let good = json!({"name": "get", "inputSchema": schema});
    let bad = json!({"name": "bad", "inputSchema": {"properties": {"a": {"type": "integr"}}}});
    let list =
        json!({"language": "structural-tag", "source": {"tools": [good], "nextCursor": null}});
    let kept = server.post("/v1/grammars", &list).await;
    assert_eq!(kept.status, StatusCode::OK, "{}", kept.text);
    let kept = kept.json();
    assert_eq!(kept["x_grammarc"], Value::Null, "{kept}");
    let call = "<tool_call>\n{\"name\": \"get\", \"arguments\": {\"n\": 1}}\n</tool_call>";
    let reply =
        server.post("/v1/chat/completions", &chat(call, json!({"grammar_id": kept["id"]}))).await;
    let choice = &reply.json()["choices"][0];
    assert_eq!(choice["message"]["tool_calls"][0]["function"]["name"], "get", "{}", reply.text);
    let list = json!({"language": "structural-tag", "source": [good, bad], "options": {"style": "llama", "on_refused": "exclude"}});
    let kept = server.post("/v1/grammars", &list).await.json();
    assert_eq!(kept["x_grammarc"]["excluded_tools"][0]["name"], "bad", "{kept}");
}

#[tokio::test]
async fn an_artifact_is_named_by_its_digest() {
    let folder = tempfile::tempdir().unwrap();
    let backend = model::backend(EngineOptions::default(), Duration::ZERO);
    let grammar = Grammar::from_gbnf("root ::= \"ab\"{2,5}");
    let compiled = backend.grammars().compile(&grammar, None).unwrap();
    let artifact = compiled.artifact();
    std::fs::create_dir(folder.path().join("below")).unwrap();
    let bytes: &[u8] = artifact.container().buffer();
    write::replace(&folder.path().join("below/a.gmask"), bytes).unwrap();
    write::replace(&folder.path().join("other.gmask"), b"no artifact").unwrap();
    let digest: String = artifact.checksum().iter().map(|byte| format!("{byte:02x}")).collect();

    let artifacts = vec![folder.path().to_owned()];
    let server = Server::new(ServerOptions { artifacts, ..ServerOptions::default() });
    let tag = json!({"structural_tag": {"type": "grammarc", "artifact": digest.to_uppercase()}});
    for body in [json!({"artifact": digest}), json!({"structured_outputs": tag})] {
        let reply = server.post("/v1/chat/completions", &chat("ababab", body)).await;
        assert_eq!(reply.json()["choices"][0]["message"]["content"], "ababab", "{}", reply.text);
    }
    for (wrong, message) in [
        ("xy".to_owned(), "64 hexadecimal digits"),
        ("é".repeat(64), "64 hexadecimal digits"),
        ("0".repeat(64), "no artifact"),
    ] {
        let reply =
            server.post("/v1/chat/completions", &chat("ab", json!({"artifact": wrong}))).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{}", reply.text);
        let error = reply.json()["error"].clone();
        assert_eq!(error["param"], "artifact");
        assert!(error["message"].as_str().unwrap().contains(message), "{error}");
    }
}

#[tokio::test]
async fn a_text_is_repaired_with_its_edits() {
    let server = Server::new(ServerOptions::default());
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    let repair = async |text: &str, strict: bool| {
        let body = json!({"text": text, "schema": schema, "strict": strict});
        server.post("/v1/repair", &body).await.json()
    };
    let found = repair("{'a': 1,}", false).await;
    assert_eq!(
        (&found["text"], &found["status"]),
        (&json!("{\"a\": 1}"), &json!("repaired")),
        "{found}"
    );
    let edits = found["edits"].as_array().expect("edits");
    assert!(
        !edits.is_empty()
            && edits.iter().all(|edit| edit["at"].is_array() && edit["grade"].is_string())
    );
    let found = repair("{\"a\": 1}", true).await;
    assert_eq!((&found["status"], &found["edits"]), (&json!("valid"), &json!([])));
    let found = repair("{\"b\": ", true).await;
    assert_eq!((&found["text"], &found["status"]), (&Value::Null, &json!("refused")), "{found}");
    let wrong = server.post("/v1/repair", &json!({"text": "1", "schema": {"type": "frob"}})).await;
    assert_eq!(wrong.json()["error"]["param"], "schema");
}

#[tokio::test]
async fn texts_become_tokens_and_tokens_texts() {
    let server = Server::new(ServerOptions::default());
    let tokens = async |body: Value| server.post("/tokenize", &body).await.json()["tokens"].clone();
    for text in ["hello world", "日本 <turn> é", ""] {
        let found = tokens(json!({"content": text})).await;
        assert_eq!(found, tokens(json!({"prompt": text})).await);
        let back = server.post("/detokenize", &json!({"tokens": found})).await.json();
        assert_eq!((&back["content"], &back["prompt"]), (&json!(text), &json!(text)));
    }
    let count = async |body: Value| tokens(body).await.as_array().map(Vec::len);
    assert_eq!(count(json!({"content": "<turn>"})).await, Some(6), "a text has no control tokens");
    assert_eq!(count(json!({"content": "<turn>", "special": true})).await, Some(1));
}

#[tokio::test]
async fn the_model_is_described() {
    let server = Server::new(ServerOptions::default());
    let models = server.get("/v1/models").await.json();
    assert_eq!(models["object"], "list");
    assert_eq!(
        (&models["data"][0]["id"], &models["data"][0]["x_context"]),
        (&json!("scripted"), &json!(CONTEXT))
    );
    let model = server.get("/v1/models/scripted").await.json();
    assert_eq!(model, models["data"][0]);
    let missing = server.get("/v1/models/some/other").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
    assert!(missing.text.contains("scripted"), "{}", missing.text);
    let page = server.get("/").await;
    assert!(
        page.headers[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .expect("text")
            .contains("default-src 'none'")
    );
    assert!(page.text.contains("<html"), "the page is one");
}

#[tokio::test]
async fn counters_count() {
    let server = Server::new(ServerOptions::default());
    for _ in 0..3 {
        server.post("/v1/chat/completions", &chat("hello world", json!({"n": 2}))).await;
    }
    server
        .post(
            "/v1/chat/completions",
            &chat("hello", json!({"grammar": "root ::= \"hello world\""})),
        )
        .await;
    server.wait_for("outputs_finished_total", 7.0).await;
    assert_eq!(server.counter("requests_total").await, 4.0);
    assert_eq!(server.counter("outputs_submitted_total").await, 7.0);
    assert_eq!(server.counter("outputs_running").await, 0.0);
    assert_eq!(server.counter("outputs_failed_total").await, 0.0);
    assert!(server.counter("forced_tokens_total").await > 0.0);
    assert!(server.counter("completion_tokens_total").await >= 18.0);
    // What never happened is in no line.
    server.post("/v1/repair", &json!({"text": "{\"a\": 1,}"})).await;
    server.post("/v1/repair", &json!({"txt": "1"})).await;
    let metrics = server.get("/metrics").await;
    let kind = metrics.headers[header::CONTENT_TYPE].to_str().expect("text");
    assert!(kind.starts_with("application/openmetrics-text"));
    for line in metrics.text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').expect("a name and a value");
        assert!(name.starts_with("grammarc_") && value.parse::<f64>().is_ok(), "{line}");
    }
    // The page lists all of them and no other.
    let types = metrics.text.lines().filter_map(|line| line.strip_prefix("# TYPE grammarc_"));
    let mut reported: Vec<&str> = types.filter_map(|line| line.split(' ').next()).collect();
    let page = include_str!("../../../../docs/metrics.md");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let names = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|names| names.split('`'));
    let names = names.map(|name| name.trim_end_matches("_total"));
    let mut listed: Vec<&str> =
        names.filter(|name| !name.trim_matches([' ', ',']).is_empty()).collect();
    reported.sort_unstable();
    listed.sort_unstable();
    assert_eq!(reported, listed);
}

#[tokio::test]
async fn ids_are_of_one_request_and_a_seed_of_minus_one_is_drawn() {
    let mut ids = Vec::new();
    let mut seeds = Vec::new();
    // The second server is the first one, started again.
    for _ in 0..2 {
        let server = Server::new(ServerOptions::default());
        for _ in 0..2 {
            let body = chat("hello", json!({"seed": -1}));
            let reply = server.post("/v1/chat/completions", &body).await.json();
            ids.push(reply["id"].as_str().expect("an id").to_owned());
            seeds.push(reply["usage"]["x_seed"].as_u64().expect("a seed"));
        }
    }
    ids.sort();
    ids.dedup();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!((ids.len(), seeds.len()), (4, 4), "{ids:?} {seeds:?}");
    let server = Server::new(ServerOptions::default());
    for seed in [json!(-7), json!(u64::MAX), json!(0)] {
        let reply =
            server.post("/v1/chat/completions", &chat("hello", json!({"seed": seed}))).await;
        assert_eq!(reply.status, StatusCode::OK, "{seed}: {}", reply.text);
    }
    let reply = server.post("/v1/chat/completions", &chat("hello", json!({"seed": 0.5}))).await;
    assert_eq!(reply.json()["error"]["param"], "seed");
}
