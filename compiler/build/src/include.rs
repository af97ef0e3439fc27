//! The sources that a grammar includes by name (`@"schema.json"`): reads files, and folders of
//! files.
//!
//! The compiler reads no files, so the caller passes the sources that a grammar may include. A file
//! is known by its file name, or by the name before `=`. A file in a folder is known by its path
//! within the folder, prefixed by the name before `=` if there is one. In a folder, only files with
//! the extension of a source language are read.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::settings::Language;
use grammarc_compiler::frontend::sources::{NamedSource, Sources};

use crate::registry::files;

/// The sources that a grammar may include by name.
#[derive(Clone, Debug, Default)]
pub struct Included {
    /// Maps each name to its source.
    pub sources: Sources,
    /// Paths of the files that were read and of the folders that were listed.
    pub inputs: Vec<PathBuf>,
}

/// The reason why a source cannot be read for inclusion.
#[derive(Debug, thiserror::Error)]
pub enum IncludeError {
    /// A file or folder cannot be read, or a file is not UTF-8 text.
    #[error("cannot read {}", path.display())]
    Read {
        /// Path of the file or folder.
        path: PathBuf,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// The extension of a file belongs to no source language.
    #[error("cannot tell the language of {} from its name: its extension is none of {}", path.display(), Language::EXTENSIONS.map(|(extension, _)| extension).join(", "))]
    Language {
        /// Path of the file.
        path: PathBuf,
    },
}

/// Reads the sources of every argument, `PATH` or `NAME=PATH`, in order. A later source replaces an
/// earlier one of the same name. Paths are relative to `root`.
///
/// # Errors
///
/// A file or folder cannot be read, or the extension of a file belongs to no source language.
pub fn read(root: &Path, arguments: &[OsString]) -> Result<Included, IncludeError> {
    let mut included = Included::default();
    let Included { sources, inputs } = &mut included;
    for argument in arguments {
        let (name, path) = split(argument);
        let path = root.join(path);
        if !path.is_dir() {
            let own = || path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let language = language(&path);
            let language = language.ok_or_else(|| IncludeError::Language { path: path.clone() })?;
            add(sources, name.unwrap_or_else(own), language, &path)?;
            inputs.push(path);
            continue;
        }
        let found = files(&path, |file| language(file).is_some());
        for file in found.map_err(|(path, source)| IncludeError::Read { path, source })? {
            let below = file.strip_prefix(&path).unwrap_or(&file);
            let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
            let below = parts.join("/");
            let name =
                name.as_ref().map_or_else(|| below.clone(), |name| format!("{name}/{below}"));
            let language = language(&file).expect("those without were left out");
            add(sources, name, language, &file)?;
            inputs.push(file);
        }
        inputs.push(path);
    }
    Ok(included)
}

/// Splits an argument `NAME=PATH` or `PATH` into the name, if there is one, and the path.
fn split(argument: &OsString) -> (Option<String>, PathBuf) {
    match argument.to_str().and_then(|text| text.split_once('=')) {
        Some((name, path)) => (Some(name.to_owned()), PathBuf::from(path)),
        None => (None, PathBuf::from(argument)),
    }
}

fn language(path: &Path) -> Option<Language> {
    Language::of_file_name(path.file_name().and_then(OsStr::to_str)?)
}

fn add(
    sources: &mut Sources,
    name: String,
    language: Language,
    path: &Path,
) -> Result<(), IncludeError> {
    let fails = |source| IncludeError::Read { path: path.to_owned(), source };
    let text = fs::read_to_string(path).map_err(fails)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = match language {
        // A line end at the end of the file belongs to the file, not to the regular expression.
        Language::Regex => {
            let line = text.strip_suffix('\n').unwrap_or(text);
            line.strip_suffix('\r').unwrap_or(line)
        }
        _ => text,
    };
    // The name goes into the cache key. The path does not, because it differs between checkouts.
    let source = Source::new(name.as_str(), text);
    let language = language.name().to_owned();
    sources.add(name, NamedSource { language, options: serde_json::Map::new(), source });
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "inputs")]

    use super::*;

    #[test]
    fn files_and_folders_have_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("it is below")).expect("a folder");
            fs::write(path, text).expect("it is written");
        };
        write("a.json", "true");
        write("in/b.regex", "a+\r\n");
        write("in/deep/c.ts", "type A = 1");
        write("in/d.tag.json", "{}");
        write("in/notes.txt", "no source");
        let names = |arguments: &[&str]| {
            let arguments: Vec<OsString> = arguments.iter().map(Into::into).collect();
            let included = read(folder.path(), &arguments).map_err(|error| error.to_string())?;
            let shown = format!("{:?}", included.sources);
            Ok::<_, String>((shown, included.inputs.len()))
        };
        let (shown, inputs) = names(&["a.json", "x=a.json", "in", "y=in"]).expect("all is there");
        for name in ["a.json", "x", "b.regex", "deep/c.ts", "y/b.regex", "y/deep/c.ts"] {
            assert!(shown.contains(&format!("{name:?}: NamedSource")), "{name} in {shown}");
        }
        assert!(shown.contains("text: \"a+\"") && !shown.contains("notes"), "{shown}");
        assert!(
            shown.contains(r#""d.tag.json": NamedSource { language: "structural-tag""#),
            "{shown}"
        );
        assert_eq!(inputs, 10);
        for (argument, expected) in
            [("in/notes.txt", "cannot tell the language"), ("none.json", "cannot read")]
        {
            let error = names(&[argument]).expect_err("it cannot be used");
            assert!(error.contains(expected), "{error}");
        }
    }
}
