//! A server whose model is not there yet, over a network.

use std::sync::mpsc;
use std::time::Duration;

use grammarc_generate::Local;
use grammarc_generate::engine::EngineOptions;
use grammarc_server::{ServeError, ServerOptions, serve_loading};
use serde_json::json;
use tokio::net::TcpListener;

use crate::client::chat;
use crate::model;
use crate::network::ask;

/// The model as it is loaded: when the gate opens, and none where nobody is left to open it.
fn server(gate: mpsc::Receiver<()>) -> Result<(Local, ServerOptions), String> {
    gate.recv().map_err(|_| "there is no model".to_owned())?;
    let backend = model::backend(EngineOptions::default(), Duration::ZERO);
    Ok((backend, ServerOptions::default()))
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_asked_to_retry_until_the_model_is_loaded() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (open, gate) = mpsc::channel();
    let (announce, announced) = mpsc::channel();
    let ready = move || announce.send(()).map_err(|error| error.to_string());
    let serving =
        tokio::spawn(serve_loading(listener, || server(gate), ready, std::future::pending()));
    let body = chat("hello", json!({})).to_string();
    let ask_all = || {
        [
            ask(address, "POST", "/v1/chat/completions", &body),
            ask(address, "POST", "/v1/chat/completions", "no JSON"),
            ask(address, "GET", "/health", ""),
            ask(address, "GET", "/v1/models", ""),
            ask(address, "GET", "/gone", ""),
        ]
    };
    for (status, head, reply) in ask_all() {
        assert_eq!(status, 503, "{reply}");
        assert!(head.contains("\r\nretry-after: 1"), "{head}");
        assert_eq!(reply["error"]["code"], "loading");
        assert_eq!(reply["error"]["type"], "server_error");
    }
    open.send(()).expect("it waits");
    announced.recv_timeout(Duration::from_secs(60)).expect("it is ready");
    assert_eq!(ask_all().map(|(status, ..)| status), [200, 400, 200, 200, 404]);
    serving.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_model_is_not_loaded_ends() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let (open, gate) = mpsc::channel();
    drop(open);
    let never = || panic!("nothing is ready");
    let ended = serve_loading(listener, || server(gate), never, std::future::pending()).await;
    assert!(
        matches!(&ended, Err(ServeError::Load(message)) if message == "there is no model"),
        "{ended:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_ended_does_not_wait_for_its_model() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let (open, gate) = mpsc::channel();
    let never = || panic!("nothing is ready");
    let ended = serve_loading(listener, || server(gate), never, std::future::ready(())).await;
    assert!(ended.is_ok(), "{ended:?}");
    drop(open);
}
