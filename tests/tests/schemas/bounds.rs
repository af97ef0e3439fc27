//! Counting keywords, in both orders of keys and two forms of text: each bound holds to the last repetition, the report calls it
//! exact, and the artifact is as small as that of a tenth of the bound.
//!
//! The steps that large bounds take, and bounds of other languages, are in `suite/bounds.rs`.

use grammarc_compiler::diagnostics::report::Verdict;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_runtime::{ByteMatcher, Grammar};
use grammarc_tests::schemas::{Compiled, compile};

/// A schema with a bound `N` and the bound; what comes before, between and after the repetitions, the repeated part
/// where `#` is the number of the repetition, and whether the bound is the most or the least.
struct Bounded {
    schema: &'static str,
    bound: u32,
    parts: [&'static str; 4],
    most: bool,
}

const fn most(schema: &'static str, bound: u32, parts: [&'static str; 4]) -> Bounded {
    Bounded { schema, bound, parts, most: true }
}

const STRING: [&str; 4] = ["\"", "é", "", "\""];
const ITEMS: [&str; 4] = ["[", "12", ",", "]"];
const MEMBERS: [&str; 4] = ["{", "\"k#\":1", ",", "}"];

const SCHEMAS: [Bounded; 12] = [
    most(r#"{"type": "string", "maxLength": N}"#, 65_535, STRING),
    most(r#"{"type": "string", "pattern": "^[a-zé]*$", "maxLength": N}"#, 65_535, STRING),
    most(r#"{"type": "array", "items": {"type": "integer"}, "maxItems": N}"#, 10_000, ITEMS),
    most(r#"{"type": "array", "maxItems": N}"#, 10_000, ITEMS),
    most(r#"{"type": "array", "prefixItems": [{"const": 12}], "maxItems": N}"#, 10_000, ITEMS),
    most(r#"{"type": "array", "not": {"minItems": N}, "minItems": 1}"#, 10_001, ITEMS),
    most(r#"{"type": "object", "maxProperties": N}"#, 1_000, MEMBERS),
    most(r#"{"additionalProperties": {"type": "integer"}, "maxProperties": N}"#, 1_000, MEMBERS),
    most(r#"{"properties": {"k0": {"const": 1}}, "maxProperties": N}"#, 1_000, MEMBERS),
    Bounded {
        schema: r#"{"type": "string", "minLength": N}"#,
        bound: 5_000,
        parts: STRING,
        most: false,
    },
    Bounded {
        schema: r#"{"type": "array", "minItems": N}"#,
        bound: 5_000,
        parts: ITEMS,
        most: false,
    },
    Bounded {
        schema: r#"{"type": "object", "minProperties": N}"#,
        bound: 1_000,
        parts: MEMBERS,
        most: false,
    },
];

fn text(parts: [&str; 4], count: u32) -> String {
    let [before, part, between, after] = parts;
    let parts: Vec<_> = (0..count).map(|at| part.replace('#', &at.to_string())).collect();
    format!("{before}{}{after}", parts.join(between))
}

/// Long texts byte by byte, without their masks.
fn accepts(grammar: &Grammar, text: &str) -> bool {
    let mut matcher = ByteMatcher::new(grammar);
    matcher.accept(text.as_bytes()).is_ok() && matcher.is_accepting()
}

/// The schema with the bound, compiled.
fn bounded(schema: &str, bound: u32, options: &JsonSchemaOptions) -> Compiled {
    let schema = schema.replace('N', &bound.to_string());
    compile(&schema, options).unwrap_or_else(|refusal| panic!("{schema}: {refusal:?}"))
}

#[test]
fn bounds_cost_nothing_and_hold() {
    for order in [KeyOrder::Schema, KeyOrder::Any] {
        for text_form in [TextForm::SHORT, TextForm::WIDE] {
            let options = JsonSchemaOptions {
                text: text_form,
                key_order: order,
                ..JsonSchemaOptions::default()
            };
            for Bounded { schema, bound, parts, most } in SCHEMAS {
                // With keys in any order written keys are distinguished where members are counted.
                if order == KeyOrder::Any && schema.contains("Properties") {
                    continue;
                }
                let tenth = bounded(schema, bound / 10, &options);
                let whole = bounded(schema, bound, &options);
                let slack = tenth.size + tenth.size / 5 + 1_024;
                assert!(whole.size <= slack, "{schema}: {} and {} bytes", tenth.size, whole.size);
                // A key that is written twice counts twice towards a minimum, which the report says.
                let twice = schema.contains("minProperties")
                    || (schema.contains("maxProperties") && schema.contains("\"not\""));
                assert_eq!(whole.has(Verdict::Approximate), twice, "{schema}");
                assert!(!whole.has(Verdict::Narrower), "{schema}");
                let last = if schema.contains("\"not\"") { bound - 1 } else { bound };
                for (count, expected) in
                    [(last - 1, most), (last, true), (last + 1, !most), (last + 7, !most)]
                {
                    let found = accepts(&whole.grammar, &text(parts, count));
                    assert_eq!(found, expected, "{schema}, N = {bound}: {count} repetitions");
                }
            }
        }
    }
}
