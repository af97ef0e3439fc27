//! Compiled grammars in a folder: one server after another takes them from there, as many as fit, and none that is damaged.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use grammarc_artifacts::write;
use grammarc_compiler::cache::CacheOptions;
use grammarc_generate::engine::EngineOptions;
use grammarc_server::ServerOptions;
use serde_json::{Value, json};

use crate::client::{Server, chat};
use crate::model;

/// A server that has just been started, over a folder that may have so many bytes.
fn server(folder: &Path, bytes: u64) -> Server {
    let cache = CacheOptions::new().folder(folder).folder_bytes(bytes);
    let engine = EngineOptions { parallel: 2, ..EngineOptions::default() };
    let backend = model::backend_with(model::keeping(cache), engine, Duration::ZERO);
    Server::of(backend, ServerOptions::default())
}

/// The content of the reply to a request for a schema with this key.
async fn ask(server: &Server, key: &str) -> Value {
    let properties = json!({key: {"enum": ["x", "y"]}});
    let schema = json!({"type": "object", "properties": properties, "required": [key], "additionalProperties": false});
    let body = chat(&format!(r#"{{"{key}":"y"}}"#), json!({"format": schema}));
    let reply = server.post("/v1/chat/completions", &body).await.json();
    reply["choices"][0]["message"]["content"].clone()
}

async fn counters(server: &Server) -> [f64; 3] {
    let mut found = [0.0; 3];
    let names =
        ["grammar_compilations_total", "grammar_files_hits_total", "grammar_files_deleted_total"];
    for (found, name) in found.iter_mut().zip(names) {
        *found = server.counter(name).await;
    }
    found
}

/// The files of grammars in the folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("it is there").flatten().map(|entry| entry.path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|kind| kind == "gmask")).collect();
    files.sort();
    files
}

fn bytes(folder: &Path) -> u64 {
    let length = |path: &PathBuf| fs::metadata(path).expect("it is there").len();
    files(folder).iter().map(length).sum()
}

#[tokio::test]
async fn the_next_server_compiles_nothing_again() {
    let place = tempfile::tempdir().expect("a folder");
    let first = server(place.path(), u64::MAX);
    assert_eq!(ask(&first, "a").await, r#"{"a":"y"}"#);
    assert_eq!(ask(&first, "a").await, r#"{"a":"y"}"#);
    assert_eq!(counters(&first).await, [1.0, 0.0, 0.0]);
    let second = server(place.path(), u64::MAX);
    assert_eq!(ask(&second, "a").await, r#"{"a":"y"}"#);
    assert_eq!(counters(&second).await, [0.0, 1.0, 0.0]);
}

#[tokio::test]
async fn a_file_with_a_damaged_byte_is_refused_and_written_anew() {
    let place = tempfile::tempdir().expect("a folder");
    assert_eq!(ask(&server(place.path(), u64::MAX), "a").await, r#"{"a":"y"}"#);
    let [file] = &files(place.path())[..] else { panic!("one grammar is one file") };
    let whole = fs::read(file).expect("it is there");
    // Any byte, of head, tables and end; and a file that was cut.
    let damages = (0..whole.len()).step_by(whole.len() / 16).map(|at| {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        damaged
    });
    for damaged in damages.chain([whole[..whole.len() / 2].to_vec(), Vec::new()]) {
        write::replace(file, &damaged).expect("it is ours");
        let server = server(place.path(), u64::MAX);
        assert_eq!(ask(&server, "a").await, r#"{"a":"y"}"#);
        assert_eq!(counters(&server).await, [1.0, 0.0, 0.0]);
        assert_eq!(fs::read(file).expect("it is there"), whole);
    }
}

#[tokio::test]
async fn swapped_files_serve_no_other_schema() {
    let place = tempfile::tempdir().expect("a folder");
    let first = server(place.path(), u64::MAX);
    assert_eq!(ask(&first, "a").await, r#"{"a":"y"}"#);
    assert_eq!(ask(&first, "b").await, r#"{"b":"y"}"#);
    let [one, other] = &files(place.path())[..] else { panic!("two grammars are two files") };
    let (held, swapped) =
        (fs::read(one).expect("it is there"), fs::read(other).expect("it is there"));
    write::replace(one, &swapped).expect("it is ours");
    write::replace(other, &held).expect("it is ours");
    let second = server(place.path(), u64::MAX);
    assert_eq!(ask(&second, "a").await, r#"{"a":"y"}"#);
    assert_eq!(ask(&second, "b").await, r#"{"b":"y"}"#);
    assert_eq!(counters(&second).await[..2], [2.0, 0.0]);
    assert_eq!(fs::read(one).expect("it is there"), held, "they are written anew");
}

#[tokio::test]
async fn what_was_not_used_the_longest_makes_room() {
    let place = tempfile::tempdir().expect("a folder");
    ask(&server(place.path(), u64::MAX), "a").await;
    let length = bytes(place.path());
    let limit = length * 8;
    let one = server(place.path(), limit);
    let used = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut known = Vec::new();
    for (hours, key) in (1..).zip(used) {
        ask(&one, key).await;
        let new = files(place.path()).into_iter().find(|file| !known.contains(file));
        let new = new.expect("each has a file");
        // The grammar of `a` was used an hour ago, that of `h` eight hours ago.
        let time = SystemTime::now() - Duration::from_secs(hours * 3600);
        File::options()
            .write(true)
            .open(&new)
            .and_then(|file| file.set_modified(time))
            .expect("it is ours");
        known.push(new);
    }
    let before = files(place.path()).len();
    ask(&one, "i").await;
    let [_, _, deleted] = counters(&one).await;
    assert!(deleted >= 1.0 && bytes(place.path()) <= limit, "{deleted} of {before}");
    let left = files(place.path());
    let gone: Vec<_> = known.iter().map(|file| !left.contains(file)).collect();
    assert!(gone.is_sorted() && gone[7] && !gone[0], "the oldest go first: {gone:?}");
    // Grammars that went are compiled again, those that stayed are not.
    let next = server(place.path(), limit);
    assert_eq!(ask(&next, "a").await, r#"{"a":"y"}"#);
    assert_eq!(ask(&next, "h").await, r#"{"h":"y"}"#);
    assert_eq!(counters(&next).await[..2], [1.0, 1.0]);
}

#[tokio::test]
async fn a_folder_that_takes_nothing_harms_no_request() {
    let place = tempfile::tempdir().expect("a folder");
    let server = server(place.path(), 16);
    assert_eq!(ask(&server, "a").await, r#"{"a":"y"}"#);
    assert_eq!(files(place.path()), Vec::<PathBuf>::new());
    assert_eq!(server.counter("grammar_files_failed_total").await, 1.0);
}
