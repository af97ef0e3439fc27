//! References of every kind, one by one.

use serde_json::json;

use super::outcome;
use crate::source::resources::Resources;

/// Returns the first target of the reference at a pointer, and the codes of the warnings.
fn target(schema: &str, pointer: &str) -> Result<(String, Vec<&'static str>), &'static str> {
    with(schema, pointer, &Resources::default())
}

fn with(
    schema: &str,
    pointer: &str,
    resources: &Resources,
) -> Result<(String, Vec<&'static str>), &'static str> {
    let outcome = outcome(schema, resources).map_err(|errors| errors[0].code)?;
    let found = outcome.targets.into_iter().find(|(from, _)| from == pointer);
    Ok((found.expect("the reference is there").1, outcome.warnings))
}

/// A document whose only identifier names it is resolved without the library. One more identifier, which changes
/// nothing, makes the library resolve it; the targets must agree.
#[test]
fn pointers_lead_where_the_library_says() {
    let pointers = [
        "#",
        "#/",
        "#/a",
        "#/a/0",
        "#/a/1",
        "#/a/2",
        "#/a/00",
        "#/a/+1",
        "#/a/0/b~0~1",
        "#/a/0/b~0~1/c",
        "#/a/0/b~",
        "#/a/0/b~01",
        "#/10",
        "#/10/",
        "#/10/+1",
        "#/10/x",
        "#/a/1/x",
        "#/%61/0",
        "#x",
        "",
    ];
    for pointer in pointers {
        let led = |identifier: &str| {
            let a = r#""a": [{"b~/": {"c": true}}, false], "10": {"": true, "+1": {}}"#;
            let items = format!(r#""items": {{"$ref": "{pointer}"}}"#);
            target(&format!("{{{identifier}{a}, {items}}}"), "/items/$ref")
        };
        let asked = led(r#""x": {"$id": "y:z"}, "#);
        for name in ["", r#""$id": "http://y/z#", "#, r#""id": "y:z", "#] {
            assert_eq!(led(name), asked, "{pointer} with {name}");
        }
    }
    assert_eq!(
        target(r##"{"a": [{"b~/": {}}], "$ref": "#/a/0/b~0~1"}"##, "/$ref").unwrap().0,
        "/a/0/b~0~1"
    );
}

#[test]
fn every_spelling_leads_to_its_place() {
    let cases = [
        ("whole document", r##"{"items": {"$ref": "#"}}"##, "/items/$ref", ""),
        ("pointer", r##"{"$ref": "#/$defs/a", "$defs": {"a": true}}"##, "/$ref", "/$defs/a"),
        (
            "escapes",
            r##"{"$ref": "#/$defs/a~1b~0c%20d%25", "$defs": {"a/b~c d%": true}}"##,
            "/$ref",
            "/$defs/a~1b~0c d%",
        ),
        (
            "encoded as a whole",
            r##"{"$ref": "#%2F%24defs%2Fa", "$defs": {"a": true}}"##,
            "/$ref",
            "/$defs/a",
        ),
        (
            "empty key",
            r##"{"$ref": "#/$defs//x", "$defs": {"": {"x": true}}}"##,
            "/$ref",
            "/$defs//x",
        ),
        (
            "item",
            r##"{"prefixItems": [true, {"$ref": "#/prefixItems/0"}]}"##,
            "/prefixItems/1/$ref",
            "/prefixItems/0",
        ),
        ("no keyword", r##"{"$ref": "#/x/y", "x": {"y": {"type": "null"}}}"##, "/$ref", "/x/y"),
        ("anchor", r##"{"$ref": "#a", "$defs": {"x": {"$anchor": "a"}}}"##, "/$ref", "/$defs/x"),
        (
            "anchor of draft 7",
            r##"{"$schema": "http://json-schema.org/draft-07/schema", "allOf": [{"$ref": "#a"}], "definitions": {"x": {"$id": "#a"}}}"##,
            "/allOf/0/$ref",
            "/definitions/x",
        ),
        (
            "anchor of draft 7, undeclared",
            r##"{"$ref": "#a", "definitions": {"x": {"$id": "#a"}}}"##,
            "/$ref",
            "/definitions/x",
        ),
        (
            "anchor of draft 4",
            r##"{"$schema": "http://json-schema.org/draft-04/schema#", "allOf": [{"$ref": "#a"}], "definitions": {"x": {"id": "#a"}}}"##,
            "/allOf/0/$ref",
            "/definitions/x",
        ),
        (
            "draft 4, undeclared",
            r##"{"id": "http://x/root.json", "allOf": [{"$ref": "b.json"}], "definitions": {"x": {"id": "b.json"}}}"##,
            "/allOf/0/$ref",
            "/definitions/x",
        ),
        (
            "absolute",
            r##"{"$id": "http://x/a", "items": {"$ref": "http://x/a#/$defs/b"}, "$defs": {"b": true}}"##,
            "/items/$ref",
            "/$defs/b",
        ),
        (
            "not normal",
            r##"{"$id": "http://x/a", "items": {"$ref": "HTTP://X/c/../a"}}"##,
            "/items/$ref",
            "",
        ),
        (
            "relative to what is around it",
            r##"{"$id": "http://x/a", "$defs": {"b": {"$id": "d/b", "$ref": "c"}, "c": {"$id": "d/c"}}, "$ref": "d/b"}"##,
            "/$defs/b/$ref",
            "/$defs/c",
        ),
        (
            "pointer within a resource",
            r##"{"$id": "http://x/a", "$ref": "b", "$defs": {"b": {"$id": "b", "$ref": "#/$defs/c", "$defs": {"c": true}}}}"##,
            "/$defs/b/$ref",
            "/$defs/b/$defs/c",
        ),
        (
            "pointer across a resource",
            r##"{"$ref": "#/$defs/b/items", "$defs": {"b": {"$id": "http://x/b", "items": {"$ref": "#/$defs/c"}, "$defs": {"c": true}}}}"##,
            "/$defs/b/items/$ref",
            "/$defs/b/$defs/c",
        ),
        (
            "identifier beside a reference, draft 7",
            r##"{"$schema": "http://json-schema.org/draft-07/schema", "$id": "http://x/a", "allOf": [{"$id": "http://y/", "$ref": "b"}], "definitions": {"b": {"$id": "b"}}}"##,
            "/allOf/0/$ref",
            "/definitions/b",
        ),
        (
            "urn",
            r##"{"$id": "urn:uuid:1", "$ref": "urn:uuid:1#/$defs/a", "$defs": {"a": true}}"##,
            "/$ref",
            "/$defs/a",
        ),
        (
            "not an identifier",
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"const": {"$id": "a b"}}}}"##,
            "/$ref",
            "/$defs/a",
        ),
    ];
    for (name, schema, pointer, to) in cases {
        assert_eq!(target(schema, pointer), Ok((to.to_owned(), vec![])), "{name}: {schema}");
    }
}

#[test]
fn odd_identifiers_do_no_harm() {
    let cases = [
        // No reference leads to the schema whose identifier is no URI.
        (
            r##"{"$id": "http://a b/", "items": {"$ref": "#/$defs/a"}, "$defs": {"a": true}}"##,
            "/items/$ref",
            "/$defs/a",
            "json-schema::identifiers",
        ),
        // Editors write such identifiers by the thousand.
        (
            r##"{"$id": "http://x/root", "properties": {"p": {"$id": "/properties/p", "items": {"$ref": "#/definitions/a"}}}, "definitions": {"a": true}}"##,
            "/properties/p/items/$ref",
            "/definitions/a",
            "json-schema::reference-base",
        ),
    ];
    for (schema, pointer, to, warning) in cases {
        assert_eq!(target(schema, pointer), Ok((to.to_owned(), vec![warning])), "{schema}");
    }
    let schema =
        r##"{"$ref": "#/$defs/a", "$defs": {"a": true, "b": {"$ref": "http://nowhere/"}}}"##;
    assert_eq!(target(schema, "/$ref"), Ok(("/$defs/a".to_owned(), vec![])), "nothing uses b");
}

#[test]
fn references_to_nowhere_are_errors() {
    for (schema, code) in [
        (r##"{"$ref": "#/$defs/a"}"##, "json-schema::unresolved-reference"),
        (r##"{"$ref": "#a"}"##, "json-schema::unresolved-reference"),
        (r##"{"$ref": "a.json"}"##, "json-schema::unresolved-reference"),
        (r##"{"$ref": "http://a b"}"##, "json-schema::unresolved-reference"),
        (r##"{"$ref": "#/%FF"}"##, "json-schema::unresolved-reference"),
        (r##"{"$ref": "#/allOf/x", "allOf": [{}]}"##, "json-schema::unresolved-reference"),
        (r##"{"$ref": 5}"##, "json-schema::invalid-keyword"),
        (r##"{"$ref": "#/title", "title": "x"}"##, "json-schema::invalid-keyword"),
        (r##"{"$dynamicRef": "#a"}"##, "json-schema::unresolved-reference"),
    ] {
        let errors = outcome(schema, &Resources::default()).err().expect(schema);
        assert_eq!(errors[0].code, code, "{schema}: {errors:?}");
        assert!(!errors[0].labels.is_empty() && errors[0].pointer.is_some(), "{errors:?}");
    }
}

#[test]
fn given_schemas_are_grafted() {
    let mut resources = Resources::default();
    let list = json!({"items": {"$ref": "item.json#/$defs/n"}, "$defs": {"in": {"$id": "in.json", "items": {"$ref": "#"}}}});
    resources.add("http://x/list.json", list).unwrap();
    let item = json!({"$id": "http://x/item.json", "$defs": {"n": {"type": "null"}}});
    resources.add("http://other/", item).unwrap();
    resources.add("beside.json", json!({"type": "null"})).unwrap();
    let follow = |schema: &str, pointer: &str| with(schema, pointer, &resources).map(|(to, _)| to);

    let schema = r#"{"$id": "http://x/", "$ref": "list.json"}"#;
    assert_eq!(follow(schema, "/$ref").unwrap(), "http://x/list.json#");
    let inner = follow(schema, "http://x/list.json#/items/$ref");
    assert_eq!(inner.unwrap(), "http://x/item.json#/$defs/n");
    let schema = r##"{"$ref": "http://x/list.json#/$defs/in"}"##;
    let inner = follow(schema, "http://x/list.json#/$defs/in/items/$ref");
    assert_eq!(inner.unwrap(), "http://x/list.json#/$defs/in");
    assert_eq!(follow(r#"{"$ref": "http://other/"}"#, "/$ref").unwrap(), "http://x/item.json#");
    assert_eq!(
        follow(r#"{"$ref": "beside.json"}"#, "/$ref").unwrap(),
        "json-schema:///beside.json#"
    );
}

#[test]
fn published_metaschemas_are_there() {
    let (to, _) =
        target(r#"{"$ref": "http://json-schema.org/draft-07/schema#"}"#, "/$ref").unwrap();
    assert_eq!(to, "http://json-schema.org/draft-07/schema#");
    let schema = r#"{"$ref": "https://json-schema.org/draft/2020-12/schema"}"#;
    let outcome = outcome(schema, &Resources::default()).unwrap();
    let meta = "https://json-schema.org/draft/2020-12/";
    for (from, to) in &outcome.targets {
        if from.ends_with("$dynamicRef") {
            assert_eq!(*to, format!("{meta}schema#"), "{from}");
        }
    }
    assert!(outcome.targets.len() > 20, "{:?}", outcome.targets);
}

#[test]
fn dynamic_references_go_to_the_outermost_anchor() {
    let list = |reference: &str| {
        format!(
            r##"{{"$id": "http://x/strings", "$ref": "list", "$defs": {{
                "string": {{"$dynamicAnchor": "item", "type": "string"}},
                "list": {{"$id": "list", "items": {{"{reference}": "#item"}},
                          "$defs": {{"any": {{"$dynamicAnchor": "item"}}}}}}}}}}"##
        )
    };
    let at = |keyword: &str| format!("/$defs/list/items/{keyword}");
    let dynamic = target(&list("$dynamicRef"), &at("$dynamicRef")).unwrap().0;
    assert_eq!(dynamic, "/$defs/string");
    // A static reference to a dynamic anchor leads to the anchor's own schema.
    let fixed = target(&list("$ref"), &at("$ref")).unwrap().0;
    assert_eq!(fixed, "/$defs/list/$defs/any");
}

#[test]
fn one_schema_has_as_many_meanings_as_scopes() {
    let schema = r##"{"$id": "http://x/", "items": {"$ref": "numbers"}, "contains": {"$ref": "strings"}, "$defs": {
        "list": {"$id": "list", "items": {"$dynamicRef": "#item"}, "$defs": {"any": {"$dynamicAnchor": "item"}}},
        "numbers": {"$id": "numbers", "$ref": "list", "$defs": {"n": {"$dynamicAnchor": "item", "items": {"$ref": "list"}}}},
        "strings": {"$id": "strings", "$ref": "list", "$defs": {"s": {"$dynamicAnchor": "item", "items": {"$ref": "list"}}}}}}"##;
    let outcome = outcome(schema, &Resources::default()).unwrap();
    let item = "/$defs/list/items/$dynamicRef";
    let targets: Vec<_> = outcome.targets.iter().filter(|(from, _)| from == item).collect();
    let targets: Vec<_> = targets.iter().map(|(_, to)| to.as_str()).collect();
    assert_eq!(targets, ["/$defs/numbers/$defs/n", "/$defs/strings/$defs/s"]);
}

#[test]
fn recursive_references_go_to_the_outermost_recursive_anchor() {
    let tree = |anchor: bool| {
        format!(
            r##"{{"$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "http://x/strict",
                "$recursiveAnchor": {anchor}, "$ref": "tree", "unevaluatedProperties": false, "$defs": {{
                "tree": {{"$id": "tree", "$recursiveAnchor": true,
                          "properties": {{"children": {{"items": {{"$recursiveRef": "#"}}}}}}}}}}}}"##
        )
    };
    let at = "/$defs/tree/properties/children/items/$recursiveRef";
    assert_eq!(target(&tree(true), at).unwrap().0, "");
    assert_eq!(target(&tree(false), at).unwrap().0, "/$defs/tree");
}

#[test]
fn embedded_resources_have_their_own_dialect() {
    let schema = r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "http://x/", "$ref": "old", "$defs": {
        "old": {"$schema": "http://json-schema.org/draft-07/schema#", "$id": "http://x/old",
                "items": {"$ref": "#/definitions/a", "type": "strin"}, "definitions": {"a": true}}}}"##;
    assert_eq!(target(schema, "/$defs/old/items/$ref").unwrap().0, "/$defs/old/definitions/a");
    let new = schema.replace(
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2020-12/schema",
    );
    assert_eq!(target(&new, "/$defs/old/items/$ref"), Err("json-schema::invalid-keyword"));
}

#[test]
fn scopes_are_limited() {
    let define = |n: usize| {
        let next: Vec<_> = (0..12).map(|next| format!(r##"{{"$ref": "r{next}"}}"##)).collect();
        format!(
            r##""r{n}": {{"$id": "r{n}", "$dynamicAnchor": "a{n}", "items": {{"anyOf": [{}, {{"$dynamicRef": "#a{n}"}}]}}}}"##,
            next.join(",")
        )
    };
    let definitions: Vec<_> = (0..12).map(define).collect();
    let schema = format!(
        r##"{{"$id": "http://x/", "$ref": "r0", "$defs": {{{}}}}}"##,
        definitions.join(",")
    );
    assert_eq!(target(&schema, "/$ref"), Err("json-schema::scope-limit"));
}

#[test]
fn large_documents_take_linear_steps() {
    let definitions: Vec<_> = (0..20_000)
        .map(|n| format!(r##""d{n}": {{"items": {{"$ref": "#/$defs/d{}"}}}}"##, (n + 1) % 20_000))
        .collect();
    let schema = format!(r##"{{"$ref": "#/$defs/d0", "$defs": {{{}}}}}"##, definitions.join(","));
    let outcome = outcome(&schema, &Resources::default()).unwrap();
    assert_eq!(outcome.targets.len(), 20_001);
    assert!(outcome.steps < 8 * schema.len(), "{} steps for {} bytes", outcome.steps, schema.len());
}
