//! `grammarc compile`.

use crate::{Place, tokenizer};

const SCHEMA: &str = r#"{
  "title": "Point",
  "type": "object",
  "properties": {"x": {"type": "integer"}, "on": {"type": "boolean"}},
  "required": ["x"],
  "additionalProperties": false
}"#;

#[test]
fn compiles_each_language() {
    for (file, source, kind) in [
        ("a.json", SCHEMA, "json-schema"),
        ("a.gbnf", "root ::= \"a\" root | \"b\"\n", "gbnf"),
        ("a.regex", "[a-c]{2,9}x?\n", "regex"),
    ] {
        let place = Place::with_grammar(file, source);
        let value = place.run(&["inspect", "a.gmask", "--format", "json"]).exits(0).value();
        assert_eq!(value["source"]["kind"], kind);
        assert_eq!(value["source"]["name"], file);
    }
}

#[test]
fn a_vocabulary_elsewhere_is_found_by_the_environment() {
    let place = Place::with_grammar("g.gbnf", "root ::= \"ab\"\n").with("t.txt", "ab");
    let folder = place.path("elsewhere");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::rename(place.path("tiny.gvocab"), folder.join("v.gvocab")).expect("moved");
    let check = ["check", "g.gmask", "t.txt"];
    let lost = place.run(&check).exits(2);
    assert!(lost.stderr.contains("--vocab") && lost.stderr.contains("GRAMMARC_VOCAB"), "{lost:?}");
    for listed in [folder.clone(), folder.join("v.gvocab")] {
        let run = place.command(&check).env("GRAMMARC_VOCAB", listed).output().expect("it runs");
        assert!(run.status.success(), "{run:?}");
    }
}

#[test]
fn answers_in_json() {
    let place = Place::with_vocabulary().with("p.json", SCHEMA);
    let arguments = [
        "compile",
        "p.json",
        "--vocab",
        "tiny.gvocab",
        "--format",
        "json",
        "--whitespace",
        "flexible:2",
    ];
    let value = place.run(&arguments).exits(0).value();
    assert_eq!(value["path"], "p.gmask");
    assert_eq!(value["bytes"], place.read("p.gmask").len());
    assert_eq!(value["options"]["whitespace"], "flexible:2");
    assert_eq!(value["report"]["exact"], 6);
    assert_eq!(value["bound"]["most_configurations"], 1);
    assert_eq!(value["vocabulary_file"]["built"], false);
    assert!(value["seconds"]["compile"].as_f64() > Some(0.0));
}

#[test]
fn builds_the_vocabulary_on_the_way_once() {
    let place = Place::new().with("a.gbnf", "root ::= \"a\"+\n");
    let compile = || {
        let arguments = ["compile", "a.gbnf", "--tokenizer", "tiny.json", "--format", "json"];
        let value = place.run(&arguments).exits(0).value();
        assert_eq!(value["vocabulary_file"]["path"], "./tiny.gvocab");
        value["vocabulary_file"]["built"].clone()
    };
    assert_eq!(compile(), true);
    let (vocabulary, grammar) = (place.read("tiny.gvocab"), place.read("a.gmask"));
    assert_eq!(compile(), false);
    assert_eq!(place.read("a.gmask"), grammar);
    place.run(&["sample", "a.gmask"]).exits(0);

    // Another tokenizer of the same name: what is there is not of use.
    let mut other = tokenizer();
    other["added_tokens"][0]["content"] = "<|stop|>".into();
    std::fs::write(place.path("tiny.json"), other.to_string()).expect("written");
    assert_eq!(compile(), true);
    assert_ne!(place.read("tiny.gvocab"), vocabulary);
    // A damaged file is not of use either.
    std::fs::write(place.path("tiny.gvocab"), "damaged").expect("written");
    assert_eq!(compile(), true);
}

#[test]
fn an_artifact_that_stands_alone_needs_no_vocabulary() {
    let place = Place::with_vocabulary().with("p.json", SCHEMA);
    let compile = ["compile", "p.json", "--vocab", "tiny.gvocab"];
    place.run(&[&compile[..], &["-o", "shared.gmask"]].concat()).exits(0);
    let alone = [&compile[..], &["--standalone", "--cache", "kept", "-o", "alone.gmask"]].concat();
    place.run(&alone).exits(0);
    let bytes = place.read("alone.gmask");
    // The same from the cache, which keeps it without its vocabulary.
    place.run(&alone).exits(0);
    assert_eq!(place.read("alone.gmask"), bytes);
    let embedded = place.read("tiny.gvocab").len();
    assert!(bytes.len() > embedded && bytes.len() < 2 * embedded);
    let samples = |name: &str| place.run(&["sample", name, "--format", "json"]).exits(0).values();
    let expected = samples("shared.gmask");
    std::fs::remove_file(place.path("tiny.gvocab")).expect("removed");
    assert_eq!(samples("alone.gmask"), expected);
    place.run(&["sample", "shared.gmask"]).exits(2);
    let inspected = place.run(&["inspect", "alone.gmask", "--format", "json"]).exits(0).value();
    assert_eq!(inspected["validated"], true);
}

#[test]
fn the_same_input_gives_the_same_file() {
    let place = Place::with_vocabulary().with("p.json", SCHEMA);
    for (name, threads) in [("a.gmask", "1"), ("b.gmask", "4"), ("c.gmask", "4")] {
        let arguments =
            ["compile", "p.json", "--vocab", "tiny.gvocab", "-o", name, "--threads", threads];
        place.run(&arguments).exits(0);
    }
    assert_eq!(place.read("a.gmask"), place.read("b.gmask"));
    assert_eq!(place.read("b.gmask"), place.read("c.gmask"));
}

#[test]
fn reads_standard_input() {
    let place = Place::with_vocabulary();
    let to = ["--vocab", "tiny.gvocab", "-o", "in.gmask"];
    place.run_with(&[&["compile", "-", "--kind", "regex"], &to[..]].concat(), "a+").exits(0);
    let run = place.run_with(&[&["compile", "-"], &to[..]].concat(), "a+").exits(2);
    assert!(run.stderr.contains("--kind"), "{}", run.stderr);
    let run = place.run_with(&["compile", "-", "--kind", "regex", "--vocab", "tiny.gvocab"], "a+");
    assert!(run.exits(2).stderr.contains("-o is needed"));
}

#[test]
fn a_limit_is_a_finding_about_the_source() {
    let place =
        Place::with_vocabulary().with("a.gbnf", "root ::= \"abcdefghijkl\" | \"xyz\" root\n");
    for limit in [["--max-states", "5"], ["--max-rule-states", "5"], ["--max-rules", "0"]] {
        let arguments = ["compile", "a.gbnf", "--vocab", "tiny.gvocab", "--format", "json"];
        let run = place.run(&[&arguments[..], &limit[..]].concat()).exits(1);
        assert_eq!(run.stdout, "");
        assert_eq!(run.errors()[0]["code"], "compile::limit", "{}", run.stderr);
        assert!(!place.path("a.gmask").exists());
    }
}

#[test]
fn options_go_with_their_language() {
    let place = Place::with_vocabulary().with("p.json", SCHEMA).with("a.gbnf", "start ::= \"a\"\n");
    let compile =
        |more: &[&str]| place.run(&[&["compile", "--vocab", "tiny.gvocab"], more].concat());
    compile(&["a.gbnf"]).exits(1);
    compile(&["a.gbnf", "--start", "start"]).exits(0);
    compile(&["p.json", "--start", "start"]).exits(2);
    compile(&["a.gbnf", "--start", "start", "--whitespace", "compact"]).exits(2);
    compile(&["p.json", "--whitespace", "none"]).exits(2);
    compile(&["p.json", "--tokenizer", "tiny.json"]).exits(2);
    compile(&["p.json", "--deny", "approximate"]).exits(0);
    for given in
        [&["--closed"][..], &["--dialect", "openapi-3.0"], &["--surround"], &["--levels", "3"]]
    {
        compile(&[&["a.gbnf", "--start", "start"], given].concat()).exits(2);
    }
}

#[test]
fn text_forms_are_taken_and_recorded() {
    let schema = r#"{"type": "array", "items": {"type": "number", "minimum": 0}}"#;
    let place = Place::with_vocabulary().with("s.json", schema);
    let accepts = |options: &[&str], text: &str| {
        let arguments = ["compile", "s.json", "--vocab", "tiny.gvocab", "-o", "s.gmask"];
        place.run(&[&arguments, options].concat()).exits(0);
        place.run_with(&["check", "s.gmask", "-", "--exact"], text).code == 0
    };
    for (options, good, bad) in [
        (&[][..], "[1.50, 1e2,0]", "[1 ,2]"),
        (&["--whitespace", "compact"], "[1,2]", "[1, 2]"),
        (&["--whitespace", "spaced"], "[1, 2]", "[1,2]"),
        (&["--whitespace", "indented"], "[\n  1,\n  2\n]", "[1, 2]"),
        (&["--whitespace", "indented:3"], "[\n   1\n]", "[\n  1\n]"),
        (&["--whitespace", "indented:1", "--levels", "1"], "[\n 1\n]", "[1]"),
        (&["--whitespace", "styled"], "[\n  1,\n  2\n]", "[1,2, 3]"),
        (&["--whitespace", "flexible"], "[ 1 ,\n 2 ]", " [1]"),
        (&["--separators", " , ", ":"], "[1 , 2]", "[1, 2]"),
        (&["--surround"], " [1]\n\n\n\n", "     [1]"),
        (&["--surround=5"], "     [1]", "      [1]"),
        (&["--numbers", "canonical"], "[1.5]", "[1.50]"),
        (&["--numbers", "any"], "[1e-00001]", "[1e-000001]"),
    ] {
        assert!(accepts(options, good), "{options:?} {good:?}");
        assert!(!accepts(options, bad), "{options:?} {bad:?}");
    }
    let options =
        ["--whitespace", "styled:4", "--surround=1", "--closed", "--dialect", "openapi-3.0"];
    assert!(accepts(&options, " [1, 2] "));
    let shown = place.run(&["inspect", "s.gmask"]).exits(0).stdout;
    for part in
        ["whitespace styled:4", "levels 32", "surround 1", "closed true", "dialect openapi-3.0"]
    {
        assert!(shown.contains(part), "{part:?} in {shown}");
    }
    for wrong in [
        &["--separators", ", ", "x:"][..],
        &["--separators", ", "],
        &["--separators", ",", ":", "--whitespace", "compact"],
        &["--levels", "3"],
        &["--whitespace", "indented:x"],
    ] {
        let arguments = ["compile", "s.json", "--vocab", "tiny.gvocab"];
        place.run(&[&arguments, wrong].concat()).exits(2);
    }
}

#[test]
fn the_help_says_what_bounds_a_text() {
    let help = Place::with_vocabulary().run(&["compile", "--help"]).exits(0).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "64 digits before the point, 64 behind it, and 4 in the exponent",
        "runs of up to N characters [19]",
        "Nothing else stands outside the document",
        "[default: 32]",
        "[default: natural]",
    ] {
        assert!(help.contains(part), "{part:?} in {help}");
    }
}

#[test]
fn references_lead_into_the_registry() {
    let schema =
        r#"{"items": {"$ref": "http://x/names/name.json"}, "contains": {"$ref": "flag.json"}}"#;
    let place = Place::with_vocabulary().with("s.json", schema);
    std::fs::create_dir_all(place.path("given/names")).expect("a folder");
    let place = place
        .with(
            "given/names/name.json",
            r#"{"$id": "http://other/", "anyOf": [{"$ref": "../flag.json"}]}"#,
        )
        .with("given/flag.json", r#"{"type": "boolean"}"#)
        .with("flag.json", r#"{"const": true}"#);
    let compile = |registry: &[&str]| {
        let arguments = ["compile", "s.json", "--vocab", "tiny.gvocab"];
        place.run(&[&arguments, registry].concat())
    };
    let run = compile(&[]).exits(1);
    assert!(run.stderr.contains("json-schema::unresolved-reference"), "{}", run.stderr);
    assert!(run.stderr.contains("--registry"), "{}", run.stderr);
    let given = ["http://x=given", "flag.json", "http://other/flag.json=given/flag.json"];
    let arguments: Vec<_> = given.iter().flat_map(|given| ["--registry", given]).collect();
    // Relative to the schema's own identifier, `../flag.json` is http://other/flag.json.
    compile(&arguments).exits(0);

    let run = compile(&["--registry", "tiny.gvocab"]).exits(2);
    assert!(run.stderr.contains("tiny.gvocab is not JSON"), "{}", run.stderr);
    let run = compile(&["--registry", "missing.json"]).exits(2);
    assert!(run.stderr.contains("cannot read missing.json"), "{}", run.stderr);
}
