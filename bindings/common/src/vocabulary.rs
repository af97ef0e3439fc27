//! Converts tokenizers to vocabularies.
//!
//! Building one takes most of a second for a large vocabulary, so a folder may cache the artifacts. A file is named
//! by the digest of everything that determines its bytes, and is written atomically.

use std::path::{Path, PathBuf};

use grammarc_artifacts::{Buffer, VocabularyArtifact, write};
use grammarc_compiler::cache::Key;
use grammarc_compiler::compile::build_vocabulary;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::vocabulary::{self, Listed, TokenTable, TokenizerFormat, VocabularyOptions};
use grammarc_runtime::Vocabulary;

use crate::failure::Failure;

/// A vocabulary, and the findings of its import.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The vocabulary.
    pub vocabulary: Vocabulary,
    /// The file of its artifact, if it is cached.
    pub path: Option<PathBuf>,
    /// Findings of the import.
    pub findings: Vec<Diagnostic>,
}

/// Imports a tokenizer file or folder, or a built-in vocabulary, and builds its artifact. With a folder, artifacts are kept
/// there by content.
///
/// # Errors
///
/// The tokenizer is not imported, or the folder cannot be written.
pub fn import(
    spec: &str,
    options: &VocabularyOptions,
    cache: Option<&Path>,
) -> Result<Imported, Failure> {
    let table = vocabulary::import(spec, options)?;
    build(&table, spec, cache)
}

/// Imports a tokenizer in memory. See [`vocabulary::import_bytes`].
///
/// # Errors
///
/// The tokenizer is not imported, or the folder cannot be written.
pub fn import_bytes(
    format: Option<TokenizerFormat>,
    bytes: &[u8],
    options: &VocabularyOptions,
    cache: Option<&Path>,
) -> Result<Imported, Failure> {
    let table = vocabulary::import_bytes(format, bytes, options)?;
    build(&table, "<bytes>", cache)
}

/// Makes a vocabulary from a list of tokens. See [`vocabulary::from_tokens`].
///
/// # Errors
///
/// The list is not a vocabulary, or the folder cannot be written.
pub fn from_tokens<T: AsRef<[u8]>>(
    tokens: impl IntoIterator<Item = (T, Listed)>,
    options: &VocabularyOptions,
    cache: Option<&Path>,
) -> Result<Imported, Failure> {
    let table = vocabulary::from_tokens(tokens, options)?;
    build(&table, "<tokens>", cache)
}

/// Builds the artifact of a table of tokens, or reads it from the folder.
///
/// # Errors
///
/// The tables are too large for the format, or the folder cannot be written.
pub fn build(table: &TokenTable, spec: &str, cache: Option<&Path>) -> Result<Imported, Failure> {
    let findings = table.findings.clone();
    let imported =
        |artifact, path| Imported { vocabulary: Vocabulary::from(artifact), findings, path };
    let kept = cache.map(|folder| folder.join(format!("{}.gvocab", Key::of_vocabulary(table))));
    if let Some(path) = &kept
        && let Ok(artifact) = VocabularyArtifact::open(path)
    {
        return Ok(imported(artifact, kept));
    }
    let bytes = bytes(table, spec)?;
    let artifact = match &kept {
        None => VocabularyArtifact::from_buffer(bytes)?,
        Some(path) => {
            if let Some(folder) = path.parent() {
                let failed = |source| Failure::Read { path: folder.to_owned(), source };
                std::fs::create_dir_all(folder).map_err(failed)?;
            }
            write::replace(path, &bytes)?;
            VocabularyArtifact::open(path)?
        }
    };
    Ok(imported(artifact, kept))
}

/// Returns the artifact's bytes.
fn bytes(table: &TokenTable, spec: &str) -> Result<Buffer, Failure> {
    let name = Path::new(spec).file_name().map_or(spec.into(), |name| name.to_string_lossy());
    let shared = prelude_grammar(&TextForm::COMMON);
    let data = build_vocabulary(table, &name, &shared, None).map_err(|error| Failure::Source {
        source_text: Source::new(spec, ""),
        diagnostics: vec![error.to_diagnostic()],
    })?;
    Ok(data.to_bytes()?)
}
