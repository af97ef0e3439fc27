//! Finds the artifacts that are up to date. Every source is read and hashed, and its artifact's
//! checksum is compared with that in the index.
//!
//! An artifact is fresh if its file is intact and its key equals the key in the index. The key
//! covers the source's text and name, the options, the vocabulary and the compiler. Modification
//! times do not matter. Cost: one pass over the bytes of all sources, and the headers of all
//! artifacts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use grammarc_artifacts::Buffer;
use grammarc_artifacts::container::header::Header;
use grammarc_compiler::cache::{Content, Index, IndexedArtifact, Key, file_of};
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::diagnostics::{Diagnostic, Source, encoding};

use crate::error::BuildError;
use crate::manifest::{Group, Limits};
use crate::outcome::Why;
use crate::plan::Item;
use crate::vocabularies::Ready;

/// Maps the file name of each artifact in the previous index to the artifact's entry.
pub(crate) type Before<'i> = BTreeMap<&'i str, &'i IndexedArtifact>;

pub(crate) fn before(index: Option<&Index>) -> Before<'_> {
    let artifacts = index.into_iter().flat_map(|index| &index.artifacts);
    artifacts.map(|artifact| (artifact.file.as_str(), artifact)).collect()
}

/// A source that was read, with the state of its artifacts.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) source: Source,
    pub(crate) options: CompileOptions,
    /// The state of the source's artifact for each vocabulary of the source's group.
    pub(crate) artifacts: Vec<Artifact>,
}

/// The state of one artifact before the build.
#[derive(Debug)]
pub(crate) enum Artifact {
    Fresh(IndexedArtifact),
    Stale {
        /// Index of the artifact's vocabulary in the manifest.
        vocabulary: usize,
        /// The new index entry of the artifact. Checksum and length are filled in after the
        /// compilation.
        entry: IndexedArtifact,
        why: Why,
    },
}

/// Reads a source and determines the state of its artifacts. Artifacts for vocabularies that are
/// `None` are left out.
///
/// # Errors
///
/// The file cannot be read. The inner error is for a file whose bytes are not text.
pub(crate) fn look(
    item: &Item,
    group: &Group,
    limits: &Limits,
    vocabularies: &[Option<&Ready>],
    output: &Path,
    before: &Before<'_>,
) -> Result<Result<Looked, (Source, Diagnostic)>, BuildError> {
    let bytes = fs::read(&item.path)
        .map_err(|source| BuildError::Read { path: item.path.clone(), source })?;
    let text = match encoding::text(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let source = Source::new(item.name.as_str(), "");
            return Ok(Err((source, Diagnostic::error("build::not-text", error.to_string()))));
        }
    };
    let source = Source::new(item.name.as_str(), text);
    let options = options(item, group, limits);
    let ready = |&number: &usize| vocabularies[number].map(|vocabulary| (number, vocabulary));
    let artifacts = group.vocabularies.iter().filter_map(ready).map(|(number, vocabulary)| {
        let key = Key::new(&vocabulary.artifact, &item.front_end, &source, &options);
        let file = item.file(&vocabulary.entry.name);
        let why = match before.get(file.as_str()) {
            None => Why::Missing,
            Some(known) if known.key != key => Why::OutOfDate,
            Some(known) => match state(output, known) {
                None => return Artifact::Fresh((*known).clone()),
                Some(why) => why,
            },
        };
        let content = Content::new(&vocabulary.artifact, &item.front_end, &source.text);
        let entry = IndexedArtifact {
            file,
            source: item.name.clone(),
            vocabulary: vocabulary.entry.name.clone(),
            content,
            key,
            checksum: vocabulary.entry.checksum,
            bytes: 0,
        };
        Artifact::Stale { vocabulary: number, entry, why }
    });
    let artifacts = artifacts.collect();
    Ok(Ok(Looked { source, options, artifacts }))
}

/// Returns the fault of an artifact's file: missing or damaged. `None` if the file is intact.
fn state(output: &Path, known: &IndexedArtifact) -> Option<Why> {
    let Some(path) = file_of(output, &known.file).filter(|path| path.exists()) else {
        return Some(Why::Missing);
    };
    let header = Buffer::open(&path).and_then(|buffer| Header::parse(&buffer));
    let whole = header.is_ok_and(|header| header.checksum == known.checksum.0);
    (!whole).then_some(Why::Damaged)
}

/// Returns the compiler options for a source, with the settings that the artifact records. The
/// command `compile` records the same settings.
fn options(item: &Item, group: &Group, limits: &Limits) -> CompileOptions {
    let mut recorded = item.front_end.recorded();
    if !group.options.registry.is_empty() {
        recorded.push(("registry", group.options.registry.join(" ")));
    }
    if !group.options.include.is_empty() {
        recorded.push(("include", group.options.include.join(" ")));
    }
    if !group.deny.is_empty() {
        let mut names: Vec<_> = group.deny.iter().map(|what| what.name()).collect();
        names.sort_unstable();
        names.dedup();
        recorded.push(("deny", names.join(" ")));
    }
    let options = limits.options.clone();
    recorded.into_iter().fold(options, |options, (key, value)| options.record(key, value))
}
