//! Folders of artifacts that `grammarc build` made, as first layers of a cache: read, and never written.
//!
//! A layer serves a request by its [content](Content): the same source under any name and layout, with the same
//! front-end options, for the same vocabulary. The artifact keeps its own metadata (the source's name, the recorded
//! options) from its build.
//!
//! The index is read when the layer is opened. A file that was replaced or damaged since then counts as absent. A
//! folder that was rebuilt must be opened anew.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use grammarc_artifacts::{GrammarArtifact, VocabularyArtifact};
use rustc_hash::FxHashMap;

use super::digest::Digest;
use super::index::{INDEX, Index, IndexError, file_of};
use super::key::{COMPILER, Content};

/// The name of the environment variable that lists the folders of layers, in the format of `PATH`.
pub const VARIABLE: &str = "GRAMMARC_ARTIFACTS";

/// A folder of prebuilt artifacts, which are read and never written. A clone shares the index.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The path of the folder.
    folder: PathBuf,
    /// The files and vocabularies of the folder.
    index: Arc<Known>,
}

/// The index of a layer, as it is used for look-ups.
#[derive(Debug)]
struct Known {
    /// Maps the content that an artifact serves, its language, to the artifact's file.
    files: FxHashMap<Content, File>,
    /// For each vocabulary, its fingerprint and the digest of its shared rules, and the number of artifacts for it.
    vocabularies: Vec<([Digest; 2], usize)>,
}

/// A grammar artifact's file in a layer.
#[derive(Debug)]
struct File {
    /// The path of the file.
    path: PathBuf,
    /// The checksum that the index has for the file.
    checksum: [u8; 32],
}

/// Why a folder is no layer.
#[derive(Debug, thiserror::Error)]
pub enum LayerError {
    /// The folder has no readable index.
    #[error("cannot read {}, the index of a folder of artifacts", path.display())]
    Read {
        /// The path of the index file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The index of the folder cannot be used.
    #[error("{}", path.display())]
    Index {
        /// The path of the index file.
        path: PathBuf,
        /// The error of the index.
        source: IndexError,
    },
    /// The folder was built by another version, which may compile the same sources to other artifacts.
    #[error(
        "the artifacts in {} were built by grammarc {found}, and this is {COMPILER}; build them again",
        folder.display()
    )]
    /// Another version of grammarc built the folder. It may compile the same sources to other artifacts.
    Compiler {
        /// The path of the folder.
        folder: PathBuf,
        /// The version that built the folder.
        found: String,
    },
}

impl Layer {
    /// Opens the layer in a folder that `grammarc build` made. Reads the index and no artifact.
    ///
    /// # Errors
    ///
    /// If the folder has no readable index, or was built by another version of grammarc.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, LayerError> {
        let folder = folder.into();
        let path = folder.join(INDEX);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(source) => return Err(LayerError::Read { path, source }),
        };
        let index = match Index::parse(&text) {
            Ok(index) => index,
            Err(source) => return Err(LayerError::Index { path, source }),
        };
        if index.compiler() != COMPILER {
            return Err(LayerError::Compiler { folder, found: index.compiler().to_owned() });
        }
        let vocabularies = index.vocabularies.iter().map(|vocabulary| {
            let own = index.artifacts.iter().filter(|one| one.vocabulary == vocabulary.name);
            ([vocabulary.fingerprint, vocabulary.shared_digest], own.count())
        });
        let vocabularies = vocabularies.collect();
        let files = index.artifacts.iter().filter_map(|artifact| {
            let path = file_of(&folder, &artifact.file)?;
            Some((artifact.content, File { path, checksum: artifact.checksum.0 }))
        });
        let files = files.collect();
        Ok(Self { folder, index: Arc::new(Known { files, vocabularies }) })
    }

    /// Opens the layers that the environment variable [`VARIABLE`] names, in its order. Empty if it is not set.
    /// Nothing else reads the variable.
    ///
    /// # Errors
    ///
    /// If one of the folders is not a layer.
    pub fn from_environment() -> Result<Vec<Self>, LayerError> {
        let folders = env::var_os(VARIABLE).unwrap_or_default();
        let folders = env::split_paths(&folders).filter(|folder| !folder.as_os_str().is_empty());
        folders.map(Self::open).collect()
    }

    /// Returns the path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the number of artifacts for a vocabulary. If it is zero, the layer serves no request for the vocabulary.
    pub fn artifacts_for(&self, vocabulary: &VocabularyArtifact) -> usize {
        let wanted = [vocabulary.fingerprint(), vocabulary.shared_digest()].map(Digest);
        let own = self.index.vocabularies.iter().filter(|(identity, _)| *identity == wanted);
        own.map(|(_, count)| count).sum()
    }

    /// Opens the artifact that serves a content. `None` unless the folder has an artifact of the content, undamaged and
    /// with the checksum of the index.
    pub fn get(
        &self,
        content: &Content,
        vocabulary: &VocabularyArtifact,
    ) -> Option<GrammarArtifact> {
        let File { path, checksum } = self.index.files.get(content)?;
        let artifact = GrammarArtifact::open(path, vocabulary).ok()?;
        (artifact.checksum() == *checksum).then_some(artifact)
    }
}
