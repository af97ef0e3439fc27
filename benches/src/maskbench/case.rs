//! The files of a folder of judged schemas: a schema, and instances that are known to be valid or not.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::MaskbenchError;

/// One file.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// The file's name without its extension.
    #[serde(skip)]
    pub id: String,
    /// The schema.
    pub schema: Value,
    /// The instances.
    #[serde(default)]
    pub tests: Vec<Test>,
}

/// An instance.
#[derive(Clone, Debug, Deserialize)]
pub struct Test {
    /// Whether the schema accepts it.
    pub valid: bool,
    /// The instance.
    pub data: Value,
}

/// The .json files of a folder, by name.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, MaskbenchError> {
    let failed = |source| MaskbenchError::Read { path: folder.to_owned(), source };
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
///
/// # Errors
///
/// If it cannot be read or is not a schema with tests.
pub fn read(path: &Path) -> Result<Case, MaskbenchError> {
    let owned = || path.to_owned();
    let bytes = fs::read(path).map_err(|source| MaskbenchError::Read { path: owned(), source })?;
    let mut case: Case = serde_json::from_slice(&bytes)
        .map_err(|source| MaskbenchError::Case { path: owned(), source })?;
    case.id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(case)
}
