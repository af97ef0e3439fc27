//! The index of a folder of artifacts that `grammarc build` made: it maps contents to files. A content identifies a
//! language, by a digest of everything that affects it.
//!
//! The index is JSON with all lists in a fixed order, so equal builds give equal bytes. File names are relative to the
//! folder, with `/` between their parts, and never lead out of it. The checksum of each file is the one in its header,
//! so a file that another build has replaced is recognized.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::key::{COMPILER, Content, Key};

/// The name of the index file within the folder.
pub const INDEX: &str = "index.json";

/// The version of the index's form. An index of another version is rejected.
const FORMAT: u32 = 1;

/// The index of a folder of artifacts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The version of the index's form.
    format: u32,
    /// The [`COMPILER`] of the program that made the folder.
    compiler: String,
    /// The vocabulary artifacts, in the order of their names.
    pub vocabularies: Vec<IndexedVocabulary>,
    /// The grammar artifacts, in the order of their files.
    pub artifacts: Vec<IndexedArtifact>,
}

/// A vocabulary of an [`Index`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedVocabulary {
    /// The name of the vocabulary in the build.
    pub name: String,
    /// The vocabulary's file. `None` if it is not in the folder.
    pub file: Option<String>,
    /// A digest of everything that the vocabulary was built from.
    pub inputs: Digest,
    /// The fingerprint, which identifies the vocabulary's tokens.
    pub fingerprint: Digest,
    /// A digest of the vocabulary's shared rules.
    pub shared_digest: Digest,
    /// The checksum in the header of the vocabulary's file.
    pub checksum: Digest,
    /// The length of the vocabulary's file, in bytes.
    pub bytes: u64,
}

/// A grammar artifact of an [`Index`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedArtifact {
    /// The file of the artifact.
    pub file: String,
    /// The name of the source.
    pub source: String,
    /// The name of the vocabulary in the build.
    pub vocabulary: String,
    /// The content that the artifact serves: its language, independent of the source's name and layout.
    pub content: Content,
    /// The key of the request that the artifact was made for.
    pub key: Key,
    /// The checksum in the header of the file.
    pub checksum: Digest,
    /// The length of the file, in bytes.
    pub bytes: u64,
}

/// Why a text is no index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The text is not the JSON of an index.
    #[error("the index cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// The index has another format version.
    #[error("the index has form {found}, and this version of grammarc reads form {FORMAT}")]
    Format {
        /// The version of the form.
        found: u32,
    },
    /// The name of a file leads out of the folder.
    #[error("the index names {name:?}, which is no file of the folder")]
    File {
        /// The file name in the index.
        name: String,
    },
}

impl Index {
    /// Returns an index that this compiler made, with both lists sorted.
    pub fn new(
        mut vocabularies: Vec<IndexedVocabulary>,
        mut artifacts: Vec<IndexedArtifact>,
    ) -> Self {
        vocabularies.sort_by(|a, b| a.name.cmp(&b.name));
        artifacts.sort_by(|a, b| a.file.cmp(&b.file));
        Self { format: FORMAT, compiler: COMPILER.to_owned(), vocabularies, artifacts }
    }

    /// Parses an index, which this compiler or another one made.
    ///
    /// # Errors
    ///
    /// If the text is not the JSON of an index of this form, or names a file outside its folder.
    pub fn parse(text: &[u8]) -> Result<Self, IndexError> {
        #[derive(Deserialize)]
        struct Form {
            format: u32,
        }
        let Form { format: found } = serde_json::from_slice(text)?;
        if found != FORMAT {
            return Err(IndexError::Format { found });
        }
        let index: Self = serde_json::from_slice(text)?;
        let stray = index.files().find(|name| file_of(Path::new(""), name).is_none());
        let stray = stray.map(str::to_owned);
        stray.map_or(Ok(index), |name| Err(IndexError::File { name }))
    }

    /// Returns the text of the index.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts and numbers are JSON") + "\n"
    }

    /// Returns the [`COMPILER`] of the program that made the index.
    pub fn compiler(&self) -> &str {
        &self.compiler
    }

    /// Returns the names of all files in the index, first those of vocabularies.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let vocabularies = self.vocabularies.iter().filter_map(|one| one.file.as_deref());
        vocabularies.chain(self.artifacts.iter().map(|one| one.file.as_str()))
    }
}

/// Returns the path of a file that an index names. `None` if the name is empty or would lead out of the folder.
pub fn file_of(folder: &Path, name: &str) -> Option<PathBuf> {
    let relative = Path::new(name);
    let tame = relative.components().all(|part| matches!(part, Component::Normal(_)));
    (tame && !name.is_empty()).then(|| folder.join(relative))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(file: &str) -> Index {
        let digest = Digest([1; 32]);
        let artifact = IndexedArtifact {
            file: file.to_owned(),
            source: "s.json".to_owned(),
            vocabulary: "v".to_owned(),
            content: Content(digest),
            key: Key(digest),
            checksum: digest,
            bytes: 9,
        };
        Index::new(Vec::new(), vec![artifact])
    }

    #[test]
    fn an_index_is_read_as_it_was_written() {
        let index = index("v/a.gmask");
        assert_eq!(Index::parse(index.text().as_bytes()).expect("it is one"), index);
        assert_eq!(index.compiler(), COMPILER);
        assert_eq!(file_of(Path::new("f"), "v/a.gmask"), Some(PathBuf::from("f/v/a.gmask")));
    }

    #[test]
    fn no_file_is_outside_the_folder() {
        for name in ["../a.gmask", "/a.gmask", "v/../../a", "", "./a"] {
            let read = Index::parse(index(name).text().as_bytes());
            assert!(matches!(read, Err(IndexError::File { .. })), "{name}");
        }
    }

    #[test]
    fn other_forms_are_told() {
        let text = index("a").text().replace("\"format\": 1", "\"format\": 2");
        assert!(matches!(Index::parse(text.as_bytes()), Err(IndexError::Format { found: 2 })));
        assert!(matches!(Index::parse(b"[]"), Err(IndexError::Json(_))));
        assert!(matches!(Index::parse(b"{\"format\": 1}"), Err(IndexError::Json(_))));
    }
}
