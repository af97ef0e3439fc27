//! Lowering: cases with the relation that the table of rewritings gives, idempotence, stand-ins, errors.

use grammarc_grammar::diagnostics::Source;
use grammarc_portable::{
    Keep, LowerError, LowerOptions, Lowered, Severity, check, lower, pack, unstand,
};
use serde_json::{Value, json};

fn lowered_for(
    schema: &Value,
    target: &str,
    options: &LowerOptions,
) -> Result<Lowered, LowerError> {
    lower(&Source::new("<test>", schema.to_string()), &pack(target).unwrap(), options)
}

/// A schema, a target, the relation of the lowered schema, and that schema.
struct Case {
    schema: Value,
    target: &'static str,
    relation: &'static str,
    lowered: Value,
}

fn case(target: &'static str, relation: &'static str, schema: Value, lowered: Value) -> Case {
    Case { schema, target, relation, lowered }
}

fn closed(properties: Value, required: Value) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn cases() -> Vec<Case> {
    vec![
        // closed
        case(
            "anthropic-strict",
            "narrower",
            json!({"type": "object", "properties": {"a": {"type": "null"}}}),
            json!({"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": false}),
        ),
        case(
            "anthropic-strict",
            "narrower",
            json!({"type": "object", "properties": {"a": {"type": "string", "format": "date-time"}}, "required": ["a"]}),
            closed(json!({"a": {"type": "string", "format": "date-time"}}), json!(["a"])),
        ),
        case(
            "anthropic-strict",
            "narrower",
            json!({
                "type": "object", "properties": {"a": {"type": "null"}},
                "anyOf": [{"$ref": "#/$defs/x"}, {"properties": {"c": {"type": "null"}}, "required": ["c"]}],
                "$defs": {"x": {"properties": {"b": {"type": "null"}}, "required": ["b"]}},
            }),
            json!({
                "$defs": {"x": {"properties": {"b": {"type": "null"}}, "required": ["b"], "additionalProperties": false}},
                "anyOf": [
                    {
                        "required": ["b"], "type": "object",
                        "properties": {"b": {"type": "null"}, "a": {"type": "null"}}, "additionalProperties": false,
                    },
                    {
                        "required": ["c"], "type": "object",
                        "properties": {"c": {"type": "null"}, "a": {"type": "null"}}, "additionalProperties": false,
                    },
                ],
            }),
        ),
        // numbers
        case(
            "anthropic-strict",
            "equal",
            closed(
                json!({"a": {"type": "integer", "minimum": 1, "exclusiveMaximum": 4}}),
                json!(["a"]),
            ),
            closed(json!({"a": {"type": "integer", "enum": [1, 2, 3]}}), json!(["a"])),
        ),
        case(
            "anthropic-strict",
            "equal",
            closed(
                json!({"a": {"type": "integer", "minimum": 1, "maximum": 20, "multipleOf": 7}}),
                json!(["a"]),
            ),
            closed(json!({"a": {"type": "integer", "enum": [7, 14]}}), json!(["a"])),
        ),
        case(
            "anthropic-strict",
            "wider",
            closed(json!({"a": {"type": "number", "minimum": 1}}), json!(["a"])),
            closed(json!({"a": {"type": "number"}}), json!(["a"])),
        ),
        case(
            "xgrammar",
            "equal",
            json!({"type": "integer", "minimum": 1.5}),
            json!({"type": "integer", "minimum": 2}),
        ),
        // lengths
        case(
            "anthropic-strict",
            "equal",
            closed(json!({"a": {"type": "string", "minLength": 1, "maxLength": 9}}), json!(["a"])),
            closed(json!({"a": {"type": "string", "pattern": "^[\\s\\S]{1,9}$"}}), json!(["a"])),
        ),
        case(
            "xgrammar",
            "equal",
            json!({"type": "string", "pattern": "^[a-c]+$", "maxLength": 3}),
            json!({"type": "string", "pattern": "^[a-c]{1,3}$"}),
        ),
        // formats
        case(
            "llguidance",
            "equal",
            json!({"type": "string", "format": "x-phone"}),
            json!({"type": "string"}),
        ),
        case(
            "llguidance",
            "equal",
            json!({"type": "string", "format": "json-pointer"}),
            json!({"type": "string", "pattern": "^(/([^~/]|~[01])*)*$"}),
        ),
        case(
            "llguidance",
            "wider",
            json!({"type": "string", "format": "iri"}),
            json!({"type": "string"}),
        ),
        // patterns
        case(
            "xgrammar",
            "equal",
            json!({"type": "string", "pattern": "b"}),
            json!({"type": "string", "pattern": "^[\\s\\S]*b[\\s\\S]*$"}),
        ),
        case(
            "llama.cpp",
            "equal",
            json!({"type": "string", "pattern": "^\\d{3}$"}),
            json!({"type": "string", "pattern": "^[0-9]{3}$"}),
        ),
        case(
            "llguidance",
            "equal",
            json!({"type": "string", "pattern": "^(?=a)[a-c]$"}),
            json!({"enum": ["a"]}),
        ),
        case(
            "llguidance",
            "equal",
            json!({"type": "string", "pattern": "^(?!ab)[a-c]+$"}),
            json!({"type": "string", "pattern": "^([bc][a-c]*|a([ac][a-c]*)?)$"}),
        ),
        // unions
        case(
            "cohere",
            "equal",
            json!({"type": "object", "required": ["a"], "properties": {"a": {"oneOf": [{"type": "string"}, {"type": "null"}]}}}),
            json!({"type": "object", "required": ["a"], "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}),
        ),
        case(
            "llguidance",
            "equal",
            json!({"oneOf": [{"type": "integer", "minimum": 0}, {"type": "integer", "maximum": 9}]}),
            json!({"anyOf": [{"type": "integer", "maximum": -1}, {"type": "integer", "minimum": 10}]}),
        ),
        case(
            "gemini-openapi",
            "equal",
            json!({"type": ["string", "integer"], "minimum": 3, "maxLength": 2}),
            json!({"anyOf": [{"type": "string", "maxLength": 2}, {"type": "integer", "minimum": 3}]}),
        ),
        case(
            "xgrammar",
            "equal",
            json!({"type": "integer", "anyOf": [{"maximum": 3}, {"minimum": 10}]}),
            json!({"anyOf": [{"maximum": 3, "type": "integer"}, {"minimum": 10, "type": "integer"}]}),
        ),
        // logic
        case(
            "cohere",
            "equal",
            json!({"type": "object", "required": ["a"], "allOf": [{"properties": {"a": {"type": "null"}}}]}),
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "null"}}}),
        ),
        case(
            "llguidance",
            "equal",
            json!({"type": "object", "properties": {"a": {}}, "unevaluatedProperties": false}),
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
        ),
        case(
            "llguidance",
            "equal",
            json!({"type": "object", "propertyNames": {"pattern": "^a"}, "additionalProperties": {"type": "null"}}),
            json!({"type": "object", "patternProperties": {"^a": {"type": "null"}}, "additionalProperties": false}),
        ),
        case(
            "llguidance",
            "narrower",
            json!({"type": "array", "items": {"type": "integer"}, "contains": {"minimum": 5}}),
            json!({"type": "array", "items": {"type": "integer", "minimum": 5}, "minItems": 1}),
        ),
        // printed
        case(
            "llguidance",
            "equal",
            json!({
                "title": "t", "type": "object", "additionalProperties": false,
                "properties": {"a": {"type": "integer", "description": "d"}, "b": {"type": "string"}},
                "dependentRequired": {"a": ["b"]},
            }),
            json!({
                "title": "t", "anyOf": [
                    {
                        "type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": false,
                    },
                    {
                        "type": "object",
                        "properties": {"a": {"type": "integer", "description": "d"}, "b": {"type": "string"}},
                        "required": ["a", "b"], "additionalProperties": false,
                    },
                ],
            }),
        ),
        case(
            "xgrammar",
            "equal",
            json!({"not": {"type": ["string", "object", "array", "number"]}}),
            json!({"type": ["null", "boolean"]}),
        ),
        // references
        case(
            "openai-strict",
            "equal",
            json!({
                "type": "object", "additionalProperties": false, "required": ["a"],
                "properties": {"a": {"$ref": "#/definitions/x"}}, "definitions": {"x": {"type": "null"}},
            }),
            json!({
                "type": "object", "additionalProperties": false, "required": ["a"],
                "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "null"}},
            }),
        ),
        case(
            "llama.cpp",
            "equal",
            json!({"$ref": "#n", "$defs": {"x": {"$anchor": "n", "type": "integer"}}}),
            json!({"$ref": "#/$defs/x", "$defs": {"x": {"$anchor": "n", "type": "integer"}}}),
        ),
        case(
            "openai-strict",
            "equal",
            json!({
                "type": "object", "additionalProperties": false, "required": ["a"],
                "properties": {"a": {"$ref": "#/$defs/x", "maximum": 5}}, "$defs": {"x": {"type": "integer"}},
            }),
            json!({
                "type": "object", "additionalProperties": false, "required": ["a"],
                "properties": {"a": {"maximum": 5, "type": "integer"}}, "$defs": {"x": {"type": "integer"}},
            }),
        ),
        // tuples
        case(
            "xgrammar",
            "equal",
            json!({"type": "array", "items": [{"type": "null"}], "additionalItems": false}),
            json!({"type": "array", "prefixItems": [{"type": "null"}], "items": false}),
        ),
        // names
        case("gemini", "equal", json!({"const": "a"}), json!({"enum": ["a"]})),
        case(
            "anthropic-strict",
            "equal",
            json!({"const": {"a": 1}}),
            closed(json!({"a": {"enum": [1]}}), json!(["a"])),
        ),
    ]
}

#[test]
fn rewritings_have_the_relation_of_their_table() {
    let mut failures = Vec::new();
    for Case { schema, target, relation, lowered } in cases() {
        match lowered_for(&schema, target, &LowerOptions::default()) {
            Ok(found) if found.relation == relation && found.schema == lowered => {}
            Ok(found) => failures.push(format!(
                "{target} {schema}\n  {} {}\n  expected {relation} {lowered}\n  {:?} {:?}",
                found.relation, found.schema, found.rewritten, found.undecided
            )),
            Err(error) => failures.push(format!("{target} {schema}: {error}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_required_member_that_is_forbidden_leaves_no_object() {
    let schema = json!({
        "type": "object", "properties": {
            "a": {"type": "array", "items": {"type": "object", "required": ["x"], "additionalProperties": false}},
        },
    });
    let lowered = lowered_for(&schema, "xgrammar", &LowerOptions::default()).unwrap();
    assert_eq!(lowered.relation, "equal");
    assert_eq!(lowered.schema["properties"]["a"], json!({"type": "array", "maxItems": 0}));
}

#[test]
fn targets_of_references_that_no_keyword_holds_are_kept() {
    let schema = json!({
        "type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/group/one"}},
        "$defs": {"group": {"one": {"type": "array", "items": {"$ref": "#/$defs/group/two"}}, "two": {"type": "null"}}},
    });
    let lowered = lowered_for(&schema, "anthropic-strict", &LowerOptions::default()).unwrap();
    assert_eq!(lowered.relation, "narrower", "{:#}", lowered.schema);
    let written = jsonschema::validator_for(&lowered.schema).unwrap();
    assert!(written.is_valid(&json!({"a": [null]})) && !written.is_valid(&json!({"a": [1]})));
    let kept = lowered_for(&schema, "llguidance", &LowerOptions::default()).unwrap();
    assert_eq!(kept.schema, schema);
}

#[test]
fn a_definition_without_values_leaves_no_dangling_reference() {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": {"a": {"anyOf": [{"$ref": "#/$defs/none"}, {"type": "null"}]}},
        "$defs": {"none": false},
    });
    let lowered = lowered_for(&schema, "openai-strict", &LowerOptions::default()).unwrap();
    assert_eq!(lowered.relation, "equal");
    assert_eq!(lowered.schema["properties"]["a"], json!({"anyOf": [{"type": "null"}]}));
    assert!(!lowered.text.contains("$ref"), "{}", lowered.text);
}

#[test]
fn lowering_again_changes_nothing() {
    for Case { schema, target, .. } in cases() {
        let Ok(once) = lowered_for(&schema, target, &LowerOptions::default()) else { continue };
        let source = Source::new("<test>", once.text.clone());
        let twice = lower(&source, &pack(target).unwrap(), &LowerOptions::default()).unwrap();
        assert_eq!(twice.text, once.text, "{target}: {schema}");
        assert_eq!(twice.relation, "equal");
    }
}

#[test]
fn a_source_without_findings_is_returned_byte_by_byte() {
    let text = "{ \"type\":\"object\",\n \"properties\": {\"a\": {\"type\": \"string\"} }, \"required\":[\"a\"] , \"additionalProperties\" : false}";
    for target in [
        "openai-strict",
        "anthropic-strict",
        "llguidance",
        "xgrammar",
        "llama.cpp",
        "outlines",
        "gemini",
        "grammarc",
    ] {
        let lowered =
            lower(&Source::new("<test>", text), &pack(target).unwrap(), &LowerOptions::default())
                .unwrap();
        assert_eq!(lowered.text, text, "{target}: {:?}", lowered.findings);
        assert_eq!((lowered.relation, lowered.proved, lowered.kept), ("equal", true, true));
    }
}

#[test]
fn optional_members_and_the_root_have_stand_ins() {
    let schema = json!({
        "type": "array", "items": {
            "type": "object", "additionalProperties": false, "required": ["v"],
            "properties": {"v": {"type": ["integer", "null"]}, "s": {"type": "string"}, "c": {"$ref": "#"}},
        },
    });
    let lowered = lowered_for(&schema, "openai-strict", &LowerOptions::default()).unwrap();
    assert_eq!((lowered.relation, lowered.proved), ("equal", true), "{:#}", lowered.schema);
    assert_eq!(lowered.stand_ins.len(), 3, "{:?}", lowered.stand_ins);
    assert!(check(&lowered.schema, &pack("openai-strict").unwrap()).is_empty());
    let source = jsonschema::validator_for(&schema).unwrap();
    let written = jsonschema::validator_for(&lowered.schema).unwrap();
    let outputs = [
        (json!({"value": []}), json!([])),
        (json!({"value": [{"v": null, "s": null, "c": null}]}), json!([{"v": null}])),
        (
            json!({"value": [{"v": 1, "s": "x", "c": [{"v": 2, "s": null, "c": null}]}]}),
            json!([{"v": 1, "s": "x", "c": [{"v": 2}]}]),
        ),
    ];
    for (output, decoded) in outputs {
        assert!(written.is_valid(&output), "{output} in {:#}", lowered.schema);
        assert_eq!(unstand(&output, &lowered.schema, &lowered.stand_ins), decoded);
        assert!(source.is_valid(&decoded));
    }
}

#[test]
fn a_member_that_may_be_null_gets_no_stand_in() {
    let schema =
        closed(json!({"a": {"type": ["string", "null"]}, "b": {"type": "string"}}), json!([]));
    let lowered = lowered_for(&schema, "openai-strict", &LowerOptions::default()).unwrap();
    assert_eq!(lowered.relation, "narrower");
    assert_eq!(lowered.stand_ins.len(), 1);
    assert!(
        lowered.lost.iter().any(|lost| lost.witness.as_deref() == Some("{}")),
        "{:?}",
        lowered.lost
    );
    let none = LowerOptions { null_for_absent: false, ..LowerOptions::default() };
    let lowered = lowered_for(&schema, "openai-strict", &none).unwrap();
    assert_eq!((lowered.relation, lowered.stand_ins.len()), ("narrower", 0));
}

#[test]
fn recursion_is_written_out_to_a_depth() {
    let schema = json!({
        "$ref": "#/$defs/n",
        "$defs": {"n": {
            "type": "object", "additionalProperties": false, "required": ["v"],
            "properties": {"v": {"type": "integer"}, "n": {"$ref": "#/$defs/n"}},
        }},
    });
    let narrower = lowered_for(&schema, "anthropic-strict", &LowerOptions::default()).unwrap();
    assert_eq!((narrower.relation, narrower.kept), ("narrower", true), "{:#}", narrower.schema);
    let validator = jsonschema::validator_for(&narrower.schema).unwrap();
    assert!(
        validator.is_valid(&json!({"v": 1, "n": {"v": 2, "n": {"v": 3}}})),
        "{:#}",
        narrower.schema
    );
    assert!(!validator.is_valid(&json!({"v": 1, "n": {"v": 2, "n": {"v": 3, "n": {"v": 4}}}})));
}

#[test]
fn a_loss_on_the_wrong_side_is_not_kept() {
    let schema = json!({"type": "string", "format": "iri"});
    for (keep, kept) in [(Keep::Narrower, false), (Keep::Wider, true), (Keep::Equal, false)] {
        let options = LowerOptions { keep, ..LowerOptions::default() };
        let lowered = lowered_for(&schema, "llguidance", &options).unwrap();
        assert_eq!((lowered.relation, lowered.kept), ("wider", kept), "{keep:?}");
        assert!(lowered.lost[0].witness.is_some());
    }
}

#[test]
fn undocumented_keywords_are_left_out_unless_they_are_kept() {
    let schema = closed(
        json!({"a": {"type": "string", "contentEncoding": "base64", "minLength": 200}}),
        json!(["a"]),
    );
    let lowered = lowered_for(&schema, "openai-strict", &LowerOptions::default()).unwrap();
    assert_eq!(lowered.relation, "wider", "{:#}", lowered.schema);
    let keep = LowerOptions { keep_undocumented: true, ..LowerOptions::default() };
    let lowered = lowered_for(&schema, "openai-strict", &keep).unwrap();
    assert_eq!((lowered.relation, &lowered.schema), ("equal", &schema));
    assert!(lowered.findings.iter().all(|finding| finding.severity == Severity::Uncertain));
}

#[test]
fn errors_are_typed() {
    let options = LowerOptions::default();
    let openai = pack("openai-strict").unwrap();
    let error = |text: &str| lower(&Source::new("<test>", text), &openai, &options).unwrap_err();
    assert!(matches!(error("{"), LowerError::Source(_)));
    assert!(matches!(error(r#"{"type": "object", "type": "null"}"#), LowerError::Source(_)));
    assert!(matches!(error(r#"{"type": 3}"#), LowerError::Source(_)));
    let empty = r#"{"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "maxLength": 1}}, "required": ["a"]}"#;
    assert!(matches!(error(empty), LowerError::NoInstances), "{:?}", error(empty));
    let mut deep = json!({"type": "null"});
    for _ in 0..12 {
        deep = closed(json!({ "a": deep }), json!(["a"]));
    }
    match error(&deep.to_string()) {
        LowerError::NoRewriting(findings) => assert_eq!(findings[0].rule, "depth"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_source_that_a_target_takes_is_judged_all_the_same() {
    let grammarc = pack("grammarc").unwrap();
    let error = |text: &str| {
        lower(&Source::new("<test>", text), &grammarc, &LowerOptions::default()).unwrap_err()
    };
    let empty = r#"{"type": "string", "minLength": 2, "maxLength": 1}"#;
    assert!(matches!(error(empty), LowerError::NoInstances), "{:?}", error(empty));
    assert!(matches!(error(r#"{"type": "strin"}"#), LowerError::Source(_)));
}

#[test]
fn references_into_a_wrapped_root_follow_it() {
    let schema = json!({"anyOf": [
        {"type": "string", "maxLength": 3},
        closed(json!({"value": {"type": "integer"}, "same": {"$ref": "#/anyOf/1/properties/value"}}), json!(["value", "same"])),
    ]});
    let lowered = lowered_for(&schema, "openai-strict", &LowerOptions::default()).unwrap();
    assert_eq!((lowered.relation, lowered.proved), ("equal", true), "{:#}", lowered.schema);
    let validator = jsonschema::validator_for(&lowered.schema).unwrap();
    let cases = [
        (json!("abc"), true),
        (json!({"value": 1, "same": 2}), true),
        (json!({"value": 1, "same": "x"}), false),
    ];
    for (value, is_valid) in cases {
        assert_eq!(
            validator.is_valid(&json!({"value": value})),
            is_valid,
            "{value} in {:#}",
            lowered.schema
        );
    }
}

#[test]
fn levels_of_recursion_take_free_names() {
    let schema = json!({
        "$ref": "#/$defs/n",
        "$defs": {
            "n": closed(json!({"v": {"$ref": "#/$defs/n_level_2"}, "n": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}}), json!(["v", "n"])),
            "n_level_2": {"type": "integer"},
        },
    });
    let lowered = lowered_for(&schema, "anthropic-strict", &LowerOptions::default()).unwrap();
    assert_eq!(lowered.relation, "narrower", "{:#}", lowered.schema);
    let validator = jsonschema::validator_for(&lowered.schema).unwrap();
    assert!(validator.is_valid(&json!({"v": 1, "n": {"v": 2, "n": null}})), "{:#}", lowered.schema);
    assert!(!validator.is_valid(&json!({"v": {"v": 1, "n": null}, "n": null})));
}

#[test]
fn copies_of_references_have_a_limit() {
    let mut definitions = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        let one = closed(json!({"a": next, "b": next}), json!(["a", "b"]));
        definitions.insert(format!("d{level}"), one);
    }
    definitions.insert("d40".to_owned(), json!({"type": "null"}));
    let schema = json!({"$ref": "#/$defs/d0", "$defs": definitions});
    for target in ["gemini-openapi", "gemini", "openai-strict"] {
        match lowered_for(&schema, target, &LowerOptions::default()) {
            Err(LowerError::Stopped(_) | LowerError::NoRewriting(_) | LowerError::Source(_)) => {}
            Ok(lowered) => assert!(lowered.text.len() < 1 << 22, "{target}"),
            Err(other) => panic!("{target}: {other:?}"),
        }
    }
}
