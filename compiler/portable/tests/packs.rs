//! Packs: every rule by its own examples, every keyword of the compiler, and errors of malformed packs.

use grammarc_json_schema::relation::RelationOptions;
use grammarc_json_schema::support_table;
use grammarc_portable::{Finding, Pack, Tool, check, check_request, pack, packs};
use serde_json::{Map, Value, json};

/// Returns the schemas of an example. An object with `$generate` describes schemas that are too long to write.
fn generated(example: &Value) -> Vec<Value> {
    let count = example.get("count").and_then(Value::as_u64).unwrap_or(0) as usize;
    match example.get("$generate").and_then(Value::as_str) {
        None => vec![example.clone()],
        Some("tools") => vec![json!({"type": "null"}); count],
        Some("properties") => {
            let members = (0..count).map(|at| (format!("a{at}"), json!({"type": "null"})));
            let names: Vec<_> = (0..count).map(|at| format!("a{at}")).collect();
            let members: Map<_, _> = members.collect();
            vec![json!({
                "type": "object", "properties": members, "required": names, "additionalProperties": false
            })]
        }
        Some("name-characters") => vec![json!({"const": "x".repeat(count)})],
        Some("enum-characters") => {
            let mut values: Vec<String> = (0..300).map(|at| format!("{at:03}")).collect();
            values.push("x".repeat(count - 900));
            vec![json!({ "enum": values })]
        }
        Some(_) => Vec::new(),
    }
}

fn findings(example: &Value, pack: &Pack) -> Vec<Finding> {
    let schemas = generated(example);
    let tools: Vec<_> = schemas.iter().map(|schema| Tool { name: "", schema }).collect();
    check_request(&tools, pack, &RelationOptions::default())
}

#[test]
fn every_rule_is_met_by_its_first_example_and_not_by_its_second() {
    let mut failures = Vec::new();
    for pack in packs() {
        for (id, meeting, other) in pack.examples() {
            let meets = |example| findings(example, pack).iter().any(|finding| finding.rule == id);
            // Rules for exceptions have no findings: the other example has one of the keyword.
            let keyword = match id {
                "min-items" => "minItems",
                "all-of-one" => "allOf",
                "if-alone" => "if",
                "unevaluated-items-alone" => "unevaluatedItems",
                _ => "",
            };
            let has = |example| findings(example, pack).iter().any(|one| one.keyword == keyword);
            let holds = match keyword {
                "" => meets(meeting) && !meets(other),
                _ => !has(meeting) && has(other),
            };
            if !holds {
                failures.push(format!("{}: {id}: {meeting} and {other}", pack.target));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_pack_says_something_of_every_keyword() {
    for pack in packs() {
        for row in support_table().filter(|row| row.drafts.is_some()) {
            assert!(pack.knows(row.name), "{}: nothing about {}", pack.target, row.name);
        }
    }
}

#[test]
fn every_source_has_an_address_and_a_date() {
    for pack in packs() {
        for (name, source) in &pack.sources {
            assert!(
                !source.address.is_empty() && source.seen.len() == 10,
                "{}: {name}",
                pack.target
            );
        }
    }
}

#[test]
fn malformed_packs_have_a_pointer() {
    let text = r#"{"target": "t", "about": "a", "reviewed": "2026-01-01", "unit": "schema", "definitions": "all",
        "sources": {"p": {"address": "https://e.org", "seen": "2026-01-01", "certainty": "documented"}},
        "unknown": {"is": "undocumented", "by": "p"},
        "keywords": {"type": {"is": "enforced", "by": "p"}},
        "rules": [{"id": "r", "where": {"type": "object"}, "is": "refused", "by": "p", "examples": [{"type": "object"}, {}]}]}"#;
    let parsed = Pack::parse(text).unwrap();
    assert_eq!(check(&json!({"type": "object"}), &parsed).len(), 1);
    let cases = [
        (r#""is": "enforced""#, r#""is": "enforcd""#, "/keywords/type/is"),
        (r#""p": {"address": "https://e.org", "#, r#""p": {"#, "/sources/p"),
        (r#""seen": "2026-01-01""#, r#""seen": "2026""#, "/sources/p/seen"),
        (r#""where": {"type""#, r#""where": {"tipe""#, "/rules/0/where/tipe"),
        (
            r#""where": {"type": "object"}"#,
            r#""where": {"reference": "deffs"}"#,
            "/rules/0/where/reference",
        ),
        (r#", "examples": [{"type": "object"}, {}]"#, "", "/rules/0"),
        (r#""by": "p", "examples""#, r#""by": "q", "examples""#, "/rules/0/by"),
        (
            r#""by": "p", "examples""#,
            r#""by": "p", "instead": ["x"], "examples""#,
            "/rules/0/instead/0",
        ),
        (
            r#""by": "p", "examples""#,
            r#""by": "p", "count": "things", "examples""#,
            "/rules/0/count",
        ),
        (r#""about": "a""#, r#""abuot": "a""#, "/abuot"),
        (r#""target": "t", "#, "", ""),
    ];
    for (from, to, pointer) in cases {
        assert!(text.contains(from), "{from}");
        let error = Pack::parse(&text.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.pointer, pointer, "{error}");
    }
    assert_eq!(Pack::parse("{").unwrap_err().pointer, "");
}

#[test]
fn a_pack_is_old_after_180_days() {
    let pack = pack("bedrock").unwrap();
    assert_eq!(pack.old("2027-01-01"), None);
    let old = pack.old("2027-11-29").unwrap();
    assert_eq!((old.days, &*old.target), (365, "bedrock"));
}

#[test]
fn counts_go_over_a_request() {
    let schema = json!({
        "type": "object", "additionalProperties": false,
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}},
    });
    let pack = pack("anthropic-strict").unwrap();
    let rules = |count: usize| -> Vec<String> {
        let names: Vec<_> = (0..count).map(|at| format!("t{at}")).collect();
        let tools: Vec<_> = names.iter().map(|name| Tool { name, schema: &schema }).collect();
        check_request(&tools, &pack, &RelationOptions::default())
            .into_iter()
            .map(|finding| finding.rule)
            .collect()
    };
    assert!(rules(8).is_empty());
    assert_eq!(rules(9), ["optional"]);
    assert_eq!(rules(21), ["optional", "tools"]);
}
