//! Keys, limits on what is read, and errors that come before an endpoint.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use grammarc_generate::engine::EngineOptions;
use grammarc_server::{RequestLimits, ServerOptions};
use serde_json::{Value, json};

use crate::client::{Reply, Server, chat, post};
use crate::model;

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
        let wrong = ["Bearer three", "Bearer ", "one", "Bearer on", "Basic one", "Bearerone"];
        for key in wrong.map(Some).into_iter().chain([None]) {
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
    for key in ["bearer one", "BEARER two", "Bearer  one "] {
        let reply = server.ask(asked("/v1/models", Some(key))).await;
        assert_eq!(reply.status, StatusCode::OK, "{key:?}: a scheme is written in any case");
    }
    for path in ["/", "/health"] {
        assert_eq!(server.get(path).await.status, StatusCode::OK, "{path} tells nothing");
    }
}

#[tokio::test]
async fn an_empty_key_opens_nothing() {
    let options = ServerOptions { keys: vec![String::new()], ..ServerOptions::default() };
    let backend = model::backend(EngineOptions::default(), Duration::ZERO);
    assert_eq!(options.check(&backend).expect_err("a key is empty").option, "keys");
    let server = Server::of(backend, options);
    for key in [None, Some(""), Some("Bearer "), Some("Bearer")] {
        let request = Request::get("/v1/models");
        let request =
            key.into_iter().fold(request, |request, key| request.header("authorization", key));
        let reply = server.ask(request.body(Body::empty()).expect("a request")).await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{key:?}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_are_not_answered() {
    let allowed_hosts = vec!["api.example".to_owned()];
    let server = Server::new(ServerOptions { allowed_hosts, ..ServerOptions::default() });
    let ask = async |method: Method, path: &str, headers: &[(&str, &str)]| {
        let request = Request::builder().method(method).uri(path);
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let body = chat("hello", json!({})).to_string();
        server.ask(request.body(Body::from(body)).expect("a request")).await
    };
    let path = "/v1/chat/completions";
    for host in ["localhost:8080", "127.0.0.1", "[::1]:1", "10.0.0.7:8080", "api.example"] {
        let reply = ask(Method::POST, path, &[("host", host)]).await;
        assert_eq!(reply.status, StatusCode::OK, "{host}: {}", reply.text);
    }
    for path in ["/", "/health", "/v1/models", "/metrics", "/gone"] {
        let reply = ask(Method::GET, path, &[("host", "evil.example:8080")]).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path}");
        let error = error(&reply);
        assert_eq!(error["code"], "host_not_allowed");
        assert!(error["message"].as_str().expect("text").contains("--allowed-host"), "{error}");
    }
    // The name in the request line is the host, whatever stands in the header; and so is each of several headers.
    let headers = [("host", "localhost")];
    let absolute = ask(Method::POST, "http://evil.example/v1/chat/completions", &headers).await;
    assert_eq!(absolute.status, StatusCode::FORBIDDEN);
    let twice = ask(Method::POST, path, &[("host", "localhost"), ("host", "evil.example")]).await;
    assert_eq!(twice.status, StatusCode::FORBIDDEN);
    let of = async |method: Method, path: &str, origin: &str| {
        ask(method, path, &[("host", "localhost:8080"), ("origin", origin)]).await.status
    };
    for origin in ["http://localhost:8080", "http://127.0.0.1:3000", "https://api.example"] {
        assert_eq!(of(Method::POST, path, origin).await, StatusCode::OK, "{origin}");
    }
    for origin in ["http://evil.example", "null", "https://localhost.evil.example"] {
        for path in [path, "/v1/grammars", "/v1/repair", "/tokenize"] {
            assert_eq!(of(Method::POST, path, origin).await, StatusCode::FORBIDDEN, "{origin}");
        }
        // Without CORS, a page of another site cannot read what it gets.
        assert_eq!(of(Method::GET, "/health", origin).await, StatusCode::OK, "{origin}");
    }
}

#[tokio::test]
async fn what_is_too_large_is_refused_in_json() {
    let limits =
        RequestLimits { body_bytes: 4096, source_bytes: 256, tools: 2, ..RequestLimits::default() };
    let options = ServerOptions { limits, ..ServerOptions::default() };
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
            (chat("response_format", tag(schema.clone())), "response_format", 2),
            (
                chat("tools", json!([tool(object(schema.clone()))])),
                "tools.0.function.parameters",
                2,
            ),
            (("/v1/responses", listed), "tools.0.parameters", 2),
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
