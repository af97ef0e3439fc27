//! The table of options against what people read: each option is on a page, and Python has the options of schemas as keyword
//! arguments. Settings and flags are made of the table or held against it beside the code.

use std::fs;
use std::path::Path;

use super::layers::{read, root};
use grammarc_compiler::frontend::settings::{Language, OPTIONS, OptionValue, Section};

/// The texts of the pages in a folder, those in folders within it too.
fn pages(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            text.push_str(&pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            text.push_str(&read(&path));
        }
    }
    text
}

#[test]
fn every_option_is_on_a_page() {
    let docs = pages(&root().join("docs"));
    let build = read(&root().join("docs/build.md"));
    for row in OPTIONS.iter().filter(|row| row.value != OptionValue::ByName) {
        let flag = format!("`--{}", row.flag);
        assert!(docs.contains(&flag), "no page has {flag}`");
        if row.section != Section::BuiltIn {
            assert!(
                build.contains(&format!("`{}`", row.name)),
                "{} is no key of a manifest",
                row.name
            );
        }
    }
}

#[test]
fn python_has_the_options_of_schemas() {
    let file = root().join("bindings/python/python/grammarc/compiler.py");
    let text = read(&file);
    let (_, class) = text.split_once("class JsonOptions").expect("it has the options");
    let (class, _) = class.split_once("\nclass ").expect("another class follows");
    let mut named: Vec<&str> = class
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.split_once(": "))
        .map(|(name, _)| name)
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        .collect();
    named.sort_unstable();
    let rows = OPTIONS.iter().filter(|row| {
        row.languages.contains(&Language::JsonSchema) && row.section != Section::Limits
    });
    let mut expected: Vec<String> = rows.map(|row| row.name.replace('-', "_")).collect();
    expected.sort_unstable();
    assert_eq!(named, expected);
}
