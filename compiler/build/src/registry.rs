//! The schemas that references in JSON Schemas may lead to (the registry): reads files, and folders
//! of files.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use grammarc_compiler::frontend::json_schema::{ResourceError, Resources};

/// The schemas that references may lead to.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    /// Maps the URI of each schema to the schema.
    pub resources: Resources,
    /// Paths of the files that were read and of the folders that were listed.
    pub inputs: Vec<PathBuf>,
}

/// The reason why a schema cannot be added to the registry.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// A file or folder cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Path of the file or folder.
        path: PathBuf,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// A file of the registry is not JSON.
    #[error("in the registry, {} is not JSON: {problem}", path.display())]
    Json {
        /// Path of the file.
        path: PathBuf,
        /// The error of the JSON parser.
        problem: serde_json::Error,
    },
    /// A file of the registry contains JSON that cannot be used as a schema.
    #[error("in the registry, {} cannot be used: {problem}", path.display())]
    Resource {
        /// Path of the file.
        path: PathBuf,
        /// The reason why the schema cannot be used.
        problem: ResourceError,
    },
}

/// Reads the schemas of every argument, `PATH` or `URI=PATH`, in order. A later schema replaces an
/// earlier one of the same URI. Paths are relative to `root`.
///
/// # Errors
///
/// The first file that cannot be read or used.
pub fn read(root: &Path, arguments: &[OsString]) -> Result<Registry, RegistryError> {
    let mut registry = Registry::default();
    let Registry { resources, inputs } = &mut registry;
    for argument in arguments {
        let (base, path) = split(argument);
        let path = root.join(path);
        if !path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let uri = if base.is_empty() { encode(&name) } else { base };
            add(resources, &uri, &path)?;
            inputs.push(path);
            continue;
        }
        let slash = if base.is_empty() || base.ends_with('/') { "" } else { "/" };
        let base = base + slash;
        let is_json = |file: &Path| file.extension().is_some_and(|extension| extension == "json");
        let found = files(&path, is_json);
        for file in found.map_err(|(path, source)| RegistryError::Read { path, source })? {
            let name = file.strip_prefix(&path).unwrap_or(&file);
            let names: Vec<_> = name.iter().map(|name| encode(&name.to_string_lossy())).collect();
            add(resources, &format!("{base}{}", names.join("/")), &file)?;
            inputs.push(file);
        }
        inputs.push(path);
    }
    Ok(registry)
}

/// Splits an argument into the URI before the last `=` and the path. Without a URI the first part
/// is empty. A text before `=` is a URI only if it contains `:`.
fn split(argument: &OsString) -> (String, PathBuf) {
    if let Some((uri, path)) = argument.to_str().and_then(|text| text.rsplit_once('='))
        && uri.contains(':')
    {
        return (uri.to_owned(), PathBuf::from(path));
    }
    (String::new(), PathBuf::from(argument))
}

/// Percent-encodes a file name as one segment of a URI.
fn encode(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

/// Returns the wanted files in a folder and the folders below it, sorted by path. The error has the
/// folder that cannot be read, and the operating system's error.
pub(crate) fn files(
    folder: &Path,
    is_wanted: impl Fn(&Path) -> bool,
) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let fails = |source| (folder.clone(), source);
        for entry in fs::read_dir(&folder).map_err(fails)? {
            let entry = entry.map_err(fails)?;
            let path = entry.path();
            // A link to a folder is not followed, so that a cycle of links cannot cause an endless
            // search.
            if entry.file_type().map_err(fails)?.is_dir() {
                folders.push(path);
            } else if is_wanted(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn add(resources: &mut Resources, uri: &str, path: &Path) -> Result<(), RegistryError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(source) => return Err(RegistryError::Read { path: path.to_owned(), source }),
    };
    let schema = serde_json::from_slice(&bytes)
        .map_err(|problem| RegistryError::Json { path: path.to_owned(), problem })?;
    let added = resources.add(uri, schema);
    added.map_err(|problem| RegistryError::Resource { path: path.to_owned(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_split_at_a_uri() {
        let parts = |text: &str| {
            let (uri, path) = split(&OsString::from(text));
            (uri, path.display().to_string())
        };
        assert_eq!(parts("schemas"), (String::new(), "schemas".into()));
        assert_eq!(parts("a=b"), (String::new(), "a=b".into()));
        assert_eq!(parts("http://x/?a=b=schemas"), ("http://x/?a=b".into(), "schemas".into()));
        assert_eq!(encode("a b/é.json"), "a%20b%2F%C3%A9.json");
    }
}
