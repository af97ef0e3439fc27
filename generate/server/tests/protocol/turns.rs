//! Requests beside compilations that take long: what has nothing to compile goes on at once, and what has is bounded.

use std::time::Duration;

use axum::http::{StatusCode, header};
use grammarc_generate::engine::EngineOptions;
use grammarc_server::ServerOptions;
use serde_json::{Map, Value, json};
use tokio::task::JoinHandle;

use crate::client::{Reply, Server, chat};

const PATH: &str = "/v1/chat/completions";

/// A request whose schema takes as long to compile as one may, and that no other request has.
fn exploding(number: usize) -> Value {
    let property = |n: usize| {
        let value =
            json!({"type": "string", "maxLength": 100 + n, "pattern": format!("[a-z]{{{n}}}x")});
        (format!("k{number}_{n}"), value)
    };
    let properties: Map<String, Value> = (0..60).map(property).collect();
    let rest = json!({"type": "string", "pattern": "(x|y)*z{3,40}"});
    let schema = json!({"type": "object", "properties": properties, "additionalProperties": rest});
    chat("a", json!({"format": schema}))
}

fn ask(server: &Server, body: Value) -> JoinHandle<Reply> {
    let server = server.clone();
    tokio::spawn(async move { server.post(PATH, &body).await })
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_requests_and_kept_grammars_wait_for_no_compilation() {
    let options = ServerOptions { compilations: 1, ..ServerOptions::default() };
    let server = Server::paced(options, EngineOptions::default(), 0);
    let kept = chat("ab", json!({"grammar": "root ::= \"ab\""}));
    assert_eq!(server.post(PATH, &kept).await.status, StatusCode::OK);
    let compiling: Vec<_> = (0..4).map(|number| ask(&server, exploding(number))).collect();
    // What is new waits for its turn, once there is none left. Refusals are kept as well, so each is another.
    let mut waits = None;
    for number in 0..200 {
        let new = ask(&server, chat("ab", json!({"grammar": format!("root ::= turn{number}")})));
        tokio::time::sleep(Duration::from_millis(100)).await;
        if !new.is_finished() {
            waits = Some(new);
            break;
        }
    }
    let waits = waits.expect("a turn is taken");
    for body in [chat("hello", json!({})), kept] {
        let reply = server.post(PATH, &body).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    }
    assert!(!waits.is_finished() && compiling.iter().all(|one| !one.is_finished()));
    waits.abort();
    compiling.iter().for_each(JoinHandle::abort);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_compilations_are_bounded_and_refused_beyond() {
    let options =
        ServerOptions { compilations: 1, waiting_compilations: 4, ..ServerOptions::default() };
    let server = Server::paced(options, EngineOptions::default(), 0);
    let held: Vec<_> = (0..8).map(|number| ask(&server, exploding(number))).collect();
    let busy = loop {
        let found = held.iter().position(JoinHandle::is_finished);
        match found {
            Some(at) => break at,
            None => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    let mut held = held;
    let reply = held.swap_remove(busy).await.expect("it does not panic");
    assert_eq!(reply.status, StatusCode::TOO_MANY_REQUESTS, "{}", reply.text);
    assert!(reply.headers.contains_key(header::RETRY_AFTER));
    assert_eq!(reply.json()["error"]["code"], "busy");
    // Those who leave free their places, and the compilation that is under way ends.
    held.iter().for_each(JoinHandle::abort);
    for _ in 0..200 {
        let reply = server.post(PATH, &chat("ab", json!({"grammar": "root ::= \"ab\""}))).await;
        if reply.status == StatusCode::OK {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("there is never a turn again");
}
