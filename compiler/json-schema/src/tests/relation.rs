//! Relations of two schemas: verdicts, witnesses, and the keywords that differ.

use grammarc_grammar::diagnostics::Source;

use crate::relation::{Compared, Effect, Relation, RelationOptions, Side, Which, compare};

fn compared(left: &str, right: &str) -> Compared {
    let [a, b] = [left, right].map(|text| Source::new("<test>", text));
    compare(&a, &b, &RelationOptions::default())
        .unwrap_or_else(|refused| panic!("{left} {right}: {refused:?}"))
}

#[test]
fn relations_of_pairs() {
    use Relation::{Contains, Disjoint, Equal, Overlapping, Within};
    let list = |item: &str| {
        format!(
            r##"{{"$ref": "#/$defs/l", "$defs": {{"l": {{"type": "object", "properties": {{"v": {item}, "next": {{"$ref": "#/$defs/l"}}}}, "required": ["v"], "additionalProperties": false}}}}}}"##
        )
    };
    let two_rules = r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/b"}}, "required": ["v"], "additionalProperties": false}, "b": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/a"}}, "required": ["v"], "additionalProperties": false}}}"##;
    let (integers, numbers) = (list(r#"{"type": "integer"}"#), list(r#"{"type": "number"}"#));
    let cases = [
        ("true", "{}", Equal),
        ("false", r#"{"type": "string", "enum": [1]}"#, Equal),
        (r#"{"type": "integer"}"#, r#"{"type": "number"}"#, Within),
        (r#"{"type": "integer"}"#, r#"{"type": "number", "multipleOf": 1}"#, Equal),
        (r#"{"minimum": 0}"#, r#"{"minimum": 1}"#, Contains),
        (r#"{"type": "string"}"#, r#"{"type": "integer"}"#, Disjoint),
        (r#"{"enum": [1, 2]}"#, r#"{"enum": [2, 3]}"#, Overlapping),
        (r#"{"const": 1.0}"#, r#"{"const": 1}"#, Equal),
        (r#"{"enum": [{"a": 1, "b": 2}]}"#, r#"{"const": {"b": 2, "a": 1}}"#, Equal),
        (r#"{"required": ["a"]}"#, "{}", Within),
        (r#"{"pattern": "^a+$"}"#, r#"{"pattern": "^a*$"}"#, Within),
        (
            r#"{"type": "string", "maxLength": 3}"#,
            r#"{"type": "string", "pattern": "^.{0,3}$"}"#,
            Contains,
        ),
        (
            r#"{"items": {"type": "integer"}, "minItems": 2}"#,
            r#"{"items": {"type": "integer"}, "minItems": 1}"#,
            Within,
        ),
        (
            r#"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#,
            r#"{"type": ["null", "string"]}"#,
            Equal,
        ),
        (&integers, &numbers, Within),
        (&integers, two_rules, Equal),
    ];
    for (left, right, relation) in cases {
        let found = compared(left, right);
        assert_eq!(found.relation, relation, "{left} {right}: {found:#?}");
        let turned = match relation {
            Within => Contains,
            Contains => Within,
            other => other,
        };
        assert_eq!(compared(right, left).relation, turned, "{right} {left}");
    }
}

#[test]
fn witnesses_are_short_and_plain() {
    let found = compared(
        r#"{"type": "object", "required": ["id"]}"#,
        r#"{"type": "object", "required": ["id", "n"]}"#,
    );
    assert_eq!(found.left_only.witness(), Some(r#"{"id":0}"#));
    assert_eq!(found.right_only, Side::Empty { assuming: Vec::new() });
    let found = compared(
        r#"{"type": "integer", "maximum": 150}"#,
        r#"{"type": "integer", "maximum": 140}"#,
    );
    assert_eq!(found.left_only.witness(), Some("141"));
    let unique = compared(
        r#"{"type": "array", "items": {"enum": [1, 2]}, "minItems": 2}"#,
        r#"{"type": "array", "items": {"enum": [1, 2]}, "minItems": 2, "uniqueItems": true}"#,
    );
    assert_eq!(unique.left_only.witness(), Some("[1,1]"));
    assert_eq!(unique.right_only, Side::Empty { assuming: Vec::new() });
}

#[test]
fn two_versions_with_one_identifier_and_dialects_of_their_own() {
    let version = |least: u32| {
        format!(
            r##"{{"$id": "https://x.org/s", "type": "object", "properties": {{"a": {{"$ref": "#/$defs/a"}}}}, "$defs": {{"a": {{"minimum": {least}}}}}}}"##
        )
    };
    let found = compared(&version(0), &version(1));
    assert_eq!(found.relation, Relation::Contains, "{found:#?}");
    assert_eq!(found.left_only.witness(), Some(r#"{"a":0}"#));
    let old = r##"{"$schema": "http://json-schema.org/draft-04/schema#", "id": "https://x.org/s", "minimum": 3, "exclusiveMinimum": true}"##;
    let new =
        r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "exclusiveMinimum": 3}"##;
    assert_eq!(compared(old, new).relation, Relation::Equal);
}

#[test]
fn changes_name_keywords_and_effects() {
    let left = r#"{"type": "object", "description": "x", "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}, "old": {"type": "null"}}, "additionalProperties": false}"#;
    let right = r#"{"type": "object", "description": "y", "properties": {"q": {"type": ["string", "null"]}, "limit": {"type": "integer", "minimum": 1}}, "additionalProperties": false}"#;
    let found = compared(left, right);
    let changes: Vec<_> = found
        .changes
        .iter()
        .map(|change| {
            (change.left.as_deref(), change.right.as_deref(), &*change.keyword, change.effect)
        })
        .collect();
    assert_eq!(
        changes,
        [
            (Some("/description"), Some("/description"), "description", Effect::None),
            (Some("/properties/old"), None, "properties", Effect::Different),
            (Some("/properties/q/type"), Some("/properties/q/type"), "type", Effect::Wider),
            (None, Some("/properties/limit/minimum"), "minimum", Effect::Narrower),
        ]
    );
}

#[test]
fn errors_are_those_of_their_side() {
    let options = RelationOptions::default();
    let good = Source::new("<good>", "{}");
    for (text, code) in [
        ("{", "json-schema::syntax"),
        (r##"{"$ref": "#/x"}"##, "json-schema::unresolved-reference"),
        ("1,2", "json-schema::syntax"),
    ] {
        let bad = Source::new("<bad>", text);
        let refused = compare(&good, &bad, &options).unwrap_err();
        assert_eq!(refused.side, Which::Right, "{text}");
        assert!(!refused.errors.is_empty(), "{text} {code}");
        assert_eq!(compare(&bad, &good, &options).unwrap_err().side, Which::Left);
    }
}

#[test]
fn keywords_that_are_not_exact_prove_nothing() {
    // `hostname` leaves out names that begin with `xn--`.
    let name = r#"{"const": "xn--bcher-kva.de"}"#;
    for right in [
        r#"{"not": {"format": "hostname"}}"#,
        r##"{"not": {"$ref": "#/$defs/h"}, "$defs": {"h": {"format": "hostname"}}}"##,
    ] {
        let found = compared(name, right);
        assert!(!matches!(found.left_only, Side::Empty { .. }), "{right}: {found:#?}");
    }
    let host = r#"{"type": "string", "format": "hostname"}"#;
    let left = format!(
        r#"{{"properties": {{"p": {name}, "q": {host}}}, "required": ["p"], "type": "object"}}"#
    );
    let right = format!(r#"{{"properties": {{"p": {host}, "q": {host}}}, "type": "object"}}"#);
    let found = compared(&left, &right);
    assert!(!matches!(found.both, Side::Empty { .. }), "{found:#?}");
    // What both have in equal schemas is said.
    let both = |more: &str| format!(r#"{{"properties": {{"q": {host}}}, "type": "object"{more}}}"#);
    let found = compared(&both(r#", "required": ["q"]"#), &both(""));
    // An instance of the right schema alone might rest on the same keyword.
    assert!(matches!(found.right_only, Side::Unknown(_)), "{found:#?}");
    assert!(
        matches!(&found.left_only, Side::Empty { assuming } if !assuming.is_empty()),
        "{found:#?}"
    );
}

#[test]
fn keywords_that_others_read_have_effects() {
    let cases = [
        (
            r#"{"if": {"type": "string"}}"#,
            r#"{"if": {"type": "string"}, "then": {"minLength": 1}}"#,
            "then",
            Effect::Narrower,
        ),
        (
            r#"{"contains": {}, "minContains": 1}"#,
            r#"{"contains": {}, "minContains": 2}"#,
            "minContains",
            Effect::Narrower,
        ),
        (r#"{"title": "a"}"#, r#"{"title": "b"}"#, "title", Effect::None),
    ];
    for (left, right, keyword, effect) in cases {
        let changes = compared(left, right).changes;
        let found: Vec<_> =
            changes.iter().map(|change| (&*change.keyword, change.effect)).collect();
        assert_eq!(found, [(keyword, effect)], "{left} {right}");
    }
}
