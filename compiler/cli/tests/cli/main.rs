//! The binary from the outside: exit codes, what stands on which stream, and the files it writes. All with a vocabulary
//! of some 270 tokens, so that a run takes milliseconds.

#![expect(clippy::disallowed_methods, reason = "inputs, and artifacts that are to be damaged")]

mod build;
mod cache;
mod check;
mod compile;
mod cost;
mod debug;
mod diff;
mod errors;
mod explain;
mod inspect;
#[cfg(feature = "models")]
mod models;
#[cfg(feature = "outputs")]
mod outputs;
mod portable;
mod report;
mod sample;
mod sources;
mod view;
mod vocab;
mod witness;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// Texts of the tokens after the 256 single bytes.
const WORDS: [&str; 10] =
    ["{\"", "\":", "\",\"", "\"}", "true", "false", " hello", "12", "ab", "\n  "];

/// A folder in which the binary runs, with `tiny.json`, a tokenizer.
struct Place(TempDir);

/// The result of a run of the binary.
#[derive(Debug)]
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    /// Asserts the exit code.
    #[track_caller]
    fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Standard output as JSON, one value a line.
    #[track_caller]
    fn values(&self) -> Vec<Value> {
        values(&self.stdout)
    }

    /// Standard output as one JSON value.
    #[track_caller]
    fn value(&self) -> Value {
        let values = self.values();
        assert_eq!(values.len(), 1, "{values:?}");
        values.into_iter().next().expect("one value")
    }

    /// Standard error as JSON, one value a line.
    #[track_caller]
    fn errors(&self) -> Vec<Value> {
        values(&self.stderr)
    }
}

#[track_caller]
fn values(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder")).with("tiny.json", tokenizer().to_string())
    }

    /// A folder that also has `tiny.gvocab`.
    fn with_vocabulary() -> Self {
        let place = Self::new();
        place.run(&["vocab", "tiny.json", "-o", "tiny.gvocab"]).exits(0);
        place
    }

    /// A folder that also has `NAME.gmask`, compiled from this source.
    fn with_grammar(file: &str, source: &str) -> Self {
        let place = Self::with_vocabulary().with(file, source);
        place.run(&["compile", file, "--vocab", "tiny.gvocab"]).exits(0);
        place
    }

    /// The same from a schema, compiled with these flags.
    fn with_schema(file: &str, schema: &str, flags: &[&str]) -> Self {
        let place = Self::with_vocabulary().with(file, schema);
        let compile = ["compile", file, "--vocab", "tiny.gvocab"];
        place.run(&[&compile[..], flags].concat()).exits(0);
        place
    }

    /// The same with one more file.
    fn with(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.path(name), text).expect("written");
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grammarc"));
        command.args(arguments).current_dir(self.0.path()).env("NO_COLOR", "1");
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, "")
    }

    /// Runs with this text on standard input.
    fn run_with(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A run that does not read its input closes the pipe.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("the binary ends");
        Run {
            code: output.status.code().expect("an exit code"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// A byte-level tokenizer with every byte, some words and an end token.
fn tokenizer() -> Value {
    let mut vocab = Map::new();
    let texts = (0..=255).map(|byte| vec![byte]).chain(WORDS.map(|word| word.as_bytes().to_vec()));
    for (id, bytes) in texts.enumerate() {
        let name: String = bytes.into_iter().map(byte_level).collect();
        vocab.insert(name, json!(id));
    }
    let end = json!({"id": vocab.len(), "content": "<|end|>", "special": true});
    json!({
        "added_tokens": [end],
        "normalizer": null,
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": vocab, "merges": []},
    })
}

/// The character that byte-level tokenizers write for a byte.
fn byte_level(byte: u8) -> char {
    let own = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    if own(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|&byte| !own(byte)).count() as u32;
    char::from_u32(256 + before).expect("a character")
}
