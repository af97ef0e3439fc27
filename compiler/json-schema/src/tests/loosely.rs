//! Schemas of which only the parts that compile are enforced.

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Source;
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_grammar::ir::Lowered;
use serde_json::{Value, json};

use super::accepts;
use crate::{JsonSchemaOptions, NOT_ENFORCED, Root, TextForm, lower_loosely};

fn lowered(schema: &Value) -> Result<Lowered, Vec<&'static str>> {
    let source = Source::new("<test>", schema.to_string());
    let options = JsonSchemaOptions { text: TextForm::SHORT, ..JsonSchemaOptions::default() };
    let lowered = lower_loosely(&source, &options, Root::Object, &[], 1 << 24, &Budget::new());
    lowered.map_err(|errors| errors.iter().map(|error| error.code).collect())
}

/// Returns the pointers of what is not enforced.
fn not_enforced(lowered: &Lowered) -> Vec<String> {
    let entries = lowered.report.entries();
    let entries = entries.filter(|entry| entry.verdict == Verdict::Approximate);
    entries.map(|entry| entry.pointer.to_owned()).collect()
}

#[test]
fn only_what_does_not_compile_is_not_enforced() {
    let of = |member: Value| json!({"type": "object", "properties": {"a": member, "n": {"type": "integer"}}, "required": ["a"], "additionalProperties": false});
    let cases = [
        // A keyword that is refused, alone and beside others.
        (of(json!({"type": "string", "pattern": "(a)\\1"})), vec!["/properties/a/pattern"]),
        (
            of(json!({"type": "string", "pattern": "(", "maxLength": 2})),
            vec!["/properties/a/pattern"],
        ),
        (of(json!({"type": "strin"})), vec!["/properties/a/type"]),
        (of(json!({"$ref": "#/$defs/none"})), vec!["/properties/a/$ref"]),
        (of(json!({"type": "string", "prefixItems": {}, "items": false})), vec!["/properties/a"]),
        // Within a test, the whole test is not enforced: with a part of it, less would be accepted.
        (of(json!({"not": {"type": "string", "pattern": "("}})), vec!["/properties/a/not"]),
        (of(json!({"oneOf": [{"pattern": "("}, {"const": "b"}]})), vec!["/properties/a/oneOf"]),
        (
            of(json!({"if": {"const": 1}, "then": {"type": "integerr"}})),
            vec!["/properties/a/then/type"],
        ),
        // Branches that can only grow.
        (
            of(json!({"anyOf": [{"type": "null"}, {"pattern": "(", "type": "string"}]})),
            vec!["/properties/a/anyOf/1/pattern"],
        ),
    ];
    for (schema, pointers) in cases {
        let lowered = lowered(&schema).unwrap_or_else(|codes| panic!("{schema}: {codes:?}"));
        assert_eq!(not_enforced(&lowered), pointers, "{schema}");
        let reasons = lowered.findings.iter().filter(|one| one.code == NOT_ENFORCED).count();
        assert!(reasons > 0, "{schema}");
        // All other keywords hold.
        assert!(accepts(&lowered, "{\"a\":\"b\",\"n\":1}"), "{schema}");
        assert!(!accepts(&lowered, "{\"n\":1}") && !accepts(&lowered, "{\"a\":\"b\",\"n\":\"\"}"));
        assert!(!accepts(&lowered, "{\"a\":\"b\",\"x\":1}"), "{schema}");
    }
}

#[test]
fn any_object_where_no_part_can_be_named() {
    let bad = json!({"pattern": "("});
    let cases = [
        json!({"properties": {"a": bad}, "unevaluatedProperties": false}),
        json!({"not": {"$ref": "#/$defs/a"}, "$defs": {"a": {"required": ["x"], "properties": {"x": bad}}}}),
        json!({"properties": []}),
        json!({"properties": {"a": bad, "b": {"$ref": "other.json"}}}),
    ];
    for schema in cases {
        let lowered = lowered(&schema).unwrap_or_else(|codes| panic!("{schema}: {codes:?}"));
        assert_eq!(not_enforced(&lowered), [""], "{schema}");
        assert!(accepts(&lowered, "{\"b\":[]}") && !accepts(&lowered, "[]"), "{schema}");
    }
}

#[test]
fn a_schema_without_values_stays_an_error() {
    assert_eq!(lowered(&json!({"type": "string"})).err(), Some(vec!["json-schema::no-object"]));
    let never = json!({"type": "object", "required": ["a"], "properties": {"a": false, "b": {"pattern": "("}}});
    assert_eq!(lowered(&never).err(), Some(vec!["json-schema::unsatisfiable"]));
}

#[test]
fn a_limit_loosens_the_schema_at_its_place() {
    let long: Vec<String> = (0..40).map(|at| format!("(?=.*{at}x.{{{}}}y)", at + 20)).collect();
    let schema = json!({"properties": {"a": {"type": "string", "pattern": long.concat()}, "n": {"type": "integer"}}});
    let lowered = lowered(&schema).unwrap_or_else(|codes| panic!("{codes:?}"));
    assert!(!not_enforced(&lowered).is_empty());
    assert!(
        accepts(&lowered, "{\"a\":\"\",\"n\":1}") && !accepts(&lowered, "{\"a\":\"\",\"n\":\"\"}")
    );
}
