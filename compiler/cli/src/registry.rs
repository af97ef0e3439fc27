//! The schemas that `--registry` makes available to references.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use grammarc_compiler::frontend::json_schema::Resources;

use crate::failure::Problem;

/// Reads every argument, `PATH` or `URI=PATH`, in order; a later schema replaces an earlier one of the same name.
pub(crate) fn read(arguments: &[OsString]) -> Result<Resources, Problem> {
    let mut resources = Resources::default();
    for argument in arguments {
        let (base, path) = split(argument);
        if !path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let uri = if base.is_empty() { encode(&name) } else { base };
            add(&mut resources, &uri, &path)?;
            continue;
        }
        let slash = if base.is_empty() || base.ends_with('/') { "" } else { "/" };
        let base = base + slash;
        for file in files(&path)? {
            let name = file.strip_prefix(&path).unwrap_or(&file);
            let names: Vec<_> = name.iter().map(|name| encode(&name.to_string_lossy())).collect();
            add(&mut resources, &format!("{base}{}", names.join("/")), &file)?;
        }
    }
    Ok(resources)
}

/// The URI, empty where there is none, and the path. What stands before the `=` is a URI where it has a scheme.
fn split(argument: &OsString) -> (String, PathBuf) {
    if let Some((uri, path)) = argument.to_str().and_then(|text| text.rsplit_once('='))
        && uri.contains(':')
    {
        return (uri.to_owned(), PathBuf::from(path));
    }
    (String::new(), PathBuf::from(argument))
}

/// A file name as a segment of a URI.
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

/// The .json files of a folder and of those in it, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let fails = |source| Problem::Read { name: folder.display().to_string(), source };
        for entry in fs::read_dir(&folder).map_err(fails)? {
            let entry = entry.map_err(fails)?;
            let path = entry.path();
            // A link to a folder is not followed, so that no circle of links goes on for ever.
            if entry.file_type().map_err(fails)?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn add(resources: &mut Resources, uri: &str, path: &Path) -> Result<(), Problem> {
    let name = || path.display().to_string();
    let bytes = fs::read(path).map_err(|source| Problem::Read { name: name(), source })?;
    let schema = serde_json::from_slice(&bytes).map_err(|error| Problem::Registry {
        name: name(),
        problem: format!("is not JSON: {error}"),
    })?;
    resources.add(uri, schema).map_err(|error| Problem::Registry {
        name: name(),
        problem: format!("cannot be used: {error}"),
    })
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
