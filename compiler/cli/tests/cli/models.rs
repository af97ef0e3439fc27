//! The verbs that run a model: help, what is refused, and with a model that was fetched an output and a server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::Value;

use crate::Place;

/// The model: `GRAMMARC_MODEL`, or the one that `grammarc model smollm2` has fetched. Says aloud where there is none.
#[expect(clippy::print_stderr, reason = "what is skipped is said aloud")]
fn model() -> Option<PathBuf> {
    let named = std::env::var_os("GRAMMARC_MODEL").map(PathBuf::from);
    let kept = grammarc_candle::models_folder();
    let kept = kept.map(|folder| folder.join("SmolLM2-135M-Instruct.Q4_1.gguf"));
    let found = named.or(kept).filter(|path| path.is_file());
    if found.is_none() {
        let full = std::env::var_os("GRAMMARC_FULL").is_some_and(|value| value == "1");
        assert!(!full, "there is no model");
        eprintln!("no model: skipped; `grammarc model smollm2` fetches one");
    }
    found
}

#[test]
fn help_tells_of_the_options() {
    let place = Place::new();
    let of_verbs = [
        ("generate", &["--model", "--schema", "--grammar", "--jsonl", "--close", "--seed"][..]),
        (
            "serve",
            &["--model", "--listen", "--parallel", "--tool-style", "--prompts", "--cache", "--log"]
                [..],
        ),
    ];
    for (verb, options) in of_verbs {
        let run = place.run(&[verb, "--help"]).exits(0);
        for option in options {
            assert!(run.stdout.contains(option), "{option} of {verb} in {}", run.stdout);
        }
    }
}

#[test]
fn what_cannot_be_done_is_refused_before_a_model_is_read() {
    let place = Place::new()
        .with("broken.gguf", "no model")
        .with("schema.json", "{\"type\": \"frob\"}")
        .with("prompts.json", "[]")
        .with("field.json", r#"{"templates": {"a": {"prompt": "x", "response_type": "json"}}}"#)
        .with("filter.json", "{\"template-index\": \"[\\\"a\\\"]\", \"template.a\": \"{\\\"prompt\\\": \\\"{{ x | frob }}\\\"}\"}");
    let samples = include_str!("../../../../generate/agents/samples/extraction.json");
    let place = place.with("samples.json", samples);
    let cases: [(&[&str], &str); 16] = [
        (&["generate", "x"], "--model"),
        (&["generate", "--model", "gone.gguf", "x"], "gone.gguf"),
        (&["generate", "--model", "broken.gguf", "x"], "--model"),
        (&["generate", "--model", "broken.gguf", "--forced", "frob", "x"], "--forced"),
        (&["generate", "--model", "broken.gguf", "--raw", "--system", "y", "x"], "--system"),
        (
            &[
                "generate",
                "--model",
                "broken.gguf",
                "--grammar",
                "a.gbnf",
                "--schema",
                "b.json",
                "x",
            ],
            "--schema",
        ),
        (&["serve", "--model", "gone.gguf"], "gone.gguf"),
        (&["serve", "--model", "broken.gguf", "--cache-limit", "5"], "--cache"),
        (&["serve", "--model", "broken.gguf", "--parallel", "0"], "--parallel"),
        (&["serve", "--model", "broken.gguf", "--log", "grammarc=loud"], "--log"),
        (&["serve", "--model", "broken.gguf", "--api-key", ""], "--api-key"),
        (&["serve", "--model", "broken.gguf", "--api-key", "one", "--api-key", " "], "--api-key"),
        (&["serve", "--model", "broken.gguf", "--prompts", "prompts.json"], "`templates`"),
        (
            &["serve", "--model", "broken.gguf", "--prompts", "field.json"],
            "templates.a.response_type",
        ),
        // The samples are prompts: what is wrong is the model.
        (&["serve", "--model", "broken.gguf", "--prompts", "samples.json"], "--model"),
        (&["serve", "--model", "broken.gguf", "--prompts", "filter.json"], "frob"),
    ];
    for (arguments, message) in cases {
        let run = place.run(arguments).exits(2);
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert!(run.stderr.contains(message), "{message} of {arguments:?} in {}", run.stderr);
    }
    let run = place.run(&["generate", "--model", "broken.gguf", "--schema", "schema.json", "x"]);
    let run = run.exits(1);
    assert!(run.stderr.contains("--schema") && run.stderr.contains("frob"), "{}", run.stderr);
}

#[test]
fn an_output_is_closed_whatever_its_length() {
    let Some(model) = model() else { return };
    let schema = r#"{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": false}"#;
    let place = Place::new().with("schema.json", schema);
    let model = model.to_string_lossy();
    let generate = ["generate", "--model", &model, "--schema", "schema.json"];
    let rest = ["--close", "--max-tokens", "12", "--format", "json", "Tell me of a person."];
    let found = place.run(&[&generate[..], &rest[..]].concat()).exits(0).value();
    assert!(found["value"]["name"].is_string(), "{found}");
    assert_eq!(found["truncated"], false);
    assert!(found["completion_tokens"].as_u64().is_some_and(|tokens| tokens <= 12), "{found}");
    // Fewer tokens than the shortest text takes are refused with their number.
    let rest = ["--close", "--max-tokens", "1", "x"];
    let run = place.run(&[&generate[..], &rest[..]].concat()).exits(2);
    assert!(run.stderr.contains("too few"), "{}", run.stderr);
}

#[test]
fn a_server_tells_its_address_and_answers() {
    let Some(model) = model() else { return };
    let place = Place::new();
    let model = model.to_string_lossy();
    let refused = place.run(&["serve", "--model", &model, "--tool-style", "frob"]).exits(2);
    assert!(refused.stderr.contains("--tool-style"), "{}", refused.stderr);
    let serve = ["serve", "--model", &model, "--listen", "127.0.0.1:0", "--format", "json"];
    let serve = [&serve[..], &["--tool-style", "qwen_3_coder", "--log", "info"]].concat();
    let mut command = place.command(&serve);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut line).expect("it says where it listens");
    let listening: Value = serde_json::from_str(&line).expect("a line is JSON");
    let address = listening["address"].as_str().expect("an address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream
        .write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .expect("sent");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a reply");
    child.kill().expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    assert!(reply.starts_with("HTTP/1.1 200") && reply.contains("{\"status\":\"ok\"}"), "{reply}");
    let log = String::from_utf8(output.stderr).expect("text");
    assert!(log.contains("route=\"/health\"") && log.contains("status=200"), "{log}");
}
