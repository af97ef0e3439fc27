//! The Python package: its wheel is built, installed into an environment without Rust, and tested there by its own tests and by
//! random traces of matchers, 10,000 and with `GRAMMARC_FULL=1` 100,000. The client is tested against the server of this workspace, over a
//! model that writes what the request says.
//!
//! Needs Python 3.11 or later and, on the first run, the package index; without these it says so and does nothing, but with
//! `GRAMMARC_FULL=1` it fails.

use std::io::{BufWriter, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use grammarc_agents::prompts::PromptManager;
use grammarc_generate::engine::EngineOptions;
use grammarc_server::{ListenOptions, Listener, ServerOptions, serve};
use grammarc_tests::traces;
use grammarc_tests::vocabularies::full;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

#[path = "../../../generate/server/tests/protocol/model.rs"]
#[expect(dead_code, reason = "tests of the server use more of it")]
mod model;

/// Exit status of the script where the package index is not reachable.
const NO_ENVIRONMENT: i32 = 77;

/// A server on a port of its own with the prompts of the samples, as long as the runtime is there.
fn server() -> (Runtime, String) {
    let runtime = Runtime::new().expect("threads");
    let socket = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).expect("a port");
    let url = format!("http://{}", socket.local_addr().expect("an address"));
    let samples = include_str!("../../../generate/agents/samples/extraction.json");
    let prompts = PromptManager::from_json(samples).expect("the samples are a configuration");
    let options = ServerOptions { prompts: Some(Arc::new(prompts)), ..ServerOptions::default() };
    let backend = model::backend(EngineOptions::default(), Duration::ZERO);
    let listener = Listener { socket, options: ListenOptions::default() };
    runtime.spawn(serve(listener, backend, options, std::future::pending()));
    (runtime, url)
}

#[test]
#[expect(clippy::print_stderr, reason = "what is skipped is said aloud")]
fn the_package_passes_its_tests() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run.py");
    let new_enough = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    let found = Command::new("python3").args(["-c", new_enough]).status();
    if !found.is_ok_and(|status| status.success()) {
        assert!(!full(), "there is no Python 3.11");
        eprintln!("no Python 3.11 with venv: the tests of the Python package are skipped");
        return;
    }
    // Variables that cargo or .ci/timed set for this process are not for the one that builds the wheel. How crates are compiled is, so
    // that those which were compiled for the tests are not compiled again.
    let mut command = Command::new("python3");
    command.env_remove("RUSTC_BOOTSTRAP");
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        let is_kept = matches!(&*name, "CARGO_HOME" | "CARGO_INCREMENTAL");
        if name.starts_with("CARGO_") && !name.starts_with("CARGO_PROFILE_") && !is_kept {
            command.env_remove(&*name);
        }
    }
    let (_runtime, url) = server();
    command.env("GRAMMARC_SERVER", url);
    let count = if full() { 100_000 } else { 10_000 };
    let command = command.arg(script).arg("--replay").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("python3 is there");
    let written = traces::write(count, BufWriter::new(child.stdin.take().expect("a pipe")));
    let mut said = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("text");
    let status = child.wait().expect("it ends");
    if status.code() == Some(NO_ENVIRONMENT) && !full() {
        eprintln!("no environment could be made: the tests of the Python package are skipped");
        return;
    }
    assert!(status.success(), "the tests of the Python package fail ({written:?}):\n{said}");
    let steps = written.expect("the traces are read to the end");
    let replayed = format!("{count} traces, {steps} steps\n");
    assert!(said.ends_with(&replayed), "{said}");
}
