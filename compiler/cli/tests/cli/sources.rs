//! Languages besides schemas: sources within grammars, TypeScript, built-in grammars.

use super::Place;

#[test]
fn grammars_refer_to_files_that_are_handed_over() {
    let place = Place::with_vocabulary()
        .with("g.gbnf", "root ::= \"<\" @\"call.json\" \">\" @\"parts/word.regex\" @\"x\"")
        .with(
            "call.json",
            r#"{"type": "object", "properties": {"n": {"const": 1}}, "required": ["n"]}"#,
        );
    std::fs::create_dir_all(place.path("all/parts")).expect("a folder");
    let place =
        place.with("all/parts/word.regex", "[a-z]+\n").with("bad.json", r#"{"type": "strin"}"#);
    let compile = |more: &[&str]| {
        place.run(&[&["compile", "g.gbnf", "--vocab", "tiny.gvocab"], more].concat())
    };
    let run = compile(&[]).exits(1);
    assert!(run.stderr.contains("gbnf::unknown-source"), "{}", run.stderr);
    assert!(run.stderr.contains("--include"), "{}", run.stderr);
    let given = ["--include", "call.json", "--include", "all", "--include", "x=call.json"];
    compile(&given).exits(0);
    place.run_with(&["check", "g.gmask", "-"], r#"<{"n": 1}>ab{"n":1}"#).exits(0);
    place.run_with(&["check", "g.gmask", "-"], r#"<{"n": 2}>ab{"n":1}"#).exits(1);

    // An error is shown in the file that it is in.
    let bad = ["--include", "all", "--include", "call.json", "--include", "x=bad.json"];
    let run = place
        .run(
            &[&["compile", "g.gbnf", "--vocab", "tiny.gvocab", "--format", "json"], &bad[..]]
                .concat(),
        )
        .exits(1);
    let error = &run.errors()[0];
    assert_eq!((error["file"].as_str(), error["line"].as_u64()), (Some("x"), Some(1)), "{error}");
    assert_eq!(error["pointer"], "/type");
    let run = compile(&["--include", "tiny.gvocab"]).exits(2);
    assert!(run.stderr.contains("cannot tell the language of tiny.gvocab"), "{}", run.stderr);
    let place = place.with("s.json", "true");
    let run =
        place.run(&["compile", "s.json", "--vocab", "tiny.gvocab", "--include", "all"]).exits(2);
    assert!(
        run.stderr.contains("--include is for gbnf, ebnf and structural-tag sources"),
        "{}",
        run.stderr
    );
}

#[test]
fn grammars_in_a_tag_refer_to_files_that_are_handed_over() {
    let tag = r#"{"type": "structural_tag", "format": {"type": "grammar", "grammar": "root ::= \"<\" @\"n.json\" \">\""}}"#;
    let place =
        Place::with_vocabulary().with("t.tag.json", tag).with("n.json", r#"{"type": "integer"}"#);
    let run = place.run(&["compile", "t.tag.json", "--vocab", "tiny.gvocab"]).exits(1);
    assert!(run.stderr.contains("--include"), "{}", run.stderr);
    let given =
        ["compile", "t.tag.json", "--vocab", "tiny.gvocab", "--include", "n.json", "-o", "t.gmask"];
    place.run(&given).exits(0);
    place.run_with(&["check", "t.gmask", "-"], "<12>").exits(0);
    place.run_with(&["check", "t.gmask", "-"], "<a>").exits(1);
}

#[test]
fn a_list_of_tools_is_compiled_in_a_style() {
    let good = r#"{"name": "get", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}"#;
    let bad = r#"{"name": "bad", "input_schema": {"type": "object", "properties": {"n": {"type": "integr"}}}}"#;
    let place = Place::with_vocabulary()
        .with("tools.json", format!(r#"{{"tools": [{good}], "nextCursor": null}}"#))
        .with("more.json", format!("[{good}, {bad}]"));
    let compile = |more: &[&str]| {
        place.run(&[&["compile", "--vocab", "tiny.gvocab", "-o", "t.gmask"], more].concat())
    };
    compile(&["tools.json", "--style", "Qwen-3"]).exits(0);
    let call = "<tool_call>\n{\"name\": \"get\", \"arguments\": {\"n\": 1}}\n</tool_call>";
    place.run_with(&["check", "t.gmask", "-"], call).exits(0);
    place.run_with(&["check", "t.gmask", "-"], &call.replace("1", "x")).exits(1);
    let refused = compile(&["more.json", "--style", "qwen_3"]).exits(1);
    assert!(refused.stderr.contains("integr"), "{}", refused.stderr);
    let left_out = compile(&["more.json", "--style", "qwen_3", "--on-refused", "exclude"]).exits(0);
    assert!(left_out.stderr.contains("the tool `bad` is left out"), "{}", left_out.stderr);
    place.run_with(&["check", "t.gmask", "-"], call).exits(0);
    place.run_with(&["check", "t.gmask", "-"], &call.replace("get", "bad")).exits(1);
    // Without a style, the file is a schema.
    compile(&["more.json"]).exits(1);
}

#[test]
fn files_of_other_kinds_are_named() {
    let place = Place::with_vocabulary().with("a.yaml", "type: object\n").with("b.json", "{}");
    let wide: Vec<u8> = "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(place.path("b.json"), wide).expect("the file is written");
    for (file, words) in [("a.yaml", "convert the schema to JSON"), ("b.json", "UTF-16")] {
        let run = place.run(&["compile", file, "--vocab", "tiny.gvocab"]);
        assert!(run.stderr.contains(words), "{file}: {}", run.stderr);
    }
}

#[test]
fn limits_name_the_flag_that_raises_them() {
    let schema = r#"{"items": {"items": {"items": {"maxItems": 1}}}}"#;
    let place = Place::with_vocabulary().with("a.json", schema);
    let compile = |more: &[&str]| {
        place.run(&[&["compile", "a.json", "--vocab", "tiny.gvocab"], more].concat())
    };
    for flag in ["--max-schema-rules", "--max-rules", "--max-states", "--max-rule-states"] {
        let run = compile(&[flag, "1"]).exits(1);
        assert!(run.stderr.contains(&format!("`{flag}`")), "{flag}: {}", run.stderr);
    }
    compile(&["--max-schema-rules", "1000"]).exits(0);
}

#[test]
fn typescript_is_compiled_by_its_extension() {
    let text = "interface A { a: 1 }\nexport interface B { b: A[] }\ninterface C { c: 1 }";
    let place = Place::with_vocabulary().with("types.ts", text);
    place
        .run(&["compile", "types.ts", "--vocab", "tiny.gvocab", "--whitespace", "compact"])
        .exits(0);
    place.run_with(&["check", "types.gmask", "-"], r#"{"b":[{"a":1}]}"#).exits(0);
    place.run_with(&["check", "types.gmask", "-"], r#"{"b": []}"#).exits(1);
    let start = ["compile", "types.ts", "--vocab", "tiny.gvocab", "--start", "C"];
    place.run(&start).exits(0);
    place.run_with(&["check", "types.gmask", "-"], r#"{"c":1}"#).exits(0);
    let place = place.with("bad.ts", "export type A = {\n  f: () => void\n}");
    let bad = ["compile", "bad.ts", "--vocab", "tiny.gvocab", "--format", "json"];
    let error = &place.run(&bad).exits(1).errors()[0];
    assert_eq!(error["code"], "typescript::unsupported-type");
    assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(2), Some(6)));
}

#[test]
fn built_in_grammars_have_names_and_options() {
    let line = r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}"#;
    let place = Place::with_vocabulary().with("line.json", line);
    let compile = |name: &str, more: &[&str]| {
        place.run(&[&["compile", name, "--vocab", "tiny.gvocab"], more].concat())
    };
    compile("builtin:jsonl", &["--line", "line.json", "--max-items", "2"]).exits(0);
    place.run_with(&["check", "jsonl.gmask", "-"], "{\"a\": 1}\n{\"a\": 2}\n").exits(0);
    place.run_with(&["check", "jsonl.gmask", "-"], "{\"a\": 1}\n{\"b\": 2}\n").exits(1);
    compile("builtin:csv", &["--columns", "id,name", "--separator", ";"]).exits(0);
    place.run_with(&["check", "csv.gmask", "-"], "id;name\n1;\"x;y\"").exits(0);
    place.run_with(&["check", "csv.gmask", "-"], "id;name\n1").exits(1);
    compile("builtin:xml", &["--names", "a,b", "--attributes", "id"]).exits(0);
    place.run_with(&["check", "xml.gmask", "-"], "<a id=\"1\"><b/></a>").exits(0);
    let run = compile("builtin:xml", &["--deny", "approximate"]).exits(1);
    assert!(run.stderr.contains("without a list of names"), "{}", run.stderr);
    let run = compile("builtin:jsnl", &[]).exits(1);
    assert!(run.stderr.contains("did you mean `jsonl`?"), "{}", run.stderr);
    let run = compile("builtin:json", &["--columns", "2"]).exits(1);
    assert!(run.stderr.contains("`columns` is for csv"), "{}", run.stderr);
    let run = compile("line.json", &["--columns", "2"]).exits(2);
    assert!(run.stderr.contains("--columns is for builtin sources"), "{}", run.stderr);
}
