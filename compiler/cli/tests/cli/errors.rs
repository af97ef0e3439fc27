//! How refused sources, failures and bad usage show.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::Place;

#[test]
fn a_source_error_shows_its_place() {
    let place = Place::with_vocabulary().with("e.gbnf", "# comment\nroot ::= \"a\" bb\n");
    let run = place.run(&["compile", "e.gbnf", "--vocab", "tiny.gvocab"]).exits(1);
    assert_eq!(run.stdout, "");
    for part in
        ["gbnf::unknown-rule", "[e.gbnf:2:14]", "root ::= \"a\" bb", "called here", "help: "]
    {
        assert!(run.stderr.contains(part), "{part:?} in {}", run.stderr);
    }

    let errors = place.run(&["compile", "e.gbnf", "--vocab", "tiny.gvocab", "--format", "json"]);
    let errors = errors.exits(1).errors();
    assert_eq!(errors.len(), 1);
    let error = &errors[0];
    assert_eq!(error["code"], "gbnf::unknown-rule");
    assert_eq!(error["severity"], "error");
    assert_eq!(error["file"], "e.gbnf");
    assert_eq!((&error["line"], &error["column"]), (&2.into(), &14.into()));
    assert_eq!(error["span"], serde_json::json!([23, 25]));
    assert!(error["help"].is_string());
}

#[test]
fn a_schema_error_shows_its_pointer() {
    let schema = "{\n  \"properties\": {\"a\": {\"minimum\": \"x\"}}\n}\n";
    let place = Place::with_vocabulary().with("e.json", schema);
    let run = place.run(&["compile", "e.json", "--vocab", "tiny.gvocab"]).exits(1);
    assert!(run.stderr.contains("(at /properties/a/minimum)"), "{}", run.stderr);
    assert!(run.stderr.contains("[e.json:2:"), "{}", run.stderr);
    let run =
        place.run(&["compile", "e.json", "--vocab", "tiny.gvocab", "--format", "json"]).exits(1);
    assert_eq!(run.errors()[0]["pointer"], "/properties/a/minimum");
}

#[test]
fn every_error_is_shown() {
    let place = Place::with_vocabulary().with("e.gbnf", "root ::= one two\n");
    let run =
        place.run(&["compile", "e.gbnf", "--vocab", "tiny.gvocab", "--format", "json"]).exits(1);
    assert_eq!(run.errors().len(), 2, "{}", run.stderr);
}

#[test]
fn long_lines_are_cut() {
    let many: Vec<String> = (0..2000).map(|n| format!("\"p{n}é\":{{}}")).collect();
    let schema = format!("{{\"properties\":{{{}}},\"minItems\":\"é\"}}", many.join(","));
    let place = Place::with_vocabulary().with("long.json", &schema);
    let run = place.run(&["compile", "long.json", "--vocab", "tiny.gvocab"]).exits(1);
    assert!(run.stderr.len() < 2000, "{} bytes", run.stderr.len());
    let column = schema.find("\"minItems\"").map(|at| schema[..at].chars().count() + 1);
    let column = column.expect("it is there");
    // The place is the keyword or its value, by column of the whole line.
    let shown = (column..column + 16).any(|at| run.stderr.contains(&format!("[long.json:1:{at}]")));
    assert!(shown, "column {column} in {}", run.stderr);
    assert!(run.stderr.contains("minItems"), "{}", run.stderr);
}

#[test]
fn failures_name_the_file_and_the_cause() {
    let place = Place::with_vocabulary().with("x.txt", "a").with("bad.gbnf", b"root ::= \"\xff\"");
    for (arguments, code, parts) in [
        (
            vec!["compile", "no.gbnf", "--vocab", "tiny.gvocab"],
            2,
            vec!["error: cannot read no.gbnf\n", "\n  because: "],
        ),
        (vec!["compile", "x.txt", "--vocab", "tiny.gvocab"], 2, vec!["x.txt", "--kind"]),
        (vec!["compile", "bad.gbnf", "--vocab", "tiny.gvocab"], 1, vec!["not UTF-8", "offset 10"]),
        (vec!["sample", "no.gmask"], 2, vec!["no.gmask"]),
        (vec!["inspect", "no.gmask"], 2, vec!["no.gmask"]),
        (vec!["inspect", "x.txt"], 1, vec!["x.txt", "not an artifact"]),
    ] {
        let run = place.run(&arguments).exits(code);
        assert_eq!(run.stdout, "", "{arguments:?}");
        for part in parts {
            assert!(run.stderr.contains(part), "{part:?} in {}", run.stderr);
        }
        let json = place.run(&[&arguments[..], &["--format", "json"]].concat()).exits(code);
        let errors = json.errors();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0]["severity"], "error");
        assert!(errors[0]["code"].as_str().is_some_and(|code| code.starts_with("cli::")));
    }
}

#[test]
fn usage_errors_exit_with_two_and_help_with_zero() {
    let place = Place::new();
    for arguments in
        [&["frobnicate"][..], &[], &["compile"], &["check", "a.gmask"], &["sample", "a", "-n", "x"]]
    {
        let run = place.run(arguments).exits(2);
        assert_eq!(run.stdout, "", "{arguments:?}");
        assert!(run.stderr.contains("--help") || run.stderr.contains("Usage"), "{}", run.stderr);
    }
    for arguments in
        [&["--help"][..], &["help", "compile"], &["debug", "mask", "-h"], &["--version"]]
    {
        let run = place.run(arguments).exits(0);
        assert_eq!(run.stderr, "", "{arguments:?}");
        assert!(run.stdout.contains("grammarc"), "{}", run.stdout);
    }
}

#[test]
fn a_reader_may_leave() {
    let place = Place::with_grammar("a.gbnf", "root ::= [a-z]+\n");
    let mut command = place.command(&["sample", "a.gmask", "-n", "1000000000"]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    reader.read_line(&mut line).expect("a line");
    drop(reader);
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(line.ends_with('\n'));
}

#[test]
fn completions_know_the_verbs() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = place.run(&["completions", shell]).exits(0);
        for verb in ["vocab", "compile", "inspect", "check", "sample", "debug"] {
            assert!(run.stdout.contains(verb), "{verb} for {shell}");
        }
    }
}
