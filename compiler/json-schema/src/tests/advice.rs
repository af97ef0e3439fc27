//! Warnings, and the help of errors: one schema for each.

use super::compile;
use grammarc_grammar::diagnostics::{Diagnostic, Severity};

/// Returns the first diagnostic with a code, for a schema that compiles or not.
fn finding(schema: &str, code: &str) -> Diagnostic {
    let found = match compile(schema) {
        Ok(lowered) => lowered.findings,
        Err(errors) => errors,
    };
    let shown = format!("{schema}: {found:#?}");
    found
        .into_iter()
        .find(|diagnostic| diagnostic.code == code)
        .unwrap_or_else(|| panic!("{shown}"))
}

fn pointed<'a>(schema: &'a str, diagnostic: &Diagnostic) -> &'a str {
    &schema[diagnostic.labels[0].span.clone()]
}

#[test]
fn what_constrains_nothing_is_warned_of() {
    for (schema, words) in [
        (r#"{"name":"x","strict":true,"schema":{"type":"object"}}"#, "OpenAI response format"),
        (r#"{"name":"x","inputSchema":{"type":"object"}}"#, "MCP tool"),
        (r#"{"name":"x","input_schema":{"type":"object"}}"#, "Anthropic tool"),
        (r#"{"name":"x","description":"y","parameters":{"type":"object"}}"#, "OpenAI function"),
        (r#"{"propertys":{"a":{"type":"string"}}}"#, "unknown keywords"),
        (r#"{"$defs":{"a":{"type":"string"}}}"#, "$ref"),
        (r#"{"definitions":{"a":{"type":"string"}},"title":"t"}"#, "$ref"),
    ] {
        let warning = finding(schema, "json-schema::constrains-nothing");
        assert_eq!(warning.severity, Severity::Warning);
        let help = warning.help.clone().unwrap_or_default();
        assert!(help.contains(words), "{schema}: {help}");
    }
    for schema in [
        "{}",
        "true",
        r#"{"title":"anything"}"#,
        r#"{"maxLength":3,"foo":1}"#,
        r#"{"x-a":1,"type":"null"}"#,
    ] {
        let lowered = compile(schema).expect(schema);
        let codes: Vec<_> = lowered.findings.iter().map(|finding| finding.code).collect();
        assert!(!codes.contains(&"json-schema::constrains-nothing"), "{schema}");
    }
    let openai = r#"{"type":"json_schema","json_schema":{"name":"x","schema":{}}}"#;
    let error = finding(openai, "json-schema::invalid-keyword");
    assert!(error.help.unwrap_or_default().contains("OpenAI response format"));
}

#[test]
fn unknown_keywords_are_warned_of_once_with_the_nearest() {
    let schema = r#"{"type":"object","propertys":{},"properties":{"a":{"maxlength":3},"b":{"maxlength":3},"c":{"x-order":1}}}"#;
    let lowered = compile(schema).expect(schema);
    let unknown = lowered.findings.iter().filter(|f| f.code == "json-schema::unknown-keyword");
    let found: Vec<_> = unknown
        .map(|finding| (finding.help.as_deref().unwrap_or_default(), finding.labels.len()))
        .collect();
    assert_eq!(found, [("did you mean `properties`?", 1), ("did you mean `maxLength`?", 2)]);
}

#[test]
fn patterns_of_other_dialects_are_placed_and_translated() {
    for (schema, place, help) in [
        (r#"{"pattern":"a(?P<y>\\d+)"}"#, "(?P<", "(?<name>...)"),
        (r#"{"pattern":"(?i)abc"}"#, "(?i)", "(?i:...)"),
        (r#"{"pattern":"\\Aabc"}"#, r"\\A", "`^`"),
        (r#"{"pattern":"é\u00e9abc\\Z"}"#, r"\\Z", "`$`"),
        (r#"{"pattern":"(\\e)"}"#, r"\\e", r"\x1b"),
        (r#"{"pattern":"^\\a$"}"#, r"\\a", r"\x07"),
        (r#"{"patternProperties":{"[[:alpha:]]":true}}"#, "[[:", "[a-zA-Z]"),
        (r#"{"pattern":"(a)\\1"}"#, r"\\1", "alternatives"),
        (r#"{"pattern":"a.{40}(?=bc)"}"#, r"a.{40}(?=bc)", "between `^` and `$`"),
    ] {
        let error = finding(schema, "json-schema::pattern");
        assert_eq!(pointed(schema, &error), place, "{schema}");
        let found = error.help.clone().unwrap_or_default();
        assert!(found.contains(help), "{schema}: {found}");
    }
    let slashes = finding(r#"{"pattern":"/abc/i"}"#, "json-schema::delimited-pattern");
    assert_eq!(slashes.severity, Severity::Warning);
}

#[test]
fn references_to_nothing_suggest_what_is_there() {
    for (schema, near) in [
        (r##"{"$ref":"#/definitions/User","$defs":{"User":{}}}"##, "`#/$defs/User`"),
        (r##"{"$ref":"#/$defs/User","definitions":{"User":{}}}"##, "`#/definitions/User`"),
        (r##"{"$ref":"#/$defs/Usr","$defs":{"User":{}}}"##, "`#/$defs/User`"),
        (r##"{"$ref":"#/components/schemas/A~1b","$defs":{"A/b":{}}}"##, "`#/$defs/A~1b`"),
    ] {
        let error = finding(schema, "json-schema::unresolved-reference");
        let help = error.help.unwrap_or_default();
        assert!(help.contains(near), "{schema}: {help}");
    }
}

#[test]
fn places_that_have_no_value_by_themselves_say_so() {
    for (schema, words) in [
        ("false", "schema `false`"),
        (r#"{"enum":[]}"#, "empty `enum`"),
        (r#"{"type":"array","minItems":1,"items":{"enum":[]}}"#, "change one of the two places"),
    ] {
        let error = finding(schema, "json-schema::unsatisfiable");
        let help = error.help.unwrap_or_default();
        assert!(help.contains(words), "{schema}: {help}");
    }
    let error = finding(r#"{"type":[]}"#, "json-schema::invalid-keyword");
    assert!(error.help.unwrap_or_default().contains("leave `type` out"));
}

#[test]
fn limits_blame_the_property() {
    let long = "(?:a|b|c|d|e|f)*(?:a.{14}|b.{13})";
    let schema = format!(
        r#"{{"type":"object","properties":{{"fine":{{}},"slow":{{"allOf":[{{"pattern":"{long}"}},{{"not":{{"pattern":"^.*{long}x"}}}}]}}}}}}"#
    );
    let errors = compile(&schema).expect_err("too many states");
    let pointer = errors[0].pointer.clone().unwrap_or_default();
    assert!(pointer.starts_with("/properties/slow"), "{pointer}: {errors:?}");
}
