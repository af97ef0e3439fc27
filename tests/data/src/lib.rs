//! What tests of all crates draw on: data that is no part of the repository, and random numbers.
//!
//! Data is looked for under `GRAMMARC_DATA`, or in `../shared/data` beside the workspace. Tests say aloud when they skip.

mod random;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use random::Rng;

/// The folder of all test data, whether or not it is there.
pub fn root() -> PathBuf {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    std::env::var_os("GRAMMARC_DATA").map_or_else(beside, PathBuf::from)
}

/// A folder of the test data, where it is there.
pub fn data(name: &str) -> Option<PathBuf> {
    Some(root().join(name)).filter(|folder| folder.is_dir())
}

/// The JSON files of a folder and of those in it, sorted by path.
pub fn files(folder: &Path) -> Vec<(PathBuf, Value)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is readable") {
            let path = entry.expect("the entry is readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let text = std::fs::read_to_string(&path).expect("the file is readable");
                found.push((path, serde_json::from_str(&text).expect("the file is JSON")));
            }
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}
