//! `grammarc compile --cache`.

use std::path::PathBuf;

use serde_json::Value;

use crate::Place;

const SCHEMA: &str = r#"{"type": "object", "properties": {"x": {"type": "integer"}}}"#;
const ARGUMENTS: [&str; 9] =
    ["compile", "p.json", "--vocab", "tiny.gvocab", "--cache", "kept", "--format", "json", "-o"];

fn compile(place: &Place, output: &str) -> Value {
    place.run(&[&ARGUMENTS[..], &[output]].concat()).exits(0).value()
}

fn entries(place: &Place) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place.path("kept")).expect("the folder was made");
    let entries = entries.map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "gmask")).collect()
}

#[test]
fn the_second_time_it_is_a_copy() {
    let place = Place::with_vocabulary().with("p.json", SCHEMA);
    assert_eq!(compile(&place, "a.gmask")["cached"], false);
    assert_eq!(compile(&place, "b.gmask")["cached"], true);
    assert_eq!(place.read("a.gmask"), place.read("b.gmask"));
    let run = place.run(&["compile", "p.json", "--vocab", "tiny.gvocab", "--cache", "kept"]);
    assert!(run.exits(0).stdout.contains("\nFrom the cache in "));
    assert_eq!(entries(&place).len(), 1);

    // Another option or another text is another entry.
    let spaced = [&ARGUMENTS[..], &["c.gmask", "--whitespace", "spaced"]].concat();
    assert_eq!(place.run(&spaced).exits(0).value()["cached"], false);
    let place = place.with("p.json", format!("{SCHEMA}\n"));
    assert_eq!(compile(&place, "d.gmask")["cached"], false);
    assert_eq!(entries(&place).len(), 3);
}

#[test]
fn what_is_damaged_is_made_anew() {
    let place = Place::with_vocabulary().with("p.json", SCHEMA);
    compile(&place, "a.gmask");
    let entry = entries(&place).remove(0);
    let mut bytes = std::fs::read(&entry).expect("the entry");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&entry, bytes).expect("written");
    assert_eq!(compile(&place, "b.gmask")["cached"], false);
    assert_eq!(place.read("a.gmask"), place.read("b.gmask"));
    assert_eq!(compile(&place, "c.gmask")["cached"], true);
}

#[test]
fn what_is_refused_is_not_kept() {
    let place = Place::with_vocabulary().with("p.json", r#"{"uniqueItems": true, "maxItems": 20}"#);
    let denied = [&ARGUMENTS[..], &["a.gmask", "--deny", "approximate"]].concat();
    for _ in 0..2 {
        assert_eq!(place.run(&denied).exits(1).errors()[0]["code"], "compile::approximate");
    }
    assert_eq!(entries(&place), Vec::<PathBuf>::new());
    assert_eq!(compile(&place, "a.gmask")["cached"], false);
    place.run(&denied).exits(1);
}

#[test]
fn processes_beside_each_other_agree() {
    let place = Place::with_vocabulary().with("p.json", SCHEMA);
    let runs = (0..8).map(|number| {
        let name = format!("{number}.gmask");
        let mut command = place.command(&[&ARGUMENTS[..], &[&name]].concat());
        (name, command.stdout(std::process::Stdio::null()).spawn().expect("the binary starts"))
    });
    let runs: Vec<_> = runs.collect();
    let written = runs.into_iter().map(|(name, mut run)| {
        assert!(run.wait().expect("it ends").success());
        place.read(&name)
    });
    let mut written: Vec<Vec<u8>> = written.collect();
    written.dedup();
    assert_eq!(written.len(), 1);
    assert_eq!(entries(&place).len(), 1);
}

#[test]
fn processes_beside_each_other_keep_the_folder_small() {
    let place = Place::with_vocabulary();
    // Each artifact is more than a sixteenth of the folder's limit, so that each process sweeps.
    let compile = |number: usize| {
        let keys = (0..400).map(|key| format!(r#""k{number}_{key}": {{"type": "integer"}}"#));
        let keys = keys.collect::<Vec<_>>().join(",");
        let (source, output) = (format!("{number}.json"), format!("{number}.gmask"));
        let schema = format!(r#"{{"type": "object", "properties": {{{keys}}}}}"#);
        std::fs::write(place.path(&source), schema).expect("written");
        let arguments = ["compile", &source, "--vocab", "tiny.gvocab", "--cache", "kept"];
        let more = ["--cache-limit", "1", "-o", &output];
        let mut command = place.command(&[&arguments[..], &more].concat());
        command.stdout(std::process::Stdio::null()).spawn().expect("the binary starts")
    };
    let mut bytes = Vec::new();
    for round in 0..6 {
        let runs: Vec<_> = (0..2).map(|run| compile(2 * round + run)).collect();
        for mut run in runs {
            assert!(run.wait().expect("it ends").success());
        }
        let length = |path: &PathBuf| std::fs::metadata(path).map_or(0, |file| file.len());
        bytes.push(entries(&place).iter().map(length).sum::<u64>());
    }
    let written: u64 = (0..12).map(|n| place.read(&format!("{n}.gmask")).len() as u64).sum();
    assert!(written > 2 << 20, "the folder would be too large: {written}");
    assert!(written / 12 > 1 << 16, "{written}");
    assert!(bytes.iter().all(|&bytes| bytes <= (1 << 20) + written / 6), "{bytes:?}");
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let place = Place::with_vocabulary().with("p.json", SCHEMA).with("kept", "a file");
    let run = place.run(&[&ARGUMENTS[..], &["a.gmask"]].concat()).exits(2);
    assert_eq!(run.errors()[0]["code"], "cli::artifact");
}
