//! The files of a folder of judged schemas: a schema, and instances that are known to be valid or not.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::failure::Problem;

/// One file.
#[derive(Debug, Deserialize)]
pub(super) struct Case {
    /// The file's name without its extension.
    #[serde(skip)]
    pub(super) id: String,
    pub(super) schema: Value,
    #[serde(default)]
    pub(super) tests: Vec<Test>,
}

/// An instance.
#[derive(Debug, Deserialize)]
pub(super) struct Test {
    pub(super) valid: bool,
    pub(super) data: Value,
}

/// The .json files of a folder, by name.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let failed = |source| Problem::Read { name: folder.display().to_string(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension() == Some(OsStr::new("json")) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<Case, Problem> {
    let name = || path.display().to_string();
    let bytes = fs::read(path).map_err(|source| Problem::Read { name: name(), source })?;
    let mut case: Case = serde_json::from_slice(&bytes).map_err(|error| Problem::Case {
        name: name(),
        problem: error.to_string(),
    })?;
    case.id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(case)
}
