//! Compares options read by name with the options in code.

mod built_in;
mod table;

use grammarc_json_schema::{
    Escapes, Formats, Indentation, JsonSchemaOptions, KeyOrder, NumberForm, SchemaDialect,
    TextForm, Whitespace,
};

use super::*;
use crate::gbnf::GbnfOptions;

fn json_schema(text: &str) -> JsonSchemaOptions {
    match Settings::read(Language::JsonSchema, text).expect("valid options").front_end {
        FrontEnd::JsonSchema(options) => options,
        other => panic!("{other:?}"),
    }
}

fn refusal(language: Language, text: &str) -> String {
    Settings::read(language, text).expect_err("there is an error in it").to_string()
}

#[test]
fn nothing_given_is_the_default() {
    for language in Language::ALL {
        let expected = Settings::new(language).expect("it is built");
        assert_eq!(Settings::read(language, "").expect("nothing is given"), expected);
        assert_eq!(Settings::read(language, " {} ").expect("nothing is given"), expected);
        assert_eq!(expected.front_end.kind(), language.name());
        assert_eq!(Language::named(&language.name().replace('-', "_")), Some(language));
    }
    assert_eq!(Language::named("yaml"), None);
    assert_eq!(json_schema(""), JsonSchemaOptions::default());
}

#[test]
fn every_option_is_read() {
    let read = json_schema(
        r#"{"whitespace": "styled:4", "levels": 7, "surround": 3, "numbers": "canonical", "escapes": "any",
            "key_order": "any", "closed": true, "dialect": "openapi-3.0", "formats": "annotated",
            "max-unordered": 9, "max-states": 1, "max-shapes": 2, "max-rules": 3, "resources": {"a.json": {"type": "null"}}}"#,
    );
    let mut resources = grammarc_json_schema::Resources::default();
    resources.add("a.json", serde_json::json!({"type": "null"})).expect("a name");
    let expected = JsonSchemaOptions {
        text: TextForm {
            whitespace: Whitespace::Styled(Indentation { spaces: 4, levels: 7 }),
            surround: 3,
            numbers: NumberForm::Canonical,
            escapes: Escapes::Any,
            ..TextForm::default()
        },
        key_order: KeyOrder::Any,
        closed: true,
        dialect: SchemaDialect::OpenApi30,
        formats: Formats::Annotated,
        resources,
        max_unordered: 9,
        max_states: 1,
        max_shapes: 2,
        max_rules: 3,
    };
    assert_eq!(read, expected);
    let separators = json_schema(r#"{"separators": [", ", ": "]}"#).text.whitespace;
    assert_eq!(separators.to_string(), r#"separators ", " ": ""#);
    let start = Settings::read(Language::Gbnf, r#"{"start": "a"}"#).expect("an option").front_end;
    assert_eq!(
        start,
        FrontEnd::Gbnf(GbnfOptions { start: "a".to_owned(), ..GbnfOptions::default() })
    );
    let deny = r#"{"deny": ["unknown-format", "approximate", "unknown-format"]}"#;
    let deny = Settings::read(Language::JsonSchema, deny).expect("names").deny;
    assert_eq!(deny, [Deny::Approximate, Deny::UnknownFormat]);
}

#[test]
fn wrong_options_are_named() {
    for (language, text, expected) in [
        (Language::JsonSchema, r#"{"whitspace": "any"}"#, "unknown field `whitspace`"),
        (Language::JsonSchema, r#"{"whitespace": "loose"}"#, "expected natural"),
        (Language::JsonSchema, r#"{"numbers": "short"}"#, "unknown variant `short`"),
        (Language::JsonSchema, r#"{"levels": 3}"#, "`levels` is for indented"),
        (Language::JsonSchema, r#"{"separators": ["", ":"]}"#, "is not one `,`"),
        (
            Language::JsonSchema,
            r#"{"separators": [",", ":"], "whitespace": "compact"}"#,
            "only one of them",
        ),
        (Language::JsonSchema, "{", "EOF while parsing"),
        (Language::Gbnf, r#"{"closed": true}"#, "unknown field `closed`"),
        (Language::Regex, r#"{"start": "a"}"#, "unknown field `start`"),
        (Language::Choice, "[]", "invalid type: sequence"),
    ] {
        let found = refusal(language, text);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn options_are_recorded_by_their_names() {
    let text = r#"{"whitespace":"indented:4","levels":3,"closed":true,"key-order":"any"}"#;
    let recorded =
        Settings::read(Language::JsonSchema, text).expect("options").front_end.recorded();
    let recorded: Vec<String> =
        recorded.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    let expected =
        "whitespace=indented:4 numbers=natural escapes=shortest key-order=any levels=3 closed=true";
    assert_eq!(recorded.join(" "), expected);
}
