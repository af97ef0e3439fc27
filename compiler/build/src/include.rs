//! The sources that a grammar refers to by name (`@"schema.json"`): files, and folders of them.
//!
//! The library reads no files, so whoever compiles hands over what a grammar may refer to. A file is known by its own name, or by
//! the one before `=`; the files of a folder by their paths within it, behind the one before `=` where there is one. Only files whose
//! extension denotes a language are taken of a folder.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::settings::Language;
use grammarc_compiler::frontend::sources::{NamedSource, Sources};

use crate::registry::files;

/// Sources for a grammar to refer to.
#[derive(Clone, Debug, Default)]
pub struct Included {
    /// The sources by name.
    pub sources: Sources,
    /// The files that were read, and the folders that were listed.
    pub inputs: Vec<PathBuf>,
}

/// Why a source cannot be handed over.
#[derive(Debug, thiserror::Error)]
pub enum IncludeError {
    /// A file or folder cannot be read, or is not UTF-8 text.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A file whose name does not determine its language.
    #[error("cannot tell the language of {} from its name: its extension is none of {}", path.display(), Language::EXTENSIONS.map(|(extension, _)| extension).join(", "))]
    Language {
        /// The file.
        path: PathBuf,
    },
}

/// Reads every argument, `PATH` or `NAME=PATH`, in order; a later source replaces an earlier one of the same name. Paths are
/// relative to `root`.
///
/// # Errors
///
/// A file or folder that cannot be read, or a file whose name determines no language.
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

/// The name, where there is one, and the path.
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
        // The line end at the end of a file is the file's and no part of a pattern.
        Language::Regex => {
            let line = text.strip_suffix('\n').unwrap_or(text);
            line.strip_suffix('\r').unwrap_or(line)
        }
        _ => text,
    };
    // The name and not the path, which differs between checkouts, and goes into the key.
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
