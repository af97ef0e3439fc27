//! The page of structural tags: its example compiles, and it has the styles that there are.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::lowered;

fn read(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn examples_compile() {
    let page = read("../docs/grammars/structural-tags.md");
    let examples: Vec<&str> =
        page.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty());
    for example in examples {
        let tag: Value = serde_json::from_str(example).expect("the example is JSON");
        assert!(lowered(&tag).is_ok(), "{example}");
    }
}

#[test]
fn every_style_has_a_row() {
    let page = read("../docs/grammars/structural-tags.md");
    let folder = "languages/src/structural_tag/styles";
    let mut count = 0;
    for style in
        fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("it is there")
    {
        let path = style.expect("it can be read").path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|_| path.is_file())
        else {
            continue;
        };
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("{name} has no row"));
        let style: Value =
            serde_json::from_str(&read(&format!("{folder}/{name}.json"))).expect("JSON");
        assert!(row.contains(style["models"].as_str().expect("models")), "{name}");
        for alias in style["aliases"].as_array().expect("aliases") {
            assert!(row.contains(&format!("`{}`", alias.as_str().expect("a name"))), "{name}");
        }
        count += 1;
    }
    assert_eq!(count, 21);
    for style in
        fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder).join("members"))
            .expect("it is there")
    {
        let path = style.expect("it can be read").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        assert!(page.contains(&format!("| `{name}` |")), "{name} has no row");
    }
}
