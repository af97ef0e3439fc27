//! Keys, limits on what is read, and errors that come before an endpoint.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use grammarc_server::ServerOptions;
use serde_json::{Value, json};

use crate::client::{Reply, Server, chat, post};

/// The error of a reply, which has all the fields of one.
fn error(reply: &Reply) -> Value {
    let found = reply.json();
    let error = found["error"].as_object().unwrap_or_else(|| panic!("no error: {}", reply.text));
    for field in ["message", "type", "code"] {
        assert!(error[field].is_string(), "{field} of {}", reply.text);
    }
    assert!(error.contains_key("param"), "{}", reply.text);
    found["error"].clone()
}

#[tokio::test]
async fn keys_are_asked_for_wherever_something_is_done() {
    let keys = vec!["one".to_owned(), "two".to_owned()];
    let server = Server::new(ServerOptions { keys, ..ServerOptions::default() });
    let asked = |path: &str, key: Option<&str>| {
        let request = if path.starts_with("/v1/models") || path == "/metrics" {
            Request::get(path)
        } else {
            Request::post(path)
        };
        let request =
            key.into_iter().fold(request, |request, key| request.header("authorization", key));
        let body = chat("hello", json!({})).to_string();
        request.body(Body::from(body)).expect("a request")
    };
    let paths = [
        "/v1/chat/completions",
        "/v1/completions",
        "/v1/responses",
        "/v1/models",
        "/v1/grammars",
        "/v1/repair",
        "/tokenize",
        "/detokenize",
        "/metrics",
    ];
    for path in paths {
        for key in [None, Some("Bearer three"), Some("Bearer "), Some("one"), Some("Bearer on")] {
            let reply = server.ask(asked(path, key)).await;
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{path} {key:?}");
            assert_eq!(reply.headers[header::WWW_AUTHENTICATE], "Bearer");
            assert_eq!(error(&reply)["code"], "invalid_api_key");
        }
        for key in ["Bearer one", "Bearer two"] {
            let reply = server.ask(asked(path, Some(key))).await;
            assert_ne!(reply.status, StatusCode::UNAUTHORIZED, "{path}");
        }
    }
    for path in ["/", "/health"] {
        assert_eq!(server.get(path).await.status, StatusCode::OK, "{path} tells nothing");
    }
}

#[tokio::test]
async fn what_is_too_large_is_refused_in_json() {
    let options =
        ServerOptions { body_bytes: 4096, source_bytes: 256, tools: 2, ..ServerOptions::default() };
    let server = Server::new(options);
    let long = "a".repeat(5000);
    let reply = server.post("/v1/chat/completions", &chat(&long, json!({}))).await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(error(&reply)["code"], "too_large");
    let schema = json!({"type": "object", "description": "a".repeat(300)});
    let format = json!({"type": "json_schema", "json_schema": {"name": "x", "schema": schema}});
    let reply =
        server.post("/v1/chat/completions", &chat("x", json!({"response_format": format}))).await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(error(&reply)["param"], "response_format.json_schema.schema");
    let tool = json!({"type": "function", "function": {"name": "a"}});
    let many = json!({"tools": [tool.clone(), tool.clone(), tool]});
    let reply = server.post("/v1/chat/completions", &chat("x", many)).await;
    assert_eq!(
        (reply.status, error(&reply)["param"].clone()),
        (StatusCode::BAD_REQUEST, json!("tools"))
    );
    // Nothing of that has taken a slot.
    assert_eq!(server.counter("outputs_submitted_total").await, 0.0);
}

#[tokio::test]
async fn errors_before_an_endpoint_are_json_as_well() {
    let server = Server::new(ServerOptions::default());
    for body in ["", "{", "[]", "\u{feff}{}", "{\"messages\": }"] {
        let reply = server.ask(post("/v1/chat/completions", body.to_owned())).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{body:?}");
        assert_eq!(error(&reply)["code"], "invalid_request", "{body:?}");
    }
    let reply = server.get("/v1/frob").await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND);
    assert_eq!(error(&reply)["code"], "not_found");
    let reply = server.get("/v1/chat/completions").await;
    assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(error(&reply)["code"], "method_not_allowed");
    let mut request = Request::builder().method(Method::OPTIONS).uri("/v1/chat/completions");
    request = request.header(header::ORIGIN, "https://example.com");
    let reply = server.ask(request.body(Body::empty()).expect("a request")).await;
    assert!(!reply.headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN), "there is no CORS");
}

#[tokio::test]
async fn a_deep_body_is_refused_and_breaks_nothing() {
    let server = Server::new(ServerOptions::default());
    for depth in [100, 10_000, 400_000] {
        let deep = "[".repeat(depth) + &"]".repeat(depth);
        let body = format!(
            "{{\"messages\": [{{\"role\": \"user\", \"content\": \"x\"}}], \"format\": {deep}}}"
        );
        let reply = server.ask(post("/v1/chat/completions", body)).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{depth}: {}", reply.text);
        error(&reply);
    }
    assert_eq!(server.get("/health").await.json(), json!({"status": "ok"}));
}

#[tokio::test]
async fn schemas_nest_64_levels_wherever_they_are_given() {
    let server = Server::new(ServerOptions::default());
    // Objects and arrays by turns; brackets within strings are no levels.
    let nested = |depth: usize| {
        let text = "[[[[{{{{\"[[[[{{{{";
        let inner = if depth % 2 == 1 { json!({"const": text}) } else { json!({"enum": [text]}) };
        (0..(depth - 1) / 2).fold(inner, |inner, _| json!({"anyOf": [inner]}))
    };
    let object = |member: Value| json!({"type": "object", "properties": {"a": member}});
    let tool = |parameters: Value| json!({"type": "function", "function": {"name": "a", "parameters": parameters}});
    let own =
        |parameters: Value| json!({"type": "function", "name": "a", "parameters": parameters});
    let tag = |schema: Value| json!({"type": "structural_tag", "format": {"type": "json_schema", "json_schema": schema}});
    let chat = |field: &str, value: Value| {
        (
            "/v1/chat/completions",
            json!({"messages": [{"role": "user", "content": "x"}], "max_tokens": 4, field: value}),
        )
    };
    let requests = |schema: Value, around: usize| {
        let format = json!({"type": "json_schema", "json_schema": {"name": "x", "schema": schema}});
        let listed =
            json!({"input": "x", "tools": [own(object(schema.clone()))], "max_output_tokens": 4});
        let all = [
            (chat("response_format", format), "response_format.json_schema.schema", 0),
            (chat("format", schema.clone()), "format", 0),
            (chat("json_schema", schema.clone()), "json_schema", 0),
            (chat("grammar", json!({"type": "json_schema", "value": schema})), "grammar.value", 0),
            (chat("structured_outputs", json!({"json": schema})), "structured_outputs.json", 0),
            (
                chat("structured_outputs", json!({"json": schema.to_string()})),
                "structured_outputs.json",
                0,
            ),
            (
                chat(
                    "structured_outputs",
                    json!({"structural_tag": tag(schema.clone()).to_string()}),
                ),
                "structured_outputs.structural_tag",
                2,
            ),
            (chat("response_format", tag(schema.clone())), "response_format.", 2),
            (
                chat("tools", json!([tool(object(schema.clone()))])),
                "tools.0.function.parameters",
                2,
            ),
            (("/v1/responses", listed), "tools.0.function.parameters", 2),
            (("/v1/grammars", json!({"language": "json-schema", "source": schema})), "source", 0),
            (("/v1/repair", json!({"text": "1", "schema": schema})), "schema", 0),
        ];
        all.into_iter().filter(move |(.., wraps)| *wraps == around)
    };
    for around in [0, 2] {
        for ((path, body), place, _) in requests(nested(65 - around), around) {
            let reply = server.post(path, &body).await;
            let error = error(&reply);
            assert_eq!(
                (reply.status, &error["code"]),
                (StatusCode::BAD_REQUEST, &json!("too_deep")),
                "{path} {place}: {error}"
            );
            assert_eq!(error["param"], place, "{path}");
            assert_eq!(error["message"], "it nests 65 levels deep; at most 64 are read");
        }
        for ((path, body), place, _) in requests(nested(64 - around), around) {
            let reply = server.post(path, &body).await;
            assert_eq!(reply.status, StatusCode::OK, "{path} {place}: {}", reply.text);
        }
    }
}
