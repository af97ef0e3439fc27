//! A tool that does not compile leaves the masks of the other tools as they are without it.
//!
//! Schemas that do not compile are those of `compiler/tests/data/messages.json`, where each has its own reason.

use std::collections::BTreeMap;

use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiled, Compiler};
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::from_source::SourceRequest;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::JsonSchemaOptions;
use grammarc_compiler::frontend::structural_tag::{StructuralTagOptions, ToolState, refused_tools};
use grammarc_runtime::{Grammar, Matcher};
use grammarc_tests::vocabularies;
use serde_json::{Value, json};

/// Schemas of the other tools.
fn others() -> [Value; 4] {
    [
        json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}),
        json!({"type": "object", "properties": {"s": {"type": "string", "maxLength": 4}}, "additionalProperties": false}),
        json!({"type": "object", "properties": {"e": {"enum": ["on", "one", null]}}, "required": ["e"]}),
        json!({"type": "object", "properties": {"t": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"type": "array", "items": {"$ref": "#/$defs/t"}}}}),
    ]
}

/// The arguments of calls of the other tools.
const ARGUMENTS: [&str; 4] =
    [r#"{"n": 12}"#, r#"{"s": "ab\n"}"#, r#"{"e": "one"}"#, r#"{"t": [[], [[]]]}"#];

fn tool(name: &str, parameters: &Value) -> Value {
    json!({"name": name, "parameters": parameters})
}

fn compiled(compiler: &Compiler, tools: &[Value]) -> Result<Compiled, Vec<Diagnostic>> {
    let tag = json!({"type": "tools", "style": "qwen_3", "tools": tools, "on_refused": "loosen"});
    let front_end = FrontEnd::StructuralTag(StructuralTagOptions::default());
    let request = SourceRequest {
        front_end: &front_end,
        source: &Source::new("tools.json", tag.to_string()),
        deny: &[],
        options: &CompileOptions::default(),
    };
    compiler.compile_source(&request, &Budget::new())
}

fn grammar(compiler: &Compiler, compiled: &Compiled) -> Grammar {
    Grammar::from_artifact(compiled.to_artifact(compiler).expect("it is written"))
}

/// Returns the masks along the arguments of a call.
fn masks(grammar: &Grammar, name: &str, arguments: &str) -> Vec<Vec<u32>> {
    let mut matcher = Matcher::new(grammar);
    let begin = format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": ");
    matcher.accept_text(begin.as_bytes()).expect("it begins a call");
    let step = |at: usize| {
        let mask = matcher.mask().iter().collect();
        matcher.accept_text(&arguments.as_bytes()[at..=at]).expect("it goes on");
        mask
    };
    (0..arguments.len()).map(step).collect()
}

/// Returns schemas beyond a limit, and schemas with endless or unreadable references.
fn limits() -> Vec<Value> {
    let member = |schema: Value| json!({"type": "object", "properties": {"a": schema}});
    let nested = (0..100).fold(json!({}), |schema, _| json!({"items": schema}));
    vec![
        member(json!({"type": "integer", "multipleOf": 0.123456789})),
        member(nested),
        member(json!({"type": "string", "pattern": "^(?=.*a.{40}b)(?=.*c.{40}d)(?=.*e.{40}f).*$"})),
        member(json!({"type": "string", "pattern": "(a)\\1"})),
        member(json!({"type": "string", "format": "idn-email", "maxLength": 200})),
        json!({"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}),
        json!({"$id": "http://[", "properties": {"a": {"$ref": "x"}}}),
        json!({"properties": {"a": {"$ref": "https://example.com/other"}}}),
        json!({"type": "object", "minProperties": 100_000_000}),
        member(
            json!({"type": "array", "minItems": 100_000_000, "prefixItems": [{}], "contains": {"const": 1}, "minContains": 90_000}),
        ),
    ]
}

/// Returns a schema for each reason that schemas do not compile for, by its code.
fn refused() -> BTreeMap<String, Vec<Value>> {
    let situations: Value =
        serde_json::from_str(include_str!("../../../compiler/tests/data/messages.json"))
            .expect("it is JSON");
    let is_plain = |situation: &&Value| {
        situation["kind"].is_null()
            && situation["options"].is_null()
            && situation["source"].is_object()
    };
    let schemas = situations.as_array().expect("a list").iter().filter(is_plain);
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let all = schemas.map(|situation| situation["source"].clone()).chain(limits());
    for schema in all {
        let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let source = Source::new("schema.json", schema.to_string());
        if let Err(errors) = front_end.lower(source, &Budget::new()) {
            found.entry(errors[0].code.to_string()).or_default().push(schema);
        }
    }
    found
}

#[test]
fn masks_of_the_other_tools_are_as_without_the_refused_one() {
    let compiler = Compiler::new(vocabularies::small().clone());
    let names = ["alpha", "beta", "gamma", "delta"];
    let others: Vec<Value> =
        (0..).zip(others()).map(|(at, schema)| tool(names[at], &schema)).collect();
    let alone = grammar(&compiler, &compiled(&compiler, &others).expect("they compile"));
    let expected: Vec<_> =
        names.iter().zip(ARGUMENTS).map(|(name, text)| masks(&alone, name, text)).collect();
    let (mut states, mut codes) = (BTreeMap::new(), 0);
    for (code, schemas) in refused() {
        codes += 1;
        for schema in schemas {
            let mut tools = others.clone();
            tools.insert(2, tool("hostile", &schema));
            let compiled = compiled(&compiler, &tools)
                .unwrap_or_else(|errors| panic!("{code}: {schema}: {errors:#?}"));
            let refused = refused_tools(&compiled.data.meta.report);
            // A schema of arguments is met by objects alone, so a part that is refused may not matter.
            for tool in &refused {
                assert_eq!(tool.name, "hostile", "{code}: {schema}");
                assert!(
                    tool.pointer.starts_with("/tools/2/parameters"),
                    "{code}: {}",
                    tool.pointer
                );
                *states.entry(tool.state.name()).or_insert(0) += 1;
            }
            assert!(refused.len() <= 1, "{code}: {schema}");
            if refused.is_empty() {
                *states.entry("exact").or_insert(0) += 1;
            }
            let grammar = grammar(&compiler, &compiled);
            for ((name, text), expected) in names.iter().zip(ARGUMENTS).zip(&expected) {
                assert_eq!(masks(&grammar, name, text), *expected, "{code}: {schema}: {name}");
            }
            let calls = Matcher::new(&grammar).accept_text(b"<tool_call>\n{\"name\": \"hostile\"");
            let is_left_out = refused.iter().any(|tool| tool.state == ToolState::LeftOut);
            assert_eq!(calls.is_err(), is_left_out, "{code}: {schema}");
        }
    }
    eprintln!("{codes} codes, {states:?}");
    assert!(codes >= 7 && states.len() >= 3, "{codes} codes, {states:?}");
}
