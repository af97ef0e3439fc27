//! A server over a network: half-sent requests keep nobody out, and a server that ends does not wait for them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use grammarc_generate::engine::EngineOptions;
use grammarc_server::{ListenOptions, Listener, RequestLimits, ServerOptions, serve};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::client::chat;
use crate::model;

/// Longer than any test takes: what it bounds is not what the test is about.
const LONG: Duration = Duration::from_secs(600);

const HALF_HEAD: &[u8] = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n";
const HALF_BODY: &[u8] =
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{";

/// Status, head and body of the reply to a request.
pub(crate) fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: &str,
) -> (u16, String, Value) {
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    reply(sent(address, request.as_bytes()))
}

/// A connection on which some bytes were sent.
fn sent(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(bytes).expect("sent");
    stream
}

/// What comes on a connection until it is closed, in either way that systems report it.
fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    _ = stream.read_to_end(&mut bytes);
    String::from_utf8(bytes).expect("replies are text")
}

fn reply(stream: TcpStream) -> (u16, String, Value) {
    let reply = rest(stream);
    let (head, body) = reply.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.expect("a status"), head.to_lowercase(), serde_json::from_str(body).unwrap_or_default())
}

/// Waits until an output is in a slot.
fn wait_for_an_output(address: SocketAddr) {
    let metrics = || rest(sent(address, b"GET /metrics HTTP/1.0\r\n\r\n"));
    while !metrics().contains("\ngrammarc_outputs_running 1\n") {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A server that listens until `end` is sent or dropped.
struct Served {
    address: SocketAddr,
    end: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

/// Bounds that nothing of a test meets.
fn wide() -> ListenOptions {
    ListenOptions { connections: 64, connections_of_address: 32, head_time: LONG, drain_time: LONG }
}

async fn server(options: ListenOptions, body_time: Duration, pace: u64) -> Served {
    let socket = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = socket.local_addr().expect("an address");
    let backend = model::backend(EngineOptions::default(), Duration::from_millis(pace));
    let limits = RequestLimits { body_time, ..RequestLimits::default() };
    let server = ServerOptions { limits, ..ServerOptions::default() };
    let (end, ended) = oneshot::channel::<()>();
    let listener = Listener { socket, options };
    let serving = tokio::spawn(serve(listener, backend, server, async { drop(ended.await) }));
    Served { address, end, serving }
}

/// Does what blocks off the threads of the server.
async fn off<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("it does not panic")
}

#[tokio::test(flavor = "multi_thread")]
async fn half_sent_requests_keep_nobody_out() {
    for half in [&b""[..], HALF_HEAD, HALF_BODY] {
        let few = ListenOptions { connections: 8, connections_of_address: 4, ..wide() };
        let served = server(few, LONG, 0).await;
        let address = served.address;
        off(move || {
            let held: Vec<_> = (0..40).map(|_| sent(address, half)).collect();
            for _ in 0..6 {
                assert_eq!(ask(address, "GET", "/health", "").0, 200);
                let hello = chat("hello", json!({})).to_string();
                assert_eq!(ask(address, "POST", "/v1/chat/completions", &hello).0, 200);
            }
            drop(held);
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_under_way_is_not_closed_for_others() {
    let few = ListenOptions { connections: 8, connections_of_address: 4, ..wide() };
    let served = server(few, LONG, 2).await;
    let address = served.address;
    off(move || {
        let body = chat("hello world…", json!({"max_tokens": 400})).to_string();
        let length = body.len();
        let request = format!("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
        let asked = sent(address, request.as_bytes());
        // It is in a slot before the others come.
        wait_for_an_output(address);
        let held: Vec<_> = (0..20).map(|_| sent(address, HALF_HEAD)).collect();
        let (status, _, reply) = reply(asked);
        assert_eq!((status, &reply["usage"]["completion_tokens"]), (200, &json!(400)));
        drop(held);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_and_bodies_have_their_time() {
    let short = Duration::from_millis(100);
    let served = server(ListenOptions { head_time: short, ..wide() }, short, 0).await;
    let address = served.address;
    off(move || {
        // Without a head there is nobody to answer; a connection between two requests is closed as well.
        assert_eq!(rest(sent(address, HALF_HEAD)), "");
        let twice = rest(sent(address, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        assert!(twice.ends_with("{\"status\":\"ok\"}"), "{twice}");
        let (status, _, reply) = reply(sent(address, HALF_BODY));
        assert_eq!((status, &reply["error"]["code"]), (408, &json!("timeout")), "{reply}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_finishes_what_is_whole_and_waits_for_nothing_else() {
    let Served { address, end, serving } = server(wide(), LONG, 2).await;
    let halves: Vec<_> = off(move || {
        [&b""[..], HALF_HEAD, HALF_BODY].iter().map(|half| sent(address, half)).collect()
    })
    .await;
    let body = chat("hello world…", json!({"max_tokens": 200})).to_string();
    let asked = tokio::spawn(off(move || ask(address, "POST", "/v1/chat/completions", &body)));
    off(move || wait_for_an_output(address)).await;
    end.send(()).expect("it serves");
    let (status, _, reply) = asked.await.expect("it does not panic");
    assert_eq!((status, &reply["usage"]["completion_tokens"]), (200, &json!(200)));
    serving.await.expect("it ends");
    off(move || assert!(TcpStream::connect(address).is_err(), "nobody listens any more")).await;
    drop(halves);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_gives_long_requests_up() {
    let options = ListenOptions { drain_time: Duration::from_millis(1500), ..wide() };
    let Served { address, end, serving } = server(options, LONG, 20).await;
    let body = chat("hello world…", json!({"max_tokens": 3900, "stream": true})).to_string();
    let length = body.len();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let mut stream = off(move || sent(address, request.as_bytes())).await;
    let stream = off(move || {
        stream.read_exact(&mut [0; 64]).expect("it streams");
        stream
    })
    .await;
    end.send(()).expect("it serves");
    serving.await.expect("it ends");
    assert!(!off(move || rest(stream)).await.contains("[DONE]"));
}
