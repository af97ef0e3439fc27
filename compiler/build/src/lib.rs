//! Builds a folder of grammar artifacts from a manifest, `grammarc.toml`: each source is compiled
//! for each vocabulary.
//!
//! ```text
//! grammarc.toml ─ manifest ─► plan ─► vocabularies ─► look ─► make ─► artifacts, index
//!                 (errors     (files)  (opened, or    (what is (what is
//!                 with places)         built)          fresh)   not)
//! ```
//!
//! [`Build`] runs all these steps, for the command `grammarc build`, for other tools, and for build
//! scripts:
//!
//! ```no_run
//! fn main() -> Result<(), grammarc_build::BuildError> {
//!     // Compiles what `grammarc.toml` lists into OUT_DIR, and names that folder to the crate as `GRAMMARC_OUT`.
//!     grammarc_build::Build::new().cargo()?;
//!     Ok(())
//! }
//! ```
//!
//! # Guarantees for the output
//!
//! - The output has an [index](grammarc_compiler::cache::Index) that finds an artifact by the
//!   request that it serves. So the folder is a [layer](grammarc_compiler::cache::Layer) of a
//!   cache: a request for the same source compiles nothing, whatever the source's name and layout.
//! - Equal inputs give equal bytes on any number of threads, index included.
//! - A file is written whole or not at all, and the index last. A process that still uses the old
//!   index notices replaced files by their checksums, and treats them as absent.
//! - An artifact is deleted if its source is gone or refused, but only if the previous index lists
//!   it.
//!
//! Content alone decides whether a file is up to date. [The key](grammarc_compiler::cache::Key)
//! covers the source's text and name, the options, the vocabulary and the compiler.
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

/// File name of the manifest that a build uses if no other is given.
pub const MANIFEST: &str = "grammarc.toml";

/// A description of a build: the manifest and the settings. [`run`](Self::run) does the build.
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
    /// Creates a build of the manifest `grammarc.toml` in the current folder.
    pub fn new() -> Self {
        Self { manifest: MANIFEST.into(), output: None, threads: None, deny: Vec::new() }
    }

    /// Sets the path of the manifest, in place of `grammarc.toml` in the current folder.
    #[must_use]
    pub fn manifest(mut self, path: impl Into<PathBuf>) -> Self {
        self.manifest = path.into();
        self
    }

    /// Sets the folder of the artifacts, in place of the folder that the manifest names. A relative
    /// path starts at the current folder.
    #[must_use]
    pub fn output(mut self, folder: impl Into<PathBuf>) -> Self {
        self.output = Some(folder.into());
        self
    }

    /// Sets the number of threads, in place of one for each processor. The output does not depend
    /// on it.
    #[must_use]
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Adds classes of keywords that no source may contain, besides those that the manifest denies.
    #[must_use]
    pub fn deny(mut self, what: impl IntoIterator<Item = Deny>) -> Self {
        self.deny.extend(what);
        self
    }

    /// Builds all artifacts that are not up to date, deletes artifacts of sources that are gone or
    /// refused, and writes the index.
    ///
    /// # Errors
    ///
    /// An error means that the build as a whole failed. The errors of single sources are in the
    /// outcome.
    pub fn run(&self) -> Result<Outcome, BuildError> {
        self.run_with(&|_| ())
    }

    /// Does the same as [`run`](Self::run), and reports the progress. `progress` may be called from
    /// any thread.
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

    /// Returns the files that a build would write or delete, without writing anything. Empty if all
    /// files are up to date.
    ///
    /// # Errors
    ///
    /// The manifest has errors, or a file that decides about this cannot be read.
    pub fn check(&self) -> Result<Vec<Stale>, BuildError> {
        let manifest = self.read()?;
        let output = self.folder(&manifest)?;
        let before = index(&output)?;
        let progress = |_: Progress<'_>| ();
        Steps::new(&self.manifest, &manifest, &output, before.as_ref(), self.threads, &progress)?
            .check()
    }

    /// Writes a dependency file for make and ninja. It states that the index depends on all inputs
    /// of `outcome`.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
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

/// Reads the index of an output folder. `None` if the folder has no index. Fails if the index
/// cannot be read or understood.
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
