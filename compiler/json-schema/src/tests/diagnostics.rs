//! Errors, notes and the report.
use grammarc_grammar::budget::Budget;

use super::compile;
use crate::{JsonSchemaOptions, lower};
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_grammar::diagnostics::{Severity, Source};

#[test]
fn errors_have_code_and_pointer() {
    let cases = [
        ("{", "json-schema::syntax", None),
        ("5", "json-schema::invalid-keyword", Some("")),
        (
            r#"{"properties":{"a/b":{"pattern":"("}}}"#,
            "json-schema::pattern",
            Some("/properties/a~1b/pattern"),
        ),
        (r#"{"items":{"format":5}}"#, "json-schema::invalid-keyword", Some("/items/format")),
        (r#"{"type":"strin"}"#, "json-schema::invalid-keyword", Some("/type")),
        (r#"{"type":["string",1]}"#, "json-schema::invalid-keyword", Some("/type/1")),
        (r#"{"minLength":-1}"#, "json-schema::invalid-keyword", Some("/minLength")),
        (r#"{"minItems":4294967296}"#, "json-schema::invalid-keyword", Some("/minItems")),
        (r#"{"required":true}"#, "json-schema::invalid-keyword", Some("/required")),
        (r#"{"anyOf":[]}"#, "json-schema::invalid-keyword", Some("/anyOf")),
        (
            r##"{"anyOf":[{"$ref":"#"},{"type":"null"}]}"##,
            "json-schema::endless-reference",
            Some("/anyOf/0"),
        ),
        (r#"{"$ref":"http://example.com/x"}"#, "json-schema::unresolved-reference", Some("/$ref")),
        (r#"{"type":"string","enum":[1,2]}"#, "json-schema::unsatisfiable", Some("/enum")),
        (
            r#"{"minLength":3,"maxLength":2,"type":"string"}"#,
            "json-schema::unsatisfiable",
            Some("/maxLength"),
        ),
        (r#"false"#, "json-schema::unsatisfiable", Some("")),
        (
            r#"{"items":{"allOf":[{"type":"integer"},{"multipleOf":0.123456789}]}}"#,
            "json-schema::state-limit",
            Some("/items/allOf/1/multipleOf"),
        ),
        (
            r#"{"not":{"anyOf":[{"multipleOf":2},{"multipleOf":3},{"multipleOf":5},{"multipleOf":7},
                {"multipleOf":11},{"multipleOf":13},{"multipleOf":17},{"multipleOf":19},{"multipleOf":23},
                {"multipleOf":29}]}}"#,
            "json-schema::state-limit",
            Some("/not"),
        ),
        (
            r##"{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}"##,
            "json-schema::unsatisfiable",
            Some("/properties/a"),
        ),
    ];
    for (schema, code, pointer) in cases {
        let errors = compile(schema).expect_err(schema);
        assert_eq!(errors[0].code, code, "{schema}: {errors:?}");
        assert_eq!(errors[0].pointer.as_deref(), pointer, "{schema}: {errors:?}");
        assert!(!errors[0].labels.is_empty() && errors[0].severity == Severity::Error);
    }
}

#[test]
fn all_errors_are_listed_in_source_order() {
    let errors =
        compile(r#"{"not":5,"properties":{"a":{"pattern":"("},"b":{"minimum":"1"}},"oneOf":[]}"#)
            .unwrap_err();
    let pointers: Vec<_> = errors.iter().map(|error| error.pointer.as_deref().unwrap()).collect();
    assert_eq!(pointers, ["/not", "/properties/a/pattern", "/properties/b/minimum", "/oneOf"]);
}

#[test]
fn conflicts_name_both_places() {
    let schema = r##"{"$defs":{"s":{"type":"string"}},"type":"object","required":["a"],
        "properties":{"a":{"$ref":"#/$defs/s","type":"integer"}}}"##;
    let errors = compile(schema).unwrap_err();
    let places: Vec<_> = errors[0].labels.iter().map(|label| &schema[label.span.clone()]).collect();
    assert_eq!(places, ["\"integer\"", "\"string\""], "{errors:?}");
}

#[test]
fn what_is_left_out_is_noted() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string","enum":[1]},"b":false},
        "anyOf":[{"type":"object"},{"type":"array"}]}"#;
    let lowered = compile(schema).unwrap();
    let codes: Vec<_> = lowered.findings.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["json-schema::forbidden-property", "json-schema::dead-branch"]);
    assert!(lowered.findings.iter().all(|note| note.severity == Severity::Note));
}

#[test]
fn every_keyword_is_in_the_report() {
    let schema = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"t","type":"object",
        "properties":{"a":{"type":"string","format":"color","maxLength":99999999999},"title":{"x-y":1}},
        "$defs":{"used":{"type":"null"},"unused":{"pattern":"x"}},
        "anyOf":[{"$ref":"#/$defs/used"},true],"dependencies":{}}"##;
    let lowered = compile(schema).unwrap();
    let entries = lowered.report.entries();
    let listed: Vec<_> = entries.map(|entry| (entry.pointer, entry.verdict)).collect();
    assert_eq!(
        listed,
        [
            ("/$schema", Verdict::Annotation),
            ("/title", Verdict::Annotation),
            ("/type", Verdict::Exact),
            ("/properties", Verdict::Exact),
            ("/properties/a/type", Verdict::Exact),
            ("/properties/a/format", Verdict::Annotation),
            ("/properties/a/maxLength", Verdict::Approximate),
            ("/properties/title/x-y", Verdict::Annotation),
            ("/$defs", Verdict::Annotation),
            ("/$defs/used/type", Verdict::Exact),
            ("/$defs/unused", Verdict::Annotation),
            ("/anyOf", Verdict::Exact),
            ("/anyOf/0/$ref", Verdict::Exact),
            ("/dependencies", Verdict::Exact),
        ]
    );
    for entry in lowered.report.entries() {
        assert_eq!(entry.reason.is_empty(), entry.verdict == Verdict::Exact, "{entry:?}");
    }
}

#[test]
fn products_stay_linear_and_budgets_stop_long_chains() {
    let branch = |key: usize| {
        let one = |value| {
            format!(r#"{{"properties":{{"k{key}":{{"const":{value}}}}},"required":["k{key}"]}}"#)
        };
        format!("{{\"anyOf\":[{},{}]}}", one(0), one(1))
    };
    let definitions: Vec<_> = (0..40)
        .map(|key| {
            let own = branch(key);
            let next = format!(r##","$ref":"#/$defs/d{}"}}"##, key + 1);
            format!(r#""d{key}":{}{next}"#, &own[..own.len() - 1])
        })
        .collect();
    let schema = format!(
        r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d40":{{"type":"object"}}}}}}"##,
        definitions.join(",")
    );
    // 2^40 combinations of branches, but each key matters once.
    assert!(compile(&schema).unwrap().grammar.rules.len() < 10);

    let chain: Vec<_> =
        (0..5_000).map(|i| format!(r##""d{i}":{{"$ref":"#/$defs/d{}"}}"##, i + 1)).collect();
    let schema =
        format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d5000":true}}}}"##, chain.join(","));
    assert_eq!(compile(&schema).unwrap_err()[0].code, "json-schema::nesting-limit");

    let options = JsonSchemaOptions { max_rules: 3, ..JsonSchemaOptions::default() };
    let schema = r#"{"items":{"items":{"items":{"items":{"maxItems":1}}}}}"#;
    let errors = lower(Source::new("<test>", schema), &options, &Budget::new()).unwrap_err();
    assert_eq!(errors[0].code, "json-schema::rule-limit");
}
