//! The report of `grammarc compile` for people: five lines at most, and all facts with `--verbose`.

use crate::{Place, Run};

const SCHEMA: &str = r#"{
  "title": "Point",
  "type": "object",
  "properties": {"x": {"type": "integer"}, "on": {"type": "boolean"}},
  "required": ["x"],
  "additionalProperties": false
}"#;

/// Beginnings of lines that only `--verbose` has.
const INTERNALS: [&str; 6] =
    ["  network ", "  masks ", "  exits ", "  size ", "  one step ", "  sequence "];

/// Compiles a source for `tiny.gvocab`, with more arguments.
fn compile(place: &Place, arguments: &[&str]) -> Run {
    place.run(&[&["compile", "--vocab", "tiny.gvocab"], arguments].concat()).exits(0)
}

/// Asserts the report. In its first two lines, `#` is any number and `TIME` any time.
#[track_caller]
fn reports(run: &Run, expected: &[&str]) {
    let lines: Vec<String> = run
        .stdout
        .lines()
        .enumerate()
        .map(|(at, line)| if at < 2 { without_numbers(line) } else { line.to_owned() })
        .collect();
    assert_eq!(lines, expected, "{}", run.stderr);
}

fn without_numbers(line: &str) -> String {
    let parts = line.split(|c: char| c.is_ascii_digit());
    let parts: Vec<&str> = parts.filter(|part| !["", ",", "."].contains(part)).collect();
    parts.join("#").replace("# ms", "TIME").replace("# s:", "TIME:")
}

#[test]
fn says_what_was_written_and_what_is_exact() {
    let place = Place::with_vocabulary().with("p.json", SCHEMA);
    let run = compile(&place, &["p.json", "-o", "out.gmask"]);
    assert_eq!(run.stderr, "", "quick work shows no progress");
    let report = [
        "out.gmask: # bytes, for the vocabulary tiny (tiny.gvocab)",
        "Compiled in TIME: # states, # stored masks",
        "Exact: all 6 keywords",
        "Next: grammarc sample out.gmask",
    ];
    reports(&run, &report);
    let all = compile(&place, &["p.json", "-o", "out.gmask", "--verbose"]).stdout;
    assert_eq!(all.lines().nth(3), Some(report[3]));
    for internal in INTERNALS {
        assert!(!run.stdout.contains(internal) && all.contains(internal), "{internal:?} in {all}");
    }
    assert!(
        all.contains("  keywords    6 exact, 1 annotation, 0 narrower, 0 approximate\n"),
        "{all}"
    );
}

#[test]
fn the_next_command_runs() {
    let place = Place::with_vocabulary().with("p.json", SCHEMA);
    std::fs::create_dir(place.path("a b")).expect("a folder");
    let compile = |arguments: &[&str]| compile(&place, &[&["p.json", "-o"], arguments].concat());
    let next = |run: &Run| run.stdout.lines().last().map(str::to_owned);

    let run = compile(&["p.gmask"]);
    assert_eq!(next(&run).as_deref(), Some("Next: grammarc sample p.gmask"));
    place.run(&["sample", "p.gmask"]).exits(0);

    let run = compile(&["a b/p.gmask"]);
    let command = "Next: grammarc sample \"a b/p.gmask\" --vocab tiny.gvocab";
    assert_eq!(next(&run).as_deref(), Some(command));
    place.run(&["sample", "a b/p.gmask"]).exits(2);
    place.run(&["sample", "a b/p.gmask", "--vocab", "tiny.gvocab"]).exits(0);

    let run = compile(&["a b/p.gmask", "--standalone"]);
    assert_eq!(next(&run).as_deref(), Some("Next: grammarc sample \"a b/p.gmask\""));
    place.run(&["sample", "a b/p.gmask"]).exits(0);
    let first = run.stdout.lines().next().map(without_numbers);
    let expected = "a b/p.gmask: # KB, with the vocabulary tiny (tiny.gvocab) embedded";
    assert_eq!(first.as_deref(), Some(expected));
}

#[test]
fn names_the_first_keywords_that_are_not_exact() {
    let unique = r#"{"uniqueItems": true, "maxItems": 20}"#;
    let host = r#"{"type": "string", "format": "hostname"}"#;
    let schema = format!(
        r#"{{"properties": {{"a": {unique}, "b": {unique}, "c": {unique}, "d": {host}}}}}"#
    );
    let place = Place::with_vocabulary().with("p.json", schema);
    let run = compile(&place, &["p.json"]);
    let exact = run.stdout.lines().nth(2).unwrap_or_default();
    let parts: Vec<&str> = exact.split("; ").collect();
    assert_eq!(parts[0], "Exact: 5 of 9 keywords");
    assert_eq!(
        parts[1],
        "3 looser (approximate): /properties/a/uniqueItems, /properties/b/uniqueItems \
         (items that are equal and written differently may repeat) and 1 more (--verbose)"
    );
    assert!(parts[2].starts_with("1 stricter (narrower): /properties/d/format ("), "{exact}");
    assert!(!run.stdout.contains("/properties/c/"), "{}", run.stdout);
    let all = compile(&place, &["p.json", "--verbose"]).stdout;
    for name in ["a", "b", "c"] {
        let line = format!("    approximate /properties/{name}/uniqueItems: items that are equal ");
        assert!(all.contains(&line), "{line:?} in {all}");
    }
}

#[test]
fn says_what_is_looked_up_at_run_time() {
    let names: Vec<String> = (0..2000).map(|number| format!("\"the name {number}\"")).collect();
    let place = Place::with_vocabulary()
        .with("d.json", r#"{"type": "array", "uniqueItems": true, "items": {"type": "integer"}}"#)
        .with("e.json", format!(r#"{{"enum": [{}]}}"#, names.join(", ")));
    for (file, exact) in [
        (
            "d.json",
            "all 4 keywords; looked up at run time: items or keys that must differ (the text so far \
             decides)",
        ),
        (
            "e.json",
            "the only keyword; looked up at run time: 2,000 texts of large sets (for a small file)",
        ),
    ] {
        let run = compile(&place, &[file]);
        assert_eq!(run.stdout.lines().nth(2), Some(&*format!("Exact: {exact}")));
    }
}

#[test]
fn a_source_without_keywords_is_exact_but_for_its_warnings() {
    let place = Place::with_vocabulary()
        .with("a.gbnf", "root ::= [a-z]+ \" hello\" [0-9]\n")
        .with("w.gbnf", "root ::= \"a\"\nc ::= \"b\"\nd ::= \"b\"\n");
    let lines = |name: &str| {
        let first = format!("{name}.gmask: # bytes, for the vocabulary tiny (tiny.gvocab)");
        [first, format!("Next: grammarc sample {name}.gmask")]
    };
    let [first, last] = lines("a");
    let compiled = "Compiled in TIME: # states, # stored masks";
    let run = compile(&place, &["a.gbnf"]);
    reports(&run, &[&first, compiled, "Exact: the whole source", &last]);
    let [first, last] = lines("w");
    let run = compile(&place, &["w.gbnf", "--cache", "kept"]);
    let mind = "Mind: 2 warnings, the first: the rule `c` is never used";
    let exact = "Exact: the whole source, but for the warnings";
    reports(&run, &[&first, compiled, exact, mind, &last]);
    assert!(run.stderr.contains("gbnf::unused-rule"), "findings are shown as ever: {}", run.stderr);
    let run = compile(&place, &["w.gbnf", "--cache", "kept"]);
    let kept = "From the cache in TIME: # states, # stored masks";
    reports(
        &run,
        &[&first, kept, "Exact: the whole source, but for the warnings of its first compilation"],
    );
}

#[test]
fn minds_growing_steps_and_large_files() {
    let keys: Vec<String> =
        (0..1500).map(|key| format!(r#""the key number {key}": true"#)).collect();
    let schema = format!(r#"{{"type": "object", "properties": {{{}}}}}"#, keys.join(","));
    let place = Place::with_vocabulary()
        .with("k.json", schema)
        .with("g.gbnf", "root ::= s\ns ::= s s s | s s | \"a\"\n");
    let mind = |arguments: &[&str]| {
        let stdout = compile(&place, arguments).stdout;
        let line = stdout.lines().find(|line| line.starts_with("Mind: "));
        line.unwrap_or_default().to_owned()
    };
    let found = mind(&["g.gbnf"]);
    let parts = [
        "Mind: a step takes longer the deeper the text nests (rule s)",
        "a step may take longer the longer an ambiguous text is (rule s)",
    ];
    assert_eq!(found, parts.join("; "));
    for (more, advice) in [
        (&[][..], "--verbose shows its sections"),
        (&["--verbose"], "its sections are below"),
        (&["--whitespace", "flexible"], "--whitespace compact makes it smaller"),
    ] {
        let found = mind(&[&["k.json"], more].concat());
        assert!(found.contains(" MB is large: ") && found.ends_with(advice), "{found}");
    }
}
