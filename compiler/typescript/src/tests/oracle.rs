//! Compares accepted values with the schemas that `ts-json-schema-generator` 2.4.0 makes of the same sources.
//!
//! The sources and values in `tests/data/typescript` were written for this test. NAME.schema.json is the output of
//! `ts-json-schema-generator --path NAME.ts --type ROOT --no-type-check --minify`. If the schema says less about a
//! value than the type does, the value is listed with the reason, and both results are checked.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::{accepts, lowered};

fn read(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/typescript");
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn values_are_judged_as_by_another_generator_of_schemas() {
    let values: Value = serde_json::from_str(&read("values.json")).expect("it is JSON");
    for (name, values) in values.as_object().expect("an object by source") {
        let schema = serde_json::from_str(&read(&format!("{name}.schema.json"))).expect("JSON");
        let theirs = jsonschema::options().should_validate_formats(true).build(&schema);
        let theirs = theirs.unwrap_or_else(|error| panic!("{name}: {error}"));
        let ours = lowered(&read(&format!("{name}.ts")));
        let list = |kind: &str| values[kind].as_array().expect("a list").clone();
        for (kind, accepted) in [("valid", true), ("invalid", false)] {
            assert!(!list(kind).is_empty());
            for value in list(kind) {
                assert_eq!(theirs.is_valid(&value), accepted, "{name}, theirs: {value}");
                assert_eq!(accepts(&ours, &value), accepted, "{name}, ours: {value}");
            }
        }
        for one in list("differs") {
            let (value, accepted) = (&one["value"], one["accepted"] == true);
            assert_eq!(theirs.is_valid(value), !accepted, "{name}, theirs: {value}");
            assert_eq!(accepts(&ours, value), accepted, "{name}, ours: {value}");
        }
    }
}
