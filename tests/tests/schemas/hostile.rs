//! Schemas made to hurt: each is compiled or refused with a code, within bounds on time and memory.
//!
//! Each runs in a process of its own, this test binary again with the name of the schema in [`CHOSEN`]: so a stack
//! overflow or an abort is a failure of that schema alone, and the peak of memory is its own.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use grammarc_benches::inputs::sized;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder};
use grammarc_tests::processor_time;
use grammarc_tests::schemas::{Refusal, compile, compiler};
use serde_json::{Map, Value, json};

/// The variable with the name of the schema to compile.
const CHOSEN: &str = "GRAMMARC_HOSTILE";
/// Most memory, in KiB.
const MOST_MEMORY: u64 = 2 << 20;
/// Most processor time; a build with debug assertions may take more.
const MOST_TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 10 });

/// The sources that take a second or more, left out unless `GRAMMARC_FULL=1`.
const HEAVY: [&str; 14] = [
    "oneOf of oneOf, 20 deep",
    "enum of 1,000 objects",
    "oneOf of 10,000 constants",
    "a pattern of optional parts",
    "twelve patterns at once",
    "a chain of 10,000 allOf",
    "a chain of 10,000 items",
    "a chain of 10,000 properties",
    "100,000 properties",
    "100,000 required keys",
    "2,000 patterns of keys",
    "300 dependent keys in a ring",
    "30 contains at once",
    "the largest counts",
];

type Make = fn() -> String;

/// All schemas by name.
const SCHEMAS: [(&str, Make); 40] = [
    ("allOf of 20 anyOf over different keys", || all_of_any(20, false)),
    ("allOf of 20 anyOf that overlap", || all_of_any(20, true)),
    ("allOf of anyOf, 20 deep", || nested(20)),
    ("oneOf of oneOf, 20 deep", || halves(20, "oneOf")),
    ("not of anyOf, 20 deep", || halves(20, "not")),
    ("enum of 100,000 strings", || json!({"enum": words(100_000)}).to_string()),
    ("enum of 100,000 numbers", || {
        json!({"enum": (0..100_000).map(|n| n * 37).collect::<Vec<_>>()}).to_string()
    }),
    ("enum of 1,000 objects", || {
        let values = (0..1_000).map(|n| json!({"id": n, "name": format!("n{n}"), "tags": [n % 7]}));
        json!({"enum": values.collect::<Vec<_>>()}).to_string()
    }),
    ("not an enum of 100,000", || {
        json!({"type": "string", "not": {"enum": words(100_000)}}).to_string()
    }),
    ("oneOf of 10,000 constants", || {
        let branches = (0..10_000).map(|n| json!({"const": format!("c{n}")}));
        json!({"oneOf": branches.collect::<Vec<_>>()}).to_string()
    }),
    ("a pattern whose automaton doubles", || pattern(&["a.{24}b"])),
    ("a pattern that backtracks", || pattern(&["^(x+x+)+y$", "^((a|aa)+)+$", "^(.*)*(.*)*(.*)*$"])),
    ("lookaheads that multiply", || pattern(&["^(?=.*a.{14}b)(?=.*c.{14}d)(?!.*e.{14}f).*$"])),
    ("a pattern of nested counts", || pattern(&["^(((a{100}){100}){100}){100}$"])),
    ("a pattern of optional parts", || pattern(&["^(a?){5000}a{5000}$"])),
    ("a pattern of large classes", || pattern(&["^(\\p{L}{1,300}\\p{N}{1,300}){1,300}$"])),
    ("twelve patterns at once", || {
        let patterns: Vec<_> = (1..13).map(|n| format!("a.{{{n}}}b.*c.{{{n}}}d")).collect();
        pattern(&patterns.iter().map(String::as_str).collect::<Vec<_>>())
    }),
    ("a paradox", || json!({"not": {"$ref": "#"}}).to_string()),
    ("a paradox further away", || {
        json!({"$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}).to_string()
    }),
    ("not of itself below", || {
        json!({"type": "object", "properties": {"a": {"not": {"$ref": "#"}}}, "required": ["a"]})
            .to_string()
    }),
    ("10,000 levels of items", || levels("{\"items\":", "true", "}")),
    ("10,000 levels of anyOf", || levels("{\"anyOf\":[", "true", "]}")),
    ("10,000 levels of a constant", || format!("{{\"const\":{}}}", levels("[", "1", "]"))),
    ("a chain of 10,000 references", || chain(|next| json!({"$ref": next}))),
    ("a chain of 10,000 allOf", || {
        chain(|next| json!({"allOf": [{"$ref": next}, {"minLength": 1}]}))
    }),
    ("a chain of 10,000 not", || chain(|next| json!({"not": {"$ref": next}}))),
    ("a chain of 10,000 items", || {
        chain(|next| json!({"type": "array", "items": {"$ref": next}, "minItems": 1}))
    }),
    ("a chain of 10,000 properties", || {
        chain(
            |next| json!({"type": "object", "properties": {"a": {"$ref": next}}, "required": ["a"]}),
        )
    }),
    ("a chain of 10,000 if", || {
        chain(
            |next| json!({"if": {"$ref": next}, "then": {"minLength": 2}, "else": {"maxLength": 1}}),
        )
    }),
    ("100,000 properties", || {
        let properties: Map<String, Value> =
            words(100_000).into_iter().map(|word| (word, json!({"type": "integer"}))).collect();
        json!({"type": "object", "properties": properties, "additionalProperties": false})
            .to_string()
    }),
    ("100,000 required keys", || json!({"type": "object", "required": words(100_000)}).to_string()),
    ("2,000 patterns of keys", || {
        let patterns: Map<String, Value> =
            (0..2_000).map(|n| (format!("{n}"), json!({"minimum": n}))).collect();
        json!({"type": "object", "patternProperties": patterns}).to_string()
    }),
    ("300 dependent keys in a ring", || {
        let rules: Map<String, Value> = (0..300)
            .map(|n| (format!("k{n}"), json!([format!("k{}", (n * 7 + 1) % 300)])))
            .collect();
        json!({"type": "object", "dependentRequired": rules}).to_string()
    }),
    ("30 contains at once", || {
        let all: Vec<_> =
            (2..32).map(|n| json!({"contains": {"multipleOf": n}, "maxContains": n})).collect();
        json!({"type": "array", "allOf": all}).to_string()
    }),
    ("unique items of 5,000 values", || {
        json!({"type": "array", "items": {"enum": words(5_000)}, "uniqueItems": true}).to_string()
    }),
    ("numbers of many digits", || {
        format!(
            r#"{{"type":"number","minimum":-{0},"maximum":{0}.{0},"not":{{"const":{0}}}}}"#,
            "9".repeat(20_000)
        )
    }),
    ("numbers with large exponents", || {
        r#"{"type":"number","minimum":1e-999999999,"maximum":1e999999999}"#.to_owned()
    }),
    ("a multiple of a large number", || {
        r#"{"type":"number","multipleOf":0.000000123456789123}"#.to_owned()
    }),
    ("the largest counts", || {
        r#"{"minLength":4294967295,"minItems":4294967295,"minProperties":4294967295,"contains":{"minLength":4294967290},"minContains":4294967294}"#.to_owned()
    }),
    ("40 unevaluated branches", || {
        let branches: Vec<_> = (0..40)
            .map(|n| json!({"properties": {format!("p{n}"): {"type": "integer"}}}))
            .collect();
        json!({"anyOf": branches, "unevaluatedProperties": false}).to_string()
    }),
];

fn words(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("word{}", number * 7919 % 1_000_003)).collect()
}

fn all_of_any(count: usize, overlap: bool) -> String {
    let part = |at: usize| {
        let key =
            |side| if overlap { format!("k{}", (at + side) % 7) } else { format!("k{at}{side}") };
        json!({"anyOf": [
            {"required": [key(0)], "properties": {key(0): {"minimum": at}}},
            {"required": [key(1)], "properties": {key(1): {"maximum": at}}}
        ]})
    };
    json!({"type": "object", "allOf": (0..count).map(part).collect::<Vec<_>>()}).to_string()
}

/// Each level holds twice what the level below it holds.
fn nested(depth: usize) -> String {
    let definition = |at: usize| {
        let below = json!({"$ref": format!("#/$defs/d{}", at.saturating_sub(1))});
        let key = format!("k{at}");
        match at {
            0 => json!({"required": ["k0"]}),
            _ => json!({"allOf": [
                {"anyOf": [below, {"required": [key]}]},
                {"anyOf": [{"properties": {key.as_str(): {"type": "integer"}}}, below]}
            ]}),
        }
    };
    let definitions: Map<String, Value> =
        (0..=depth).map(|at| (format!("d{at}"), definition(at))).collect();
    json!({"type": "object", "$ref": format!("#/$defs/d{depth}"), "$defs": definitions}).to_string()
}

fn halves(depth: usize, keyword: &str) -> String {
    let definition = |at: usize| {
        let below = json!({"$ref": format!("#/$defs/d{}", at.saturating_sub(1))});
        let key = format!("k{at}");
        let branches = json!([below, {"properties": {key.as_str(): below}, "required": [key]}]);
        match (at, keyword) {
            (0, _) => json!({"required": ["k0"], "maxProperties": 3}),
            (_, "not") => json!({"not": {"anyOf": branches}}),
            _ => json!({ keyword: branches }),
        }
    };
    let definitions: Map<String, Value> =
        (0..=depth).map(|at| (format!("d{at}"), definition(at))).collect();
    json!({"type": "object", "$ref": format!("#/$defs/d{depth}"), "$defs": definitions}).to_string()
}

fn pattern(patterns: &[&str]) -> String {
    let all: Vec<_> = patterns.iter().map(|pattern| json!({"pattern": pattern})).collect();
    json!({"type": "string", "allOf": all}).to_string()
}

fn levels(open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}", open.repeat(10_000), close.repeat(10_000))
}

fn chain(link: fn(Value) -> Value) -> String {
    let mut text = String::from(r##"{"$ref":"#/$defs/d0","$defs":{"##);
    for at in 0..10_000 {
        let next = json!(format!("#/$defs/d{}", at + 1));
        write!(text, "\"d{at}\":{},", link(next)).expect("a string takes text");
    }
    text.push_str(r#""d10000":{"type":["string","array","object"],"maxLength":5}}}"#);
    text
}

/// The peak of this process's memory, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Bytes of the stack that a schema is compiled on: hosts call from threads with small ones.
const STACK: usize = 512 << 10;

/// Compiles the chosen schema on a small stack and prints what became of it.
#[test]
fn one() {
    let Ok(chosen) = std::env::var(CHOSEN) else { return };
    let small = thread::Builder::new().stack_size(STACK).spawn(move || compile_one(&chosen));
    small.expect("a thread is started").join().expect("it keeps to its bounds");
}

fn compile_one(chosen: &str) {
    let (_, make) = SCHEMAS.iter().find(|(name, _)| *name == chosen).expect("it is in the list");
    let text = make();
    compiler();
    for key_order in [KeyOrder::Schema, KeyOrder::Any] {
        let started = processor_time::of_process();
        let options = JsonSchemaOptions { key_order, ..JsonSchemaOptions::default() };
        let compiled = compile(&text, &options);
        let time = processor_time::of_process().saturating_sub(started);
        let outcome = match &compiled {
            Ok(compiled) => format!("{} states, {} bytes", compiled.states, compiled.size),
            Err(refusal) => {
                if let Refusal::Schema(diagnostic) = refusal {
                    let placed = !diagnostic.labels.is_empty();
                    assert!(placed && !diagnostic.message.is_empty(), "{diagnostic:?}");
                }
                refusal.code().to_owned()
            }
        };
        eprintln!(
            "{chosen}, {key_order:?}, {} bytes: {outcome}, {time:.1?}, peak {} MiB",
            text.len(),
            peak() >> 10
        );
        assert!(time <= MOST_TIME, "{chosen}: {time:?}");
    }
    assert!(peak() <= MOST_MEMORY, "{chosen}: {} KiB", peak());
}

/// Runs this binary on one schema: what it says, and whether it ended well and in time.
fn run(program: &Path, name: &str) -> (String, bool) {
    let mut child = Command::new(program)
        .args(["--exact", "hostile::one", "--nocapture", "--test-threads", "1"])
        .env(CHOSEN, name)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is a child of this process") {
            break Some(status);
        }
        if started.elapsed() > MOST_TIME * 3 {
            child.kill().expect("it is a child of this process");
            break None;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let output = child.wait_with_output().expect("its output is read to the end");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (said, status.is_some_and(|status| status.success()))
}

#[test]
fn every_hostile_schema_is_answered() {
    let program = std::env::current_exe().expect("the path of this test");
    let mut names: Vec<&str> = SCHEMAS.iter().map(|(name, _)| *name).collect();
    assert!(HEAVY.iter().all(|heavy| names.contains(heavy)));
    if sized(0, 1) == 0 {
        eprintln!("SKIPPED: {} of {} schemas; set GRAMMARC_FULL=1", HEAVY.len(), names.len());
        names.retain(|name| !HEAVY.contains(name));
    }
    let names = Mutex::new(names.into_iter());
    let next = || names.lock().ok()?.next();
    let work = || std::iter::from_fn(next).map(|name| (name, run(&program, name))).collect();
    let runs: Vec<(&str, (String, bool))> = thread::scope(|scope| {
        let second = scope.spawn(work);
        let first: Vec<_> = work();
        first.into_iter().chain(second.join().expect("it does not panic")).collect()
    });
    let mut failed = Vec::new();
    for (name, (said, well)) in runs {
        for line in said.lines().filter(|line| line.starts_with(name)) {
            eprintln!("{line}");
        }
        if !well {
            failed.push(format!("{name}: {said:.600}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
