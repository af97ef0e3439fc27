//! The page of promises names tests that there are.

use std::collections::BTreeSet;
use std::path::Path;

/// Names of functions in sources of Rust and Python below a folder.
fn functions(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let is_built = ["target", ".git", "node_modules"].iter().any(|built| name == *built);
        if path.is_dir() && !is_built {
            functions(&path, found);
            continue;
        }
        if !path.extension().is_some_and(|kind| kind == "rs" || kind == "py") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
        for line in text.lines().map(str::trim_start) {
            let name = ["fn ", "async fn ", "pub fn ", "def "]
                .iter()
                .find_map(|key| line.strip_prefix(key));
            let name = name.and_then(|rest| rest.split(['(', '<']).next());
            found.extend(name.map(str::to_owned));
        }
    }
}

#[test]
fn each_promise_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/promises.md")).expect("the page is there");
    let mut there = BTreeSet::new();
    functions(&root, &mut there);
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = rows.filter_map(|row| row.split_once(" | "));
    let mut promises = 0;
    let mut missing = Vec::new();
    for (promise, tests) in rows.filter(|(promise, _)| !["promise", "---"].contains(promise)) {
        let named: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test of: {promise}");
        missing.extend(
            named
                .into_iter()
                .filter(|name| !there.contains(*name))
                .map(|name| format!("{name}: {promise}")),
        );
        promises += 1;
    }
    assert!(missing.is_empty(), "{} tests are gone:\n{}", missing.len(), missing.join("\n"));
    assert!(promises > 50, "{promises} promises");
}
