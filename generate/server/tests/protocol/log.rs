//! One line a request, with nothing of what was said in it.

use std::cell::RefCell;
use std::io::Write;
use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use grammarc_agents::prompts::PromptManager;
use grammarc_generate::engine::EngineOptions;
use grammarc_server::ServerOptions;
use http_body_util::BodyExt;
use serde_json::json;

use crate::client::{Server, chat, post};

thread_local! {
    /// The lines of this thread's requests: the subscriber is that of all tests.
    static LINES: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct Lines;

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LINES.with_borrow_mut(|lines| lines.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The lines so far, which are taken.
fn lines() -> String {
    String::from_utf8(LINES.take()).expect("text")
}

/// The only line, which is taken.
fn only_line() -> String {
    let lines = lines();
    assert_eq!(lines.lines().count(), 1, "{lines}");
    lines
}

#[tokio::test]
async fn a_request_has_one_line_with_what_it_took() {
    let subscriber =
        tracing_subscriber::fmt().with_writer(|| Lines).with_ansi(false).without_time().finish();
    tracing::subscriber::set_global_default(subscriber).expect("it is the only one");
    let options = ServerOptions { keys: vec!["secret".to_owned()], ..ServerOptions::default() };
    let engine = EngineOptions { parallel: 1, ..EngineOptions::default() };
    let server = Server::paced(options, engine, 1);
    let keyed = |body: String| {
        let mut request = post("/v1/chat/completions", body);
        let key = "Bearer secret".parse().expect("a header");
        request.headers_mut().insert("authorization", key);
        request
    };
    server.ask(keyed(chat("hello world", json!({})).to_string())).await;
    let line = only_line();
    for part in [
        "id=\"chatcmpl-",
        "route=\"/v1/chat/completions\"",
        "status=200",
        "completion_tokens=3",
        "left=false",
    ] {
        assert!(line.contains(part), "no {part} in {line}");
    }
    server.ask(keyed(chat("hello world", json!({"stream": true})).to_string())).await;
    let line = only_line();
    assert!(line.contains("completion_tokens=3") && line.contains("left=false"), "{line}");
    // A client that leaves has a line too, when it has left.
    let endless = chat("hello world…", json!({"stream": true, "max_tokens": 3000})).to_string();
    let mut body = server.send(keyed(endless)).await.into_body();
    body.frame().await.expect("a frame").expect("it is whole");
    assert_eq!(lines(), "");
    drop(body);
    assert!(only_line().contains("left=true"));
    server.ask(post("/v1/chat/completions", "{}".to_owned())).await;
    assert!(only_line().contains("status=401"));
    server.ask(keyed("{\"frob\": 1}".to_owned())).await;
    assert!(only_line().contains("status=400"));
    let unknown = Request::get("/secret?key=secret").body(Body::empty()).expect("a request");
    server.ask(unknown).await;
    let line = only_line();
    assert!(line.contains("status=404") && line.contains("route=\"-\""), "{line}");
    assert!(!line.contains("secret"), "{line}");
    // Lines of a prompt's answer that are no items are warnings, without what they say.
    let prompts = json!({"templates": {"lines": {"prompt": "Write ⟦{{ wish }}⟧.", "response-type": "jsonl"}}});
    let prompts = PromptManager::from_value(prompts).expect("a configuration");
    let options = ServerOptions { prompts: Some(Arc::new(prompts)), ..ServerOptions::default() };
    let wish = "{\"a\":\"secret\"}\n{\"a\":\"secret and so on\"}";
    let body = json!({"input": {"wish": wish}, "temperature": 0, "max_tokens": 24});
    let reply = Server::new(options).post("/v1/prompts/lines", &body).await.json();
    assert_eq!(reply["skipped"][0]["line"], 2, "{reply}");
    let logged = lines();
    let warning = logged.lines().find(|line| line.contains("WARN")).expect("a warning");
    assert!(warning.contains("prompt=\"lines\" line=2 reason=\"EOF"), "{warning}");
    assert!(!logged.contains("secret"), "{logged}");
}
