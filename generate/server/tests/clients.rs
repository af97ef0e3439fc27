//! Real clients over loopback: OpenAI's, LangChain, Instructor and AutoGen against a server with SmolLM2.
//!
//! Needs the model (`grammarc model smollm2`, or `GRAMMARC_MODEL`), Python 3.11 and, on the first run, the package index. Without
//! the model it says so and runs the examples alone, against a server in Python that answers by a script; without the others it
//! says so and does nothing. With `GRAMMARC_FULL=1` it fails in both cases.

use std::path::{Path, PathBuf};
use std::process::Command;

use grammarc_candle::{OpenOptions, models_folder, open};
use grammarc_generate::Local;
use grammarc_generate::engine::EngineOptions;
use grammarc_server::{ServerOptions, serve};

/// Exit status of the script where the package index is not reachable.
const NO_ENVIRONMENT: i32 = 77;

fn model() -> Option<PathBuf> {
    let named = std::env::var_os("GRAMMARC_MODEL").map(PathBuf::from);
    let kept = models_folder().map(|folder| folder.join("SmolLM2-135M-Instruct.Q4_1.gguf"));
    named.or(kept).filter(|path| path.is_file())
}

#[test]
#[expect(clippy::print_stderr, reason = "what is skipped is said aloud")]
fn clients_get_what_they_ask_for() {
    let full = std::env::var_os("GRAMMARC_FULL").is_some_and(|value| value == "1");
    let Some(model) = model() else {
        assert!(!full, "there is no model");
        eprintln!(
            "no model: of the tests of clients the examples alone are run, by a script; `grammarc model smollm2` fetches one"
        );
        run("--scripted", full);
        return;
    };
    let options = OpenOptions { context: Some(2048), sequences: Some(8), ..OpenOptions::default() };
    let parts = open(&model, &options).expect("the model is whole");
    let options = EngineOptions { parallel: 8, ..EngineOptions::default() };
    let backend = Local::start_engine(parts, options).expect("a thread");
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let listener = runtime.block_on(tokio::net::TcpListener::bind(("127.0.0.1", 0)));
    let listener = listener.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let options = ServerOptions { model: "smollm2".to_owned(), ..ServerOptions::default() };
    runtime.spawn(serve(listener, backend, options, std::future::pending()));
    run(&url, full);
}

/// Runs the script that has the tests, which asks the server at this address.
#[expect(clippy::print_stderr, reason = "what is skipped is said aloud")]
fn run(server: &str, full: bool) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/run.py");
    let status = Command::new("python3").arg(script).arg(server).status();
    match status.map(|status| status.code()) {
        Ok(Some(0)) => {}
        Ok(Some(NO_ENVIRONMENT)) | Err(_) if !full => {
            eprintln!("no environment could be made: the tests of clients are skipped");
        }
        other => panic!("the tests of clients fail: {other:?}"),
    }
}
