//! Lists the files that an import may read, for callers that import again only if one of them has changed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::built_in_names;
use super::import::files::{EXTENSIONS, NAMES};
use super::options::Companion;

/// Returns the existing files that an [`import`](super::import) of `spec` may read, sorted by path. For a built-in
/// vocabulary there are none. A path that is no folder is listed even if it does not exist.
///
/// # Errors
///
/// A folder cannot be listed.
pub fn inputs(spec: &str) -> io::Result<Vec<PathBuf>> {
    if built_in_names().any(|name| name == spec) {
        return Ok(Vec::new());
    }
    let path = Path::new(spec);
    let mut found = BTreeSet::new();
    let folder = if path.is_dir() {
        for entry in fs::read_dir(path)? {
            let path = entry?.path();
            let is = |names: &[&str], part: Option<&OsStr>| {
                part.and_then(OsStr::to_str).is_some_and(|part| names.contains(&part))
            };
            if is(&NAMES, path.file_name()) || is(&EXTENSIONS, path.extension()) {
                found.insert(path);
            }
        }
        path
    } else {
        found.insert(path.to_owned());
        path.parent().unwrap_or(Path::new(""))
    };
    let beside = Companion::ALL.map(|companion| folder.join(companion.file_name()));
    found.extend(beside.into_iter().filter(|path| path.is_file()));
    Ok(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beside_a_tokenizer_is_read_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let names =
            ["added_tokens.json", "config.json", "tokenizer.json", "weights.bin", "x.tiktoken"];
        names.iter().for_each(|name| drop(fs::File::create(folder.path().join(name)).unwrap()));
        let of = |spec: &Path| {
            let found = inputs(spec.to_str().unwrap()).unwrap().into_iter();
            let name = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
            found.map(name).collect::<Vec<_>>()
        };
        let beside = ["added_tokens.json", "config.json"];
        assert_eq!(of(folder.path()), [&beside[..], &["tokenizer.json", "x.tiktoken"]].concat());
        assert_eq!(of(&folder.path().join("x.tiktoken")), [&beside[..], &["x.tiktoken"]].concat());
        let built_in = built_in_names().next().unwrap();
        assert_eq!(inputs(built_in).unwrap(), [""; 0].map(PathBuf::from));
        assert!(inputs("missing.json").unwrap().contains(&PathBuf::from("missing.json")));
    }
}
