//! `uniqueItems`: which schemas are exact, which texts the masks let through, and that walks by mask alone always end,
//! also where items run out.

use grammarc::sample::{SampleOptions, Sampler};
use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, TextForm};
use grammarc_tests::schemas::compile;
use serde_json::{Value, json};

/// A schema, the verdict on its keyword in the short form, and texts that it accepts and refuses.
struct Case {
    schema: Value,
    verdict: Verdict,
    accepted: &'static [&'static str],
    refused: &'static [&'static str],
}

fn cases() -> Vec<Case> {
    let case = |schema: Value, verdict, accepted, refused| {
        let mut schema = schema;
        schema["type"] = json!("array");
        schema["uniqueItems"] = json!(true);
        Case { schema, verdict, accepted, refused }
    };
    vec![
        case(
            json!({ "items": { "type": "string" } }),
            Verdict::Exact,
            &["[]", r#"["a"]"#, r#"["a","ab","b"]"#, r#"["\"","\\"]"#],
            &[r#"["",""]"#, r#"["a","b","a"]"#, r#"["\n","\n"]"#],
        ),
        case(
            json!({ "items": { "type": "integer", "minimum": 0 }, "minItems": 2 }),
            Verdict::Exact,
            &["[1,11,111]", "[0,1]"],
            &["[1]", "[1,1]", "[10,1,10]"],
        ),
        // As many as there are, and no more: every one has to come.
        case(
            json!({ "items": { "type": "integer", "minimum": 0, "maximum": 12 }, "minItems": 13 }),
            Verdict::Exact,
            &["[12,1,2,3,4,5,6,7,8,9,10,11,0]"],
            &["[1,2,3,4,5,6,7,8,9,10,11,12,1]", "[0,1,2,3,4,5,6,7,8,9,10,11]"],
        ),
        // More than there are: nothing is left to hold them to, and the report says so.
        case(
            json!({ "items": { "enum": [0, 1, 2, 3, 4, 5, 6, 7, 8, [9]] }, "minItems": 11 }),
            Verdict::Approximate,
            &["[0,0,0,0,0,0,0,0,0,0,0]"],
            &["[0]"],
        ),
        case(
            json!({ "items": { "type": "string" }, "maxItems": 3 }),
            Verdict::Exact,
            &[r#"["a","b","c"]"#],
            &[r#"["a","b","c","d"]"#, r#"["a","b","b"]"#],
        ),
        case(
            json!({ "items": { "type": "string" }, "maxItems": 2000 }),
            Verdict::Approximate,
            &[r#"["a","b"]"#, r#"["a","a"]"#],
            &["[1]"],
        ),
        case(
            json!({
                "items": {
                    "properties": { "id": { "type": "integer" }, "on": { "type": "boolean" } },
                    "required": ["id", "on"],
                    "additionalProperties": false,
                    "type": "object"
                },
                "minItems": 3
            }),
            Verdict::Approximate,
            &[r#"[{"id":1,"on":true},{"id":1,"on":false},{"id":2,"on":true}]"#],
            &[r#"[{"id":1,"on":true},{"id":1,"on":false},{"id":1,"on":true}]"#],
        ),
        case(
            json!({ "prefixItems": [{ "type": "boolean" }, { "type": "boolean" }] }),
            Verdict::Approximate,
            &["[]", "[true,false,1,[1]]", "[false]"],
            &["[true,true]", "[true,false,1,1]", "[true,false,true]"],
        ),
        case(
            json!({
                "items": { "type": "array", "items": { "type": "integer" }, "uniqueItems": true }
            }),
            Verdict::Approximate,
            &["[[],[1],[1,2],[2,1]]"],
            &["[[1,1]]", "[[],[]]", "[[1,2],[1,2]]"],
        ),
        // The shortest way on repeats an item, however long the one before it becomes.
        case(
            json!({ "items": { "minProperties": 1 }, "minItems": 4 }),
            Verdict::Approximate,
            &[r#"[0,1,{"a":0},{"b":0}]"#],
            &["[0,1,2]", "[0,1,2,0]", r#"[0,1,2,{}]"#],
        ),
        // Any number of items may come before the one that must.
        case(
            json!({ "contains": { "const": 7 }, "items": { "type": "integer", "minimum": 0 } }),
            Verdict::Approximate,
            &["[7]", "[1,7,2]"],
            &["[]", "[1]"],
        ),
    ]
}

#[test]
fn verdicts_and_texts() {
    for Case { schema, verdict, accepted, refused } in cases() {
        let short = JsonSchemaOptions { text: TextForm::SHORT, ..JsonSchemaOptions::default() };
        let compiled = compile(&schema.to_string(), &short);
        let compiled = compiled.unwrap_or_else(|error| panic!("{schema}: {error:?}"));
        let report = &compiled.report;
        let entry = report.entries().find(|entry| entry.pointer == "/uniqueItems");
        let entry = entry.unwrap_or_else(|| panic!("{schema}: {report:?}"));
        assert_eq!(entry.verdict, verdict, "{schema}: {}", entry.reason);
        for text in accepted {
            assert!(compiled.accepts(text), "{schema} refuses {text}");
        }
        for text in refused {
            assert!(!compiled.accepts(text), "{schema} accepts {text}");
        }
    }
}

#[test]
fn walks_end() {
    for text in [TextForm::NATURAL, TextForm::SHORT, TextForm::DUMPS, TextForm::WIDE] {
        for Case { schema, verdict, .. } in cases() {
            let options = JsonSchemaOptions { text, ..JsonSchemaOptions::default() };
            let compiled = compile(&schema.to_string(), &options).expect("it compiles");
            let validator = jsonschema::draft202012::new(&schema).expect("a schema");
            for max_tokens in [3, 20, 80] {
                let options = SampleOptions { seed: 1, max_tokens, uniform: max_tokens != 80 };
                let sampler = Sampler::new(&compiled.grammar, options);
                for number in 0..20 {
                    let sample = sampler.draw(number);
                    let sample = sample.unwrap_or_else(|error| panic!("{schema}: {error}"));
                    let value: Value = serde_json::from_slice(&sample.text).expect("JSON");
                    let exact = verdict == Verdict::Exact && text == TextForm::SHORT;
                    assert!(!exact || validator.is_valid(&value), "{schema}: {value}");
                }
            }
        }
    }
}
