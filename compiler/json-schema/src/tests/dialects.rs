//! Closed objects, and schemas of OpenAPI 3.0.

use serde_json::{Value, json};

use super::{accepts, lower};
use crate::{JsonSchemaOptions, SchemaDialect};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_grammar::diagnostics::{Severity, Source};
use grammarc_grammar::ir::Lowered;

fn compile(schema: &Value, closed: bool, dialect: SchemaDialect) -> Lowered {
    let options = JsonSchemaOptions { closed, dialect, ..JsonSchemaOptions::default() };
    let lowered = lower(Source::new("<test>", schema.to_string()), &options, &Budget::new());
    lowered.unwrap_or_else(|errors| panic!("{schema}: {errors:?}"))
}

#[track_caller]
fn expect(lowered: &Lowered, good: &[Value], bad: &[Value]) {
    for value in good {
        assert!(accepts(lowered, &value.to_string()), "{value} is refused\n{}", lowered.grammar);
    }
    for value in bad {
        assert!(!accepts(lowered, &value.to_string()), "{value} is accepted\n{}", lowered.grammar);
    }
}

fn closed(schema: Value) -> Lowered {
    compile(&schema, true, SchemaDialect::JsonSchema)
}

/// Returns the pointers of keywords that the report calls narrower.
fn narrower(lowered: &Lowered) -> Vec<String> {
    let entries = lowered.report.entries();
    let narrower = entries.filter(|entry| entry.verdict == Verdict::Narrower);
    narrower.map(|entry| entry.pointer.to_owned()).collect()
}

#[test]
fn closed_objects_take_no_other_keys() {
    let inner = json!({"type": "object", "properties": {"b": {"type": "integer"}}});
    let schema = json!({"type": "object", "properties": {"a": inner, "l": {"items": inner}}});
    let lowered = closed(schema.clone());
    let good = [json!({}), json!({"a": {"b": 1}}), json!({"a": {}, "l": [{"b": 1}]})];
    let bad = [json!({"x": 1}), json!({"a": {"x": 1}}), json!({"l": [{"b": 1, "x": 1}]})];
    expect(&lowered, &good, &bad);
    assert_eq!(narrower(&lowered), ["", "/properties/a", "/properties/l/items"]);
    let open = compile(&schema, false, SchemaDialect::JsonSchema);
    expect(&open, &good, &[]);
    expect(&open, &bad, &[]);
    assert!(narrower(&open).is_empty());
    // With empty `properties` no member is accepted; without `properties` any member is.
    let none = json!({"type": "object", "properties": {}});
    expect(&closed(none), &[json!({})], &[json!({"a": 1})]);
    let free = json!({"type": "object", "properties": {"a": {"type": "object"}}});
    expect(&closed(free), &[json!({"a": {"x": 1}})], &[json!({"x": 1})]);
    expect(&closed(json!({"type": "object"})), &[json!({}), json!({"a": 1})], &[]);
}

#[test]
fn what_speaks_of_other_keys_is_not_closed() {
    let any = [json!({"x": "y"}), json!({})];
    for says in [
        json!({"additionalProperties": true}),
        json!({"additionalProperties": {"type": "string"}}),
        json!({"patternProperties": {"^p": {"type": "integer"}}}),
        json!({"unevaluatedProperties": {"type": "string"}}),
    ] {
        let mut schema = json!({"type": "object", "properties": {"a": {}}});
        schema.as_object_mut().unwrap().extend(says.as_object().unwrap().clone());
        let lowered = closed(schema);
        expect(&lowered, &any, &[]);
        assert!(narrower(&lowered).is_empty());
    }
    // A schema is also not closed if no keyword constrains objects, or if it lists values.
    for schema in [json!({}), json!({"type": "object", "const": {"x": "y"}})] {
        expect(&closed(schema), &any[..1], &[]);
    }
}

#[test]
fn schemas_of_one_value_are_closed_together() {
    let base = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let both = json!({
        "$defs": {"base": base},
        "allOf": [{"$ref": "#/$defs/base"}, {"properties": {"b": {"type": "integer"}}}],
    });
    let good = [json!({"a": 1, "b": 2}), json!({"b": 2}), json!({})];
    expect(&closed(both), &good, &[json!({"a": 1, "c": 2}), json!({"b": "x"})]);
    // A schema that only refers to another closes its target, including recursive references.
    let list = json!({
        "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}},
        "$ref": "#/$defs/n",
    });
    expect(&closed(list), &[json!({"next": {"next": {}}})], &[json!({"next": {"next": {"x": 1}}})]);
    // Branches are closed together with the keywords beside them, however many branches there are.
    let branch = |at: usize| json!({"properties": {"k": {"const": at}, format!("b{at}"): {"type": "integer"}}, "required": ["k"]});
    let branches: Vec<_> = (0..20).map(branch).collect();
    for keyword in ["anyOf", "oneOf"] {
        let lowered = closed(json!({keyword: branches, "type": "object"}));
        let good = [json!({"k": 3, "b3": 1}), json!({"k": 19})];
        expect(&lowered, &good, &[json!({"k": 3, "b4": 1}), json!({"k": 3, "x": 1}), json!({})]);
    }
    let beside = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "anyOf": [{"properties": {"b": {"type": "integer"}}}, {"required": ["a"]}],
    });
    expect(
        &closed(beside),
        &[json!({"a": 1, "b": 2}), json!({"a": 1})],
        &[json!({"a": 1, "c": 2})],
    );
}

#[test]
fn closing_accepts_nothing_new() {
    // If the branches were closed, only the second would accept the value. Unchanged, both accept it.
    let one = json!({"oneOf": [
        {"type": "object", "properties": {"a": {"type": "object"}}},
        {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {}}}}},
    ]});
    let both = [json!({}), json!({"a": {}}), json!({"a": {"b": 1}})];
    let schema = one.to_string();
    let options = JsonSchemaOptions { closed: true, ..JsonSchemaOptions::default() };
    match lower(Source::new("<test>", schema), &options, &Budget::new()) {
        Ok(lowered) => expect(&lowered, &[], &both),
        Err(errors) => assert_eq!(errors[0].code, "json-schema::unsatisfiable"),
    }
    let not = json!({
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {}}}},
        "not": {"required": ["a"], "properties": {"a": {"type": "object", "properties": {"b": {}}}}},
    });
    expect(&closed(not), &[json!({})], &[json!({"a": {}}), json!({"a": {"b": 1}})]);
}

#[test]
fn openapi_knows_nullable() {
    let schema = json!({
        "type": "object",
        "discriminator": {"propertyName": "k"},
        "xml": {"name": "x"},
        "externalDocs": {"url": "http://x"},
        "example": {"k": "y"},
        "properties": {
            "k": {"type": "string", "nullable": true},
            "n": {"type": "integer", "nullable": false, "minimum": 3, "exclusiveMinimum": true},
            "e": {"type": "string", "nullable": true, "enum": ["a", "b"]},
            "r": {"$ref": "#/components/schemas/s", "nullable": true},
            "w": {"nullable": true, "allOf": [{"type": "string"}]},
        },
        "components": {"schemas": {"s": {"type": "string"}}},
        "additionalProperties": false,
    });
    let lowered = compile(&schema, false, SchemaDialect::OpenApi30);
    let good =
        [json!({"k": null}), json!({"k": "x", "n": 4}), json!({"e": "a"}), json!({"r": "x"})];
    let bad = [
        json!({"n": null}),
        json!({"n": 3}),
        json!({"e": null}),
        json!({"r": null}),
        json!({"w": null}),
    ];
    expect(&lowered, &good, &bad);
    assert!(lowered.findings.iter().all(|finding| finding.severity != Severity::Warning));
    let verdict = |pointer: &str| {
        let mut entries = lowered.report.entries();
        entries.find(|entry| entry.pointer == pointer).map(|entry| entry.verdict)
    };
    assert_eq!(verdict("/properties/k/nullable"), Some(Verdict::Exact));
    for pointer in ["/discriminator", "/xml", "/externalDocs", "/example", "/properties/w/nullable"]
    {
        assert_eq!(verdict(pointer), Some(Verdict::Annotation), "{pointer}");
    }
    // In other dialects `nullable` has no effect, and one warning says so.
    let lowered = compile(&schema, false, SchemaDialect::JsonSchema);
    expect(&lowered, &[json!({"n": 4})], &[json!({"k": null})]);
    let warnings: Vec<_> =
        lowered.findings.iter().filter(|finding| finding.code == "json-schema::nullable").collect();
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].pointer.as_deref(), Some("/properties/k/nullable"));
    assert!(warnings[0].help.as_deref().is_some_and(|help| help.contains("--dialect openapi-3.0")));
    let wrong = json!({"type": "string", "nullable": 1}).to_string();
    let options =
        JsonSchemaOptions { dialect: SchemaDialect::OpenApi30, ..JsonSchemaOptions::default() };
    let errors = lower(Source::new("<test>", wrong), &options, &Budget::new()).unwrap_err();
    assert_eq!(errors[0].code, "json-schema::invalid-keyword");
}
