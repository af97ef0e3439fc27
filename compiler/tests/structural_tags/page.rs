//! The page of structural tags: its example compiles, and it has the styles that there are.

use std::fs;
use std::path::PathBuf;

use grammarc_compiler::frontend::structural_tag;
use serde_json::Value;

use super::lowered;

/// The folder of the files of styles.
const STYLES: &str = "languages/src/structural_tag/styles";

fn read(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn style(name: &str) -> Value {
    serde_json::from_str(&read(&format!("{STYLES}/{name}.json"))).expect("JSON")
}

/// All names of a style, its own first.
pub(super) fn aliases(name: &str) -> Vec<String> {
    let style = style(name);
    let aliases = style["aliases"].as_array().expect("aliases").iter();
    let aliases = aliases.map(|alias| alias.as_str().expect("a name").to_owned());
    [name.to_owned()].into_iter().chain(aliases).collect()
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
    for name in structural_tag::styles() {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("{name} has no row"));
        assert!(row.contains(style(name)["models"].as_str().expect("models")), "{name}");
        for alias in aliases(name) {
            assert!(row.contains(&format!("`{alias}`")), "{name}");
        }
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(STYLES);
    let files = |folder: PathBuf| {
        let files = fs::read_dir(folder).expect("it is there");
        let paths =
            files.map(|file| file.expect("it can be read").path()).filter(|path| path.is_file());
        paths.collect::<Vec<_>>()
    };
    assert_eq!(files(folder.clone()).len(), structural_tag::styles().count());
    for path in files(folder.join("members")) {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        assert!(page.contains(&format!("| `{name}` |")), "{name} has no row");
    }
}
