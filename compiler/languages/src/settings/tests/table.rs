//! Compares the table of options with the options in code.

use serde_json::{Map, Value, json};

use crate::settings::{Language, OPTIONS, OptionRow, OptionValue, Settings};

/// Returns a valid value of an option that is not its default.
fn example(row: &OptionRow) -> Value {
    match (row.name, row.value) {
        ("whitespace", _) => json!("compact"),
        ("levels", _) => json!(3),
        ("separator", _) => json!(";"),
        (_, OptionValue::Flag) => json!(true),
        (_, OptionValue::Number(_) | OptionValue::NumberOrNames) => json!(5),
        (_, OptionValue::Choice(names)) => json!(names.last().expect("there are names").0),
        (_, OptionValue::Several(names)) => json!([names[0].0]),
        (_, OptionValue::Text(_)) => json!("text"),
        (_, OptionValue::Pair(_)) => json!([", ", ": "]),
        (_, OptionValue::Names) => json!(["a"]),
        (_, OptionValue::Schema) => json!({"type": "string"}),
        ("resources", OptionValue::ByName) => json!({"urn:a:b": true}),
        (_, OptionValue::ByName) => json!({"a": {"language": "regex", "text": "a"}}),
    }
}

#[test]
fn languages_have_the_options_that_the_table_says_and_no_others() {
    for row in &OPTIONS {
        for language in Language::ALL {
            let mut given: Map<String, Value> =
                [(row.name.to_owned(), example(row))].into_iter().collect();
            if row.name == "levels" {
                given.insert("whitespace".to_owned(), json!("indented"));
            }
            let read = Settings::of(language, given);
            let may = row.languages.contains(&language);
            // An option of another language is unknown, or is passed on to the schemas and unknown
            // there.
            assert_eq!(
                read.as_ref().is_ok_and(|read| *read != Settings::new(language).unwrap()),
                may,
                "{} of {}: {read:?}",
                row.name,
                language.name()
            );
        }
    }
}

#[test]
fn defaults_and_choices_are_those_of_the_code() {
    for row in &OPTIONS {
        let OptionValue::Choice(names) = row.value else { continue };
        for (name, _) in names {
            let given = [(row.name.to_owned(), json!(name))].into_iter().collect();
            let language = row.languages[0];
            let read = Settings::of(language, given).expect("a choice is read");
            let is_default = read == Settings::new(language).unwrap();
            assert_eq!(is_default, *name == row.default, "{} {name}", row.name);
        }
    }
}
