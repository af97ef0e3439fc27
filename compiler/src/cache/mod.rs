//! Artifacts kept in a folder, so that a source is compiled once: the call for a server that meets schemas at run time
//! is [`Cache::get_or_compile`].
//!
//! An entry is a grammar artifact like any other, in a file named by its [`Key`]. A hit reads no schema: it digests the
//! source's bytes, maps the file and checks it, as every opening does. A file that fails the check, because it was cut
//! short, damaged, or written for other shared rules, counts as absent and is written anew.
//!
//! # Processes beside each other
//!
//! A file appears under its name by a rename, whole or not at all, and is never changed. Two writers of one key write
//! the same bytes, so it does not matter who is last. Any program may delete any file at any time: a map that is open
//! keeps its bytes, and the next request compiles again. That is also how a folder is kept small; nothing here deletes.
//!
//! # What a hit does not give
//!
//! Findings about a source are those of its compilation and are not repeated. What became of each keyword is in the
//! artifact's report.

mod key;

use std::fs;
use std::path::{Path, PathBuf};

use grammarc_artifacts::{Buffer, Error, GrammarArtifact, VocabularyArtifact, write};

use crate::budget::Budget;
use crate::compile::{CompileError, CompileOptions, Compiler};
use crate::diagnostics::{Diagnostic, Source};
use crate::frontend::FrontEnd;

pub use key::Key;

/// A folder of grammar artifacts.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// An artifact by way of a cache.
#[derive(Debug)]
pub struct Cached {
    /// The artifact.
    pub artifact: GrammarArtifact,
    /// Where it came from.
    pub origin: Origin,
    /// Findings of the compilation; none where there was no compilation.
    pub findings: Vec<Diagnostic>,
}

/// Where an artifact came from.
#[derive(Debug)]
pub enum Origin {
    /// It was in the folder.
    Found,
    /// It was compiled, and is in the folder now.
    Made,
    /// It was compiled and could not be kept. The artifact is as good as any.
    NotKept(Error),
}

/// Why there is no artifact.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The source has errors.
    #[error("{}", .0.first().map(ToString::to_string).unwrap_or_default())]
    Source(Vec<Diagnostic>),
    /// The grammar does not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

impl Cache {
    /// The cache in a folder, which is made where it does not exist.
    ///
    /// # Errors
    ///
    /// Where the folder can be neither found nor made.
    pub fn new(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        let folder = folder.into();
        match fs::create_dir_all(&folder) {
            Ok(()) => Ok(Self { folder }),
            Err(source) => Err(Error::Io { action: "create", path: folder, source }),
        }
    }

    /// The file of a key, whether it is there or not.
    pub fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{key}.gmask"))
    }

    /// The artifact of a key, where the folder has a whole one.
    pub fn get(&self, key: &Key, vocabulary: &VocabularyArtifact) -> Option<GrammarArtifact> {
        GrammarArtifact::open(&self.path(key), vocabulary).ok()
    }

    /// Keeps an artifact under a key.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written.
    pub fn put(&self, key: &Key, artifact: &Buffer) -> Result<(), Error> {
        write::replace(&self.path(key), artifact)
    }

    /// The artifact of a source: the one in the folder, or a new one that is kept there.
    ///
    /// # Errors
    ///
    /// What compiling it finds wrong. Errors are not kept: a source that is refused is read again each time.
    pub fn get_or_compile(
        &self,
        compiler: &Compiler,
        front_end: &FrontEnd,
        source: &Source,
        options: &CompileOptions,
        budget: &Budget,
    ) -> Result<Cached, CacheError> {
        let vocabulary = compiler.vocabulary();
        let key = Key::new(vocabulary, front_end, source, options);
        if let Some(artifact) = self.get(&key, vocabulary) {
            return Ok(Cached { artifact, origin: Origin::Found, findings: Vec::new() });
        }
        let lowered = front_end.lower(source.clone(), budget).map_err(CacheError::Source)?;
        let compiled = compiler.compile(&lowered, front_end.kind(), options, budget)?;
        let artifact = compiled.to_sealed_artifact(compiler)?;
        let findings = lowered.findings.into_iter().chain(compiled.findings).collect();
        let origin = match self.put(&key, artifact.container().buffer()) {
            Ok(()) => Origin::Made,
            Err(error) => Origin::NotKept(error),
        };
        Ok(Cached { artifact, origin, findings })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

#[cfg(test)]
mod tests;
