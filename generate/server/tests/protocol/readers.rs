//! Clients that leave, read slowly, or ask for more than there is room for: the others are served.

use std::time::Duration;

use axum::http::{StatusCode, header};
use grammarc_generate::engine::EngineOptions;
use grammarc_server::ServerOptions;
use http_body_util::BodyExt;
use serde_json::json;

use crate::client::{Server, chat, post};

const PATH: &str = "/v1/chat/completions";

/// A chat that streams and never ends by itself.
fn endless() -> String {
    chat("hello world…", json!({"stream": true, "max_tokens": 3000})).to_string()
}

#[tokio::test]
async fn a_client_that_leaves_is_called_off() {
    let engine = EngineOptions { parallel: 1, ..EngineOptions::default() };
    let server = Server::paced(ServerOptions::default(), engine, 2);
    let mut body = server.send(post(PATH, endless())).await.into_body();
    for _ in 0..4 {
        body.frame().await.expect("a frame").expect("it is whole");
    }
    assert_eq!(server.counter("outputs_running").await, 1.0);
    drop(body);
    server.wait_for("outputs_cancelled_total", 1.0).await;
    let reply = server.post(PATH, &chat("hello", json!({}))).await;
    assert_eq!(reply.json()["choices"][0]["message"]["content"], "hello");
}

#[tokio::test]
async fn a_client_that_leaves_before_its_reply_is_called_off() {
    let engine = EngineOptions { parallel: 1, ..EngineOptions::default() };
    let server = Server::paced(ServerOptions::default(), engine, 2);
    let whole = chat("hello world…", json!({"max_tokens": 3000})).to_string();
    let asked = server.send(post(PATH, whole));
    let waited = tokio::time::timeout(Duration::from_millis(300), asked).await;
    assert!(waited.is_err(), "it takes longer");
    server.wait_for("outputs_cancelled_total", 1.0).await;
}

#[tokio::test]
async fn a_client_that_does_not_read_loses_its_slot_and_delays_nobody() {
    let engine = EngineOptions {
        parallel: 2,
        events: 2,
        slow_reader: Duration::from_millis(200),
        ..EngineOptions::default()
    };
    let server = Server::paced(ServerOptions::default(), engine, 0);
    let slow = server.send(post(PATH, endless())).await;
    let reply = server.post(PATH, &chat("hello", json!({}))).await;
    assert_eq!(reply.status, StatusCode::OK);
    server.wait_for("outputs_cancelled_total", 1.0).await;
    // The text written so far comes, then an error, and no end.
    let body = slow.into_body().collect().await.expect("it ends").to_bytes();
    let text = String::from_utf8(body.to_vec()).expect("text");
    assert!(text.contains("\"error\"") && !text.contains("[DONE]"), "{text}");
}

#[tokio::test]
async fn outputs_of_one_request_do_not_wait_for_each_other() {
    let engine = EngineOptions {
        parallel: 3,
        events: 2,
        slow_reader: Duration::from_millis(100),
        ..EngineOptions::default()
    };
    let server = Server::paced(ServerOptions::default(), engine, 2);
    let reply = server.post(PATH, &chat("hello world…", json!({"n": 3, "max_tokens": 300}))).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    assert_eq!(reply.json()["usage"]["completion_tokens"], 900);
}

#[tokio::test]
async fn requests_without_room_are_asked_to_retry() {
    let engine = EngineOptions { parallel: 1, waiting: 1, ..EngineOptions::default() };
    let server = Server::paced(ServerOptions::default(), engine, 5);
    let mut held = Vec::new();
    let busy = loop {
        let response = server.send(post(PATH, endless())).await;
        if response.status() != StatusCode::OK {
            break response;
        }
        held.push(response);
        assert!(held.len() < 10, "there is room for ever");
    };
    assert_eq!(busy.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(busy.headers().contains_key(header::RETRY_AFTER));
    drop(held);
    for _ in 0..200 {
        if server.post(PATH, &chat("hello", json!({}))).await.status == StatusCode::OK {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("there is never room again");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_get_what_each_has_asked_for() {
    let server = Server::new(ServerOptions::default());
    let asked = (0..48).map(|number: u32| {
        let server = server.clone();
        tokio::spawn(async move {
            let wish = format!("hello {number}");
            let reply = match number % 3 {
                0 => server.post(PATH, &chat(&wish, json!({}))).await,
                1 => {
                    server
                        .post(PATH, &chat(&wish, json!({"grammar": "root ::= \"hello \" [0-9]+"})))
                        .await
                }
                _ => {
                    server
                        .post(
                            PATH,
                            &chat(&wish, json!({"grammar": format!("root ::= missing{number}")})),
                        )
                        .await
                }
            };
            match number % 3 {
                2 => assert_eq!(reply.status, StatusCode::BAD_REQUEST),
                _ => assert_eq!(
                    reply.json()["choices"][0]["message"]["content"],
                    wish,
                    "{}",
                    reply.text
                ),
            }
        })
    });
    for one in asked.collect::<Vec<_>>() {
        one.await.expect("it was served");
    }
}

#[tokio::test]
async fn an_output_ends_at_its_deadline() {
    let engine = EngineOptions { parallel: 1, ..EngineOptions::default() };
    let server = Server::paced(ServerOptions::default(), engine, 5);
    let fields = json!({"max_tokens": 3000, "x_grammarc": {"deadline_ms": 200}});
    let reply = server.post(PATH, &chat("hello world…", fields)).await.json();
    assert_eq!(reply["choices"][0]["finish_reason"], "deadline", "{reply}");
    assert!(
        reply["choices"][0]["message"]["content"].as_str().expect("a text").starts_with("hello")
    );
    // A request that waits in the queue until then gets no output, and an error that says so.
    let held = server.send(post(PATH, endless())).await;
    let reply =
        server.post(PATH, &chat("hello", json!({"x_grammarc": {"deadline_ms": 100}}))).await;
    drop(held);
    assert_eq!(reply.status, StatusCode::GATEWAY_TIMEOUT, "{}", reply.text);
    assert_eq!(reply.json()["error"]["code"], "deadline_exceeded");
}
