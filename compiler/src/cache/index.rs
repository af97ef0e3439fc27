//! The index of a folder of artifacts that `grammarc build` made: it maps contents to files.
//!
//! It is JSON with all lists in a fixed order, so equal builds give equal bytes. File names are relative to the
//! folder, with `/` between their parts, and never lead out of it. The checksum of each file is that in its header,
//! so a file that another build has replaced is recognized.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::key::{COMPILER, Content, Key};

/// Name of the index within the folder.
pub const INDEX: &str = "index.json";

/// Version of the index's form.
const FORMAT: u32 = 1;

/// The index of a folder of artifacts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// Version of this form.
    format: u32,
    /// [`COMPILER`] of whoever made it.
    compiler: String,
    /// Vocabulary artifacts, by name.
    pub vocabularies: Vec<IndexedVocabulary>,
    /// Grammar artifacts, by file.
    pub artifacts: Vec<IndexedArtifact>,
}

/// A vocabulary of an [`Index`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedVocabulary {
    /// Its name in the build.
    pub name: String,
    /// The file, if it is in the folder.
    pub file: Option<String>,
    /// Digest of all that it was built from.
    pub inputs: Digest,
    /// Identity of the vocabulary.
    pub fingerprint: Digest,
    /// Digest of its shared rules.
    pub shared_digest: Digest,
    /// Checksum of the file.
    pub checksum: Digest,
    /// Length of the file.
    pub bytes: u64,
}

/// A grammar artifact of an [`Index`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedArtifact {
    /// Its file.
    pub file: String,
    /// The source's name.
    pub source: String,
    /// The vocabulary's name in the build.
    pub vocabulary: String,
    /// The content that it serves.
    pub content: Content,
    /// The key that it was made from.
    pub key: Key,
    /// Checksum of the file.
    pub checksum: Digest,
    /// Length of the file.
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
        /// The form.
        found: u32,
    },
    /// The name of a file leads out of the folder.
    #[error("the index names {name:?}, which is no file of the folder")]
    File {
        /// The name.
        name: String,
    },
}

impl Index {
    /// An index of this compiler's, in order.
    pub fn new(
        mut vocabularies: Vec<IndexedVocabulary>,
        mut artifacts: Vec<IndexedArtifact>,
    ) -> Self {
        vocabularies.sort_by(|a, b| a.name.cmp(&b.name));
        artifacts.sort_by(|a, b| a.file.cmp(&b.file));
        Self { format: FORMAT, compiler: COMPILER.to_owned(), vocabularies, artifacts }
    }

    /// Reads an index, of this compiler or another.
    ///
    /// # Errors
    ///
    /// The text is no index of this form, or names a file outside its folder.
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

    /// The text of the index.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts and numbers are JSON") + "\n"
    }

    /// [`COMPILER`] of whoever made it.
    pub fn compiler(&self) -> &str {
        &self.compiler
    }

    /// The names of all files that it lists.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let vocabularies = self.vocabularies.iter().filter_map(|one| one.file.as_deref());
        vocabularies.chain(self.artifacts.iter().map(|one| one.file.as_str()))
    }
}

/// Returns the path of a file in an index. `None` if it would lead out of the folder.
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
