//! Replies of servers, right and wrong, over a real socket: each is one connection that writes what a case says.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use grammarc_generate::backend::{Chat, Prompt};
use grammarc_generate::{
    Finish, GenerateError, GenerateParams, JsonModeConfig, LlmBackend, Output,
};
use grammarc_http::{HttpBackend, HttpError, HttpOptions};
use serde_json::{Value, json};

/// A server for one request: returns the body that came.
fn serve(reply: impl FnOnce(&mut TcpStream) + Send + 'static) -> (HttpOptions, JoinHandle<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let body = body_of(&mut stream);
        reply(&mut stream);
        body
    });
    let options = HttpOptions {
        timeout: Duration::from_secs(20),
        ..HttpOptions::new(format!("http://{address}/v1/"))
    };
    (options, serving)
}

/// The body of a request.
fn body_of(stream: &mut TcpStream) -> Value {
    let mut text = Vec::new();
    let mut part = [0; 4096];
    loop {
        let read = stream.read(&mut part).expect("a request");
        text.extend_from_slice(&part[..read]);
        let head = text.windows(4).position(|end| end == b"\r\n\r\n");
        let Some(head) = head else { continue };
        if let Ok(body) = serde_json::from_slice(&text[head + 4..]) {
            return body;
        }
    }
}

fn write(stream: &mut TcpStream, status: &str, kind: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).expect("the client reads");
}

fn answered(
    status: &'static str,
    kind: &'static str,
    body: String,
) -> Result<Output, GenerateError> {
    let (options, serving) = serve(move |stream| write(stream, status, kind, &body));
    let params = GenerateParams::default();
    let output = HttpBackend::new(options).generate_output(Prompt::from("x"), params);
    serving.join().expect("it served");
    output
}

fn http(error: GenerateError) -> HttpError {
    let GenerateError::Backend(error) = error else { panic!("{error}") };
    *error.downcast::<HttpError>().expect("an error of this backend")
}

const SSE: &str = "text/event-stream";

fn events(chunks: &[Value]) -> String {
    let lines = chunks.iter().map(|chunk| format!(": a comment\ndata: {chunk}\n\n"));
    lines.collect::<String>() + "data: [DONE]\n\n"
}

#[test]
fn a_streamed_reply_is_passed_on_as_it_comes() {
    let chunks = [
        json!({"choices": [{"delta": {"role": "assistant", "content": ""}}]}),
        json!({"choices": [{"delta": {"reasoning_content": "hm"}}]}),
        json!({"choices": [{"delta": {"content": "{\"a\": 1"}}]}),
        json!({"choices": [{"delta": {"content": "}"}, "finish_reason": "stop"}]}),
        json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5}}),
    ];
    let output = answered("200 OK", SSE, events(&chunks)).expect("a reply");
    assert_eq!((output.text.as_str(), output.reasoning.as_str()), ("{\"a\": 1}", "hm"));
    assert_eq!((output.usage.prompt_tokens, output.usage.completion_tokens), (3, 5));
    assert_eq!(output.finish, Finish::Stop);
}

#[test]
fn calls_come_with_their_arguments() {
    let call = |call: Value| json!({"choices": [{"delta": {"tool_calls": [call]}}]});
    let chunks = [
        call(json!({"index": 0, "id": "1", "function": {"name": "f", "arguments": ""}})),
        call(json!({"index": 0, "function": {"arguments": "{\"x\":"}})),
        call(json!({"index": 0, "function": {"arguments": "1}"}})),
        call(json!({"index": 1, "function": {"name": "g", "arguments": "{"}})),
        json!({"choices": [{"delta": {}, "finish_reason": "length"}]}),
    ];
    let output = answered("200 OK", SSE, events(&chunks)).expect("a reply");
    assert_eq!(
        (output.calls[0].name.as_str(), output.calls[0].arguments.as_str()),
        ("f", "{\"x\":1}")
    );
    assert_eq!(output.cut_call.expect("it was cut").name, "g");
}

#[test]
fn a_server_that_does_not_stream_is_read_too() {
    let body = json!({"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]});
    let output = answered("200 OK", "application/json", body.to_string()).expect("a reply");
    assert_eq!(output.text, "yes");
}

#[test]
fn bad_replies_are_reported_with_status_and_first_bytes() {
    let page = "<html>".to_owned() + &"x".repeat(1000);
    let HttpError::Protocol { status: 200, begin, .. } =
        http(answered("200 OK", "text/html", page.clone()).unwrap_err())
    else {
        panic!("a page is no reply")
    };
    assert!(begin.starts_with("<html>") && begin.len() == 200, "{begin}");
    let refused = http(answered("503 Busy", "text/html", page).unwrap_err());
    assert!(matches!(refused, HttpError::Status { status: 503, .. }), "{refused}");
    let error = json!({"error": {"message": "no such model"}}).to_string();
    let refused = http(answered("404 Not Found", "application/json", error).unwrap_err());
    assert!(refused.to_string().contains("404: no such model"), "{refused}");
    for (kind, body) in [
        (SSE, "data: {\"choices\": [{\"delta\": {\"content\": \"a\"}}]}\n\n"),
        (SSE, "data: nothing\n\n"),
        (SSE, "no field\n"),
        (SSE, "data: {\"choices\": 1}\n\n"),
        (SSE, ""),
        ("application/json", "{\"choices\": []}"),
        ("application/json", "[]"),
    ] {
        let refused = http(answered("200 OK", kind, body.to_owned()).unwrap_err());
        assert!(matches!(refused, HttpError::Protocol { status: 200, .. }), "{body}: {refused}");
    }
    let late = "data: {\"error\": {\"message\": \"it broke\"}}\n\n".to_owned();
    let refused = http(answered("200 OK", SSE, late).unwrap_err());
    assert!(refused.to_string().contains("it broke"), "{refused}");
}

#[test]
fn a_reply_has_a_bound_on_its_size() {
    let (options, serving) = serve(|stream| {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {SSE}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).expect("the client reads");
        // A line without an end: until the client leaves.
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    let backend = HttpBackend::new(HttpOptions { max_bytes: 1 << 20, ..options });
    let refused = http(backend.generate("x", GenerateParams::default()).unwrap_err());
    assert!(matches!(refused, HttpError::TooLarge { limit } if limit == 1 << 20), "{refused}");
    serving.join().expect("it served");
}

#[test]
fn a_server_that_says_nothing_is_left_in_time() {
    let (options, serving) = serve(|stream| {
        // It waits until the client has left.
        let _ = stream.read(&mut [0]);
    });
    let backend = HttpBackend::new(HttpOptions { timeout: Duration::from_millis(300), ..options });
    let refused = http(backend.generate("x", GenerateParams::default()).unwrap_err());
    assert!(matches!(refused, HttpError::Transport(_)), "{refused}");
    serving.join().expect("it served");
    let nobody = HttpBackend::new(HttpOptions::new("http://127.0.0.1:9/v1"));
    let refused = http(nobody.generate("x", GenerateParams::default()).unwrap_err());
    assert!(matches!(refused, HttpError::Transport(_)), "{refused}");
}

#[test]
fn a_request_says_what_the_protocol_has() {
    let body =
        json!({"choices": [{"message": {"content": "{\"a\": 1}"}, "finish_reason": "stop"}]});
    let body = body.to_string();
    let (options, serving) =
        serve(move |stream| write(stream, "200 OK", "application/json", &body));
    let schema = r#"{"required": ["a"]}"#.parse().expect("a schema");
    let params = GenerateParams {
        max_tokens: 7,
        seed: Some(5),
        stop: vec!["\n".to_owned()],
        logit_bias: vec![(3, -1.0)],
        ..GenerateParams::default()
    };
    let backend = HttpBackend::new(HttpOptions { key: Some("k".to_owned()), ..options });
    assert!(!format!("{backend:?}").contains("\"k\""));
    let value = backend.generate_json("hello", Some(schema), params).expect("an instance");
    assert_eq!(value, json!({"a": 1}));
    let sent = serving.join().expect("it served");
    assert_eq!(sent["messages"], json!([{"role": "user", "content": "hello"}]));
    assert_eq!((&sent["max_tokens"], &sent["seed"]), (&json!(7), &json!(5)));
    assert_eq!(sent["logit_bias"], json!({"3": -1.0}));
    assert_eq!(sent["response_format"]["json_schema"]["schema"], json!({"required": ["a"]}));
}

#[test]
fn what_the_protocol_does_not_have_is_refused() {
    let backend = HttpBackend::new(HttpOptions::new("http://127.0.0.1:9/v1"));
    let base = GenerateParams::default;
    let refused = [
        ("top_k", GenerateParams { top_k: 3, ..base() }),
        ("end_tokens", GenerateParams { end_tokens: Some(vec![1]), ..base() }),
        (
            "overshoot",
            GenerateParams {
                overshoot: true,
                json_mode: Some(JsonModeConfig::default()),
                ..base()
            },
        ),
    ];
    for (name, params) in refused {
        match backend.generate("x", params) {
            Err(GenerateError::Unsupported { what, .. }) => assert_eq!(what, name),
            other => panic!("{name}: {other:?}"),
        }
    }
    let begun = Prompt::Chat(Chat { begun: "{".to_owned(), ..Chat::default() });
    for prompt in [Prompt::Tokens(vec![1]), begun] {
        let refused = backend.generate_output(prompt, base());
        assert!(matches!(refused, Err(GenerateError::Unsupported { what: "prompt", .. })));
    }
}
