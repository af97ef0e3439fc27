//! Builds a folder of grammar artifacts from a manifest, `grammarc.toml`: sources times vocabularies.
//!
//! ```text
//! grammarc.toml ─ manifest ─► plan ─► vocabularies ─► look ─► make ─► artifacts, index
//!                 (errors     (files)  (opened, or    (what is (what is
//!                 with places)         built)          fresh)   not)
//! ```
//!
//! [`Build`] is the whole of it, for the command `grammarc build`, for other tools, and for build scripts:
//!
//! ```no_run
//! fn main() -> Result<(), grammarc_build::BuildError> {
//!     // Compiles what `grammarc.toml` lists into OUT_DIR, and names that folder to the crate as `GRAMMARC_OUT`.
//!     grammarc_build::Build::new().cargo()?;
//!     Ok(())
//! }
//! ```
//!
//! # What holds for the output
//!
//! - It has an [index](grammarc_compiler::cache::Index) of its artifacts by what they serve, so that the folder is a
//!   [layer](grammarc_compiler::cache::Layer) of a cache: a request with the same source, whatever its name and layout,
//!   compiles nothing.
//! - Equal inputs give equal bytes, index included, on any number of threads.
//! - A file is written whole or not at all, the index last; who reads the old one meanwhile finds files that it does not
//!   mean, sees so by their checksums, and takes them for absent.
//! - Files are deleted where their sources are gone or are refused, and only those that the index before listed.
//!
//! Content alone decides whether a file is up to date: [the key](grammarc_compiler::cache::Key) covers text, name,
//! options, vocabulary and compiler.
//!
//! Tests: `tests/build/` of this crate, and `cli/tests/cli/build.rs` for the command.

mod depfile;
mod error;
pub mod include;
mod look;
mod make;
mod manifest;
mod outcome;
mod plan;
pub mod registry;
mod script;
mod steps;
mod vocabularies;

use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Instant;

use grammarc_artifacts::write;
use grammarc_compiler::cache::{INDEX, Index};
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::deny::Deny;

use manifest::Manifest;
use steps::Steps;

pub use error::BuildError;
pub use outcome::{BuiltArtifact, BuiltVocabulary, Outcome, Refused, Stale, Why};
pub use steps::Progress;

/// Name of a manifest.
pub const MANIFEST: &str = "grammarc.toml";

/// A build to be done.
#[derive(Clone, Debug)]
pub struct Build {
    manifest: PathBuf,
    output: Option<PathBuf>,
    threads: Option<NonZero<usize>>,
    deny: Vec<Deny>,
}

impl Default for Build {
    fn default() -> Self {
        Self::new()
    }
}

impl Build {
    /// The build of the manifest in the current folder.
    pub fn new() -> Self {
        Self { manifest: MANIFEST.into(), output: None, threads: None, deny: Vec::new() }
    }

    /// Another manifest.
    #[must_use]
    pub fn manifest(mut self, path: impl Into<PathBuf>) -> Self {
        self.manifest = path.into();
        self
    }

    /// The folder of artifacts, in place of the one that the manifest names; relative to the current folder.
    #[must_use]
    pub fn output(mut self, folder: impl Into<PathBuf>) -> Self {
        self.output = Some(folder.into());
        self
    }

    /// So many threads, in place of one for each processor. The output does not depend on it.
    #[must_use]
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Keywords that no source may have, besides those that the manifest denies.
    #[must_use]
    pub fn deny(mut self, what: impl IntoIterator<Item = Deny>) -> Self {
        self.deny.extend(what);
        self
    }

    /// Builds what is not up to date, deletes what is superfluous, and writes the index.
    ///
    /// # Errors
    ///
    /// If nothing could be built. The errors of single sources are in the outcome.
    pub fn run(&self) -> Result<Outcome, BuildError> {
        self.run_with(&|_| ())
    }

    /// The same, which reports its progress, from any thread.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_with(
        &self,
        progress: &(dyn Fn(Progress<'_>) + Sync),
    ) -> Result<Outcome, BuildError> {
        let started = Instant::now();
        let manifest = self.read()?;
        let output = self.folder(&manifest)?;
        fs::create_dir_all(&output).map_err(|source| BuildError::Artifact {
            path: output.clone(),
            source: grammarc_artifacts::Error::Io {
                action: "create",
                path: output.clone(),
                source,
            },
        })?;
        let before = index(&output)?;
        let steps = Steps::new(
            &self.manifest,
            &manifest,
            &output,
            before.as_ref(),
            self.threads,
            progress,
        )?;
        let mut outcome = steps.make()?;
        outcome.seconds = started.elapsed().as_secs_f64();
        Ok(outcome)
    }

    /// The files that a build would write or delete; none where all is up to date. Nothing is written.
    ///
    /// # Errors
    ///
    /// If the manifest, an input or the index cannot be read.
    pub fn check(&self) -> Result<Vec<Stale>, BuildError> {
        let manifest = self.read()?;
        let output = self.folder(&manifest)?;
        let before = index(&output)?;
        let progress = |_: Progress<'_>| ();
        Steps::new(&self.manifest, &manifest, &output, before.as_ref(), self.threads, &progress)?
            .check()
    }

    /// Writes the inputs of an outcome as a depfile for make and ninja, whose target is the index.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write_depfile(&self, path: &Path, outcome: &Outcome) -> Result<(), BuildError> {
        let folder = self.output.as_ref().unwrap_or(&outcome.output);
        let text = depfile::text(&folder.join(INDEX), &outcome.inputs);
        write::replace(path, text.as_bytes())
            .map_err(|source| BuildError::Artifact { path: path.to_owned(), source })
    }

    fn read(&self) -> Result<Manifest, BuildError> {
        let failed = |source| BuildError::Read { path: self.manifest.clone(), source };
        let text = fs::read_to_string(&self.manifest).map_err(failed)?;
        let source = Source::new(self.manifest.to_string_lossy(), text);
        let whole = std::path::absolute(&self.manifest).map_err(failed)?;
        let root = whole.parent().unwrap_or(Path::new("/"));
        let mut manifest = manifest::read(source.clone(), root)
            .map_err(|diagnostics| BuildError::Manifest { manifest: source, diagnostics })?;
        for group in &mut manifest.groups {
            group.deny.extend(&self.deny);
            group.deny.sort();
            group.deny.dedup();
        }
        Ok(manifest)
    }

    fn folder(&self, manifest: &Manifest) -> Result<PathBuf, BuildError> {
        let Some(folder) = self.output.as_ref().or(manifest.output.as_ref()) else {
            return Err(BuildError::NoOutput { manifest: manifest.source.name.to_string() });
        };
        std::path::absolute(folder)
            .map_err(|source| BuildError::Read { path: folder.clone(), source })
    }
}

/// The index of an output, where there is one.
fn index(output: &Path) -> Result<Option<Index>, BuildError> {
    let path = output.join(INDEX);
    match fs::read(&path) {
        Ok(text) => match Index::parse(&text) {
            Ok(index) => Ok(Some(index)),
            Err(source) => Err(BuildError::Index { path, source }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(BuildError::Read { path, source }),
    }
}
