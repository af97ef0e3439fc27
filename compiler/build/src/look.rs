//! Files of the output that are up to date: every source is read and digested, and the file that the index has for it
//! is summed.
//!
//! An artifact is fresh where its key is that of the index: the same text under the same name, the same options, vocabulary
//! and compiler. Times of files do not matter. Cost: one pass over the bytes of all sources and all artifacts.

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

/// The artifacts of an index by their files.
pub(crate) type Before<'i> = BTreeMap<&'i str, &'i IndexedArtifact>;

pub(crate) fn before(index: Option<&Index>) -> Before<'_> {
    let artifacts = index.into_iter().flat_map(|index| &index.artifacts);
    artifacts.map(|artifact| (artifact.file.as_str(), artifact)).collect()
}

/// A source as it is found.
#[derive(Debug)]
pub(crate) struct Looked {
    pub(crate) source: Source,
    pub(crate) options: CompileOptions,
    /// For each vocabulary of its group.
    pub(crate) artifacts: Vec<Artifact>,
}

/// An artifact as it is found.
#[derive(Debug)]
pub(crate) enum Artifact {
    Fresh(IndexedArtifact),
    Stale {
        /// The number of its vocabulary.
        vocabulary: usize,
        /// Its entry in the index, but for the checksum and the length.
        entry: IndexedArtifact,
        why: Why,
    },
}

/// Reads a source and looks for its artifacts. Artifacts for vocabularies that are not there are left out.
///
/// # Errors
///
/// A file that cannot be read; the inner error is of a file that is no text.
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

/// The fault of an artifact's file, if it has one.
fn state(output: &Path, known: &IndexedArtifact) -> Option<Why> {
    let Some(path) = file_of(output, &known.file).filter(|path| path.exists()) else {
        return Some(Why::Missing);
    };
    let header = Buffer::open(&path).and_then(|buffer| Header::parse(&buffer));
    let whole = header.is_ok_and(|header| header.checksum == known.checksum.0);
    (!whole).then_some(Why::Damaged)
}

/// The options of a compilation, with what the artifact records as the command `compile` does.
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
