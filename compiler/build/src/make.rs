//! Compiles the artifacts that are not up to date. A source is read once for all its vocabularies.
//!
//! Many sources are compiled at the same time, each on one thread. If there are fewer sources than
//! threads, each source gets several threads. The bytes of the artifacts depend on neither.

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::time::Instant;

use grammarc_artifacts::write;
use grammarc_compiler::cache::{Digest, IndexedArtifact, file_of};
use grammarc_compiler::compile::Compiler;
use grammarc_compiler::diagnostics::Diagnostic;
use grammarc_compiler::from_source::SourceRequest;

use crate::error::BuildError;
use crate::look::{Artifact, Looked};
use crate::manifest::{Group, Limits};
use crate::outcome::{BuiltArtifact, Refused};
use crate::plan::Item;
use crate::vocabularies::Ready;

/// The artifacts and messages of one source, or of all sources.
#[derive(Debug, Default)]
pub(crate) struct Made {
    /// Index entries of all artifacts, including those that were already up to date.
    pub(crate) artifacts: Vec<IndexedArtifact>,
    pub(crate) built: Vec<BuiltArtifact>,
    pub(crate) refused: Vec<Refused>,
    pub(crate) findings: Vec<Refused>,
}

/// Creates a compiler for each vocabulary, each with `threads` threads.
pub(crate) fn compilers(vocabularies: &[Ready], threads: NonZero<usize>) -> Vec<Compiler> {
    let compiler = |one: &Ready| Compiler::on_threads(one.artifact.clone(), Some(threads));
    vocabularies.iter().map(compiler).collect()
}

/// Compiles the artifacts of a source that are not up to date, and writes them to the output
/// folder.
///
/// # Errors
///
/// A file cannot be written. Errors of the source are part of the result.
pub(crate) fn make(
    item: &Item,
    looked: Looked,
    group: &Group,
    limits: &Limits,
    compilers: &[Compiler],
    output: &Path,
) -> Result<Made, BuildError> {
    let mut made = Made::default();
    let Looked { source, options, artifacts } = looked;
    let mut stale = Vec::new();
    for artifact in artifacts {
        match artifact {
            Artifact::Fresh(entry) => made.artifacts.push(entry),
            Artifact::Stale { vocabulary, entry, .. } => stale.push((vocabulary, entry)),
        }
    }
    let refused = |vocabulary: Option<&str>, diagnostics: Vec<Diagnostic>| Refused {
        source: source.clone(),
        vocabulary: vocabulary.map(str::to_owned),
        diagnostics,
    };
    let request = SourceRequest {
        front_end: &item.front_end,
        source: &source,
        deny: &group.deny,
        options: &options,
    };
    // A source that refers to special tokens gives a different grammar for each vocabulary.
    let per_vocabulary = item.front_end.depends_on_vocabulary(&source);
    let size = if per_vocabulary { 1 } else { stale.len().max(1) };
    let mut stale = stale.into_iter().peekable();
    while let Some((first, entry)) = stale.peek() {
        let started = Instant::now();
        let only = per_vocabulary.then(|| entry.vocabulary.clone());
        let controls = item.front_end.controls(&source, compilers[*first].vocabulary());
        let budget = limits.budget(started.elapsed());
        let batch = stale.by_ref().take(size);
        let lowered = match request.lower(&controls, &budget) {
            Ok(lowered) => lowered,
            Err(diagnostics) => {
                batch.for_each(drop);
                made.refused.push(refused(only.as_deref(), diagnostics));
                continue;
            }
        };
        if !lowered.findings.is_empty() {
            made.findings.push(refused(only.as_deref(), lowered.findings.clone()));
        }
        let reading = started.elapsed();
        for (vocabulary, mut entry) in batch {
            let started = Instant::now();
            let budget = limits.budget(reading);
            let compiler = &compilers[vocabulary];
            let compiled = compiler.compile_lowered(&request, &lowered, &budget);
            let sealed = compiled.and_then(|compiled| {
                let artifact = compiled.to_sealed_artifact(compiler);
                let artifact = artifact.map_err(|error| vec![error.to_diagnostic()])?;
                Ok((artifact, compiled.findings))
            });
            let (artifact, findings) = match sealed {
                Ok(sealed) => sealed,
                Err(diagnostics) => {
                    made.refused.push(refused(Some(&entry.vocabulary), diagnostics));
                    continue;
                }
            };
            if !findings.is_empty() {
                made.findings.push(refused(Some(&entry.vocabulary), findings));
            }
            put(output, &entry.file, artifact.container().buffer())?;
            entry.checksum = Digest(artifact.checksum());
            entry.bytes = artifact.byte_length() as u64;
            made.built.push(BuiltArtifact {
                file: entry.file.clone(),
                source: entry.source.clone(),
                vocabulary: entry.vocabulary.clone(),
                bytes: entry.bytes,
                seconds: (reading + started.elapsed()).as_secs_f64(),
            });
            made.artifacts.push(entry);
        }
    }
    Ok(made)
}

/// Writes a file of the output folder. Creates the folders above it.
fn put(output: &Path, file: &str, bytes: &[u8]) -> Result<(), BuildError> {
    let path = file_of(output, file).expect("files of a plan are tame");
    let folder = path.parent().unwrap_or(output);
    let failed = |source| BuildError::Artifact { path: path.clone(), source };
    fs::create_dir_all(folder).map_err(|source| {
        failed(grammarc_artifacts::Error::Io { action: "create", path: folder.to_owned(), source })
    })?;
    write::replace(&path, bytes).map_err(failed)
}
