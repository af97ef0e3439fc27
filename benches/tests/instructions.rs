//! Instructions of a mask, a fill, an accept and a compilation, held against `instructions.json`.
//!
//! Times depend on the machine and its load, instructions hardly do. callgrind counts them while the binary `steady`
//! does its work, one function at a time; the test fails where one takes more than the file says and [`TOLERANCE`]
//! allows. The counts in the file, of tokens and of what their masks allow, have to be met exactly: a wrong engine has
//! nothing to compare. Counts depend on the compiler and on its optimisation, so the file says which it was and has both profiles;
//! with another compiler, or without valgrind, the test says so and does nothing. `GRAMMARC_BLESS=1` writes the file. They are
//! the counts of a build that keeps no objects for the next one, as `.ci/run` makes it (`CARGO_INCREMENTAL=0`): a build that
//! keeps them inlines otherwise and counts up to a tenth less.

#![expect(clippy::print_stderr, reason = "a test says aloud what it counted, or why it did not")]

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use grammarc_artifacts::write;
use grammarc_benches::machine;
use serde_json::{Value, json};

/// How much more than the file says a count may be.
const TOLERANCE: f64 = 0.03;

/// The functions whose instructions are counted, and the work that each is a part of: `steps` for each token.
const COUNTED: [(&str, &str); 4] =
    [("mask", "steps"), ("fill", "steps"), ("accept", "steps"), ("compile", "compile")];

/// States of the schema that is compiled.
const STATES: Range<u64> = 900..1_400;

const PROFILE: &str = if cfg!(debug_assertions) { "dev" } else { "release" };

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.json")
}

/// The output of the binary.
fn steady(what: &str, folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_steady")).arg(what).arg(folder).output();
    let output = output.expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Instructions within a function of the binary.
fn count(function: &str, work: &str, folder: &Path) -> f64 {
    let out = folder.join(format!("{function}.callgrind"));
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--toggle-collect=steady::measured::{function}"))
        .arg(format!("--callgrind-out-file={}", out.display()))
        .args([env!("CARGO_BIN_EXE_steady"), work])
        .arg(folder)
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .expect("valgrind starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&out).expect("callgrind wrote its file");
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    total.and_then(|total| total.trim().parse().ok()).expect("the file ends with totals")
}

#[test]
fn no_call_takes_more_instructions_than_before() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("skipped: valgrind is not installed");
        return;
    }
    let text = std::fs::read_to_string(file()).unwrap_or_else(|_| "{}".to_owned());
    let mut baseline: Value = serde_json::from_str(&text).expect("the file is JSON");
    let compiler = machine::compiler();
    let bless = std::env::var_os("GRAMMARC_BLESS").is_some();
    if baseline["compiler"] != compiler.as_str() && !bless {
        eprintln!(
            "skipped: the counts are those of {}, and this is {compiler}",
            baseline["compiler"]
        );
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut counts: Value = serde_json::from_str(&steady("prepare", folder.path())).expect("JSON");
    let states = counts.as_object_mut().and_then(|counts| counts.shift_remove("states"));
    let states = states.and_then(|states| states.as_u64()).expect("a number");
    assert!(STATES.contains(&states), "{states} states are another work than was counted");
    let tokens = counts["tokens"].as_f64().expect("a number");
    let found = std::thread::scope(|scope| {
        let threads = COUNTED.map(|(name, work)| scope.spawn(|| count(name, work, folder.path())));
        threads.map(|thread| thread.join().expect("it counts"))
    });
    let mut figures = serde_json::Map::new();
    for ((name, work), found) in COUNTED.into_iter().zip(found) {
        let figure = if work == "steps" { found / tokens } else { found };
        assert!(figure > 1.0, "{name} was not seen");
        figures.insert(name.to_owned(), json!((figure * 10.0).round() / 10.0));
    }
    if bless {
        if baseline["compiler"] != compiler.as_str() {
            baseline = json!({ "compiler": compiler });
        }
        baseline["counts"] = counts;
        baseline[PROFILE] = figures.into();
        let text = serde_json::to_string_pretty(&baseline).expect("JSON") + "\n";
        write::replace(&file(), text.as_bytes()).expect("it can be written");
        return;
    }
    assert_eq!(
        counts, baseline["counts"],
        "the masks are not those that were counted; GRAMMARC_BLESS=1 takes them"
    );
    let mut worse = Vec::new();
    for (name, figure) in &figures {
        let (now, before) = (figure.as_f64(), baseline[PROFILE][name].as_f64());
        let (Some(now), Some(before)) = (now, before) else {
            eprintln!("{name}: {figure} instructions, and the file has none for {PROFILE}");
            continue;
        };
        let line = format!("{name}: {now} instructions, {before} before");
        eprintln!("{line}");
        if now > before * (1.0 + TOLERANCE) {
            worse.push(line);
        }
    }
    assert!(
        worse.is_empty(),
        "more than {TOLERANCE} worse; GRAMMARC_BLESS=1 takes it:\n{worse:#?}"
    );
}
