//! The vocabularies of a build: opens each, or builds it from its tokenizer if its inputs have
//! changed.

use std::error::Error;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};

use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::cache::{COMPILER, Digest, IndexedVocabulary};
use grammarc_compiler::compile::build_vocabulary;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::vocabulary;

use crate::error::BuildError;
use crate::manifest::{Manifest, VocabularyFrom, VocabularySpec, causes, wrong};
use crate::outcome::{Refused, Why};

/// Number of bytes at the start of a tokenizer file that are hashed: 400 MiB. Importers read no
/// more of any file.
const READ: u64 = 400 << 20;

/// A vocabulary that is ready to compile for.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) artifact: VocabularyArtifact,
    pub(crate) path: PathBuf,
    pub(crate) built: bool,
    pub(crate) entry: IndexedVocabulary,
}

/// The state of a vocabulary before the build.
#[derive(Debug)]
pub(crate) enum Found {
    Ready(Box<Ready>),
    /// The vocabulary artifact has to be built.
    Stale {
        why: Why,
        inputs: Digest,
    },
}

/// Returns the file name of a built vocabulary artifact in the output folder.
pub(crate) fn file(name: &str) -> String {
    format!("{name}.gvocab")
}

/// Returns the paths of the files that a vocabulary is made from.
///
/// # Errors
///
/// The tokenizer cannot be found. The error points to the vocabulary in the manifest.
pub(crate) fn inputs(
    manifest: &Manifest,
    spec: &VocabularySpec,
) -> Result<Vec<PathBuf>, BuildError> {
    match &spec.from {
        VocabularyFrom::File(path) => Ok(vec![path.clone()]),
        VocabularyFrom::Tokenizer { spec: tokenizer, .. } => {
            vocabulary::inputs(tokenizer).map_err(|error| blame(manifest, spec, &error))
        }
    }
}

/// Converts an error of a vocabulary's source to an error at the vocabulary's position in the
/// manifest.
fn blame(manifest: &Manifest, spec: &VocabularySpec, error: &dyn Error) -> BuildError {
    let key = match spec.from {
        VocabularyFrom::File(_) => "file",
        VocabularyFrom::Tokenizer { .. } => "tokenizer",
    };
    let diagnostics = vec![wrong(key, spec.span.clone(), causes(error))];
    BuildError::Manifest { manifest: manifest.source.clone(), diagnostics }
}

/// Opens the vocabulary artifact if it is up to date. Otherwise returns why it has to be built.
/// Fails if an artifact that the manifest names cannot be opened.
pub(crate) fn find(
    manifest: &Manifest,
    spec: &VocabularySpec,
    output: &Path,
    before: Option<&IndexedVocabulary>,
) -> Result<Found, BuildError> {
    if let VocabularyFrom::File(path) = &spec.from {
        let artifact =
            VocabularyArtifact::open(path).map_err(|error| blame(manifest, spec, &error))?;
        let inputs = Digest(artifact.container().header().checksum);
        return Ok(Found::Ready(Box::new(ready(spec, artifact, path.clone(), inputs, false))));
    }
    let inputs = digest(manifest, spec)?;
    let path = output.join(file(&spec.name));
    let why = match before {
        _ if !path.exists() => Why::Missing,
        None => Why::Missing,
        Some(before) if before.inputs != inputs => Why::OutOfDate,
        Some(before) => match VocabularyArtifact::open(&path) {
            Ok(artifact) if artifact.container().header().checksum == before.checksum.0 => {
                return Ok(Found::Ready(Box::new(ready(spec, artifact, path, inputs, false))));
            }
            _ => Why::Damaged,
        },
    };
    Ok(Found::Stale { why, inputs })
}

/// Builds a vocabulary artifact from its tokenizer, and adds the warnings of the import to
/// `findings`.
pub(crate) fn build(
    manifest: &Manifest,
    spec: &VocabularySpec,
    output: &Path,
    inputs: Digest,
    threads: NonZero<usize>,
    findings: &mut Vec<Refused>,
) -> Result<Ready, BuildError> {
    let VocabularyFrom::Tokenizer { spec: tokenizer, options, .. } = &spec.from else {
        unreachable!("a vocabulary artifact is never built");
    };
    let name = || spec.name.clone();
    let table =
        vocabulary::import(tokenizer, options).map_err(|error| blame(manifest, spec, &error))?;
    if !table.findings.is_empty() {
        findings.push(Refused {
            source: Source::new(tokenizer.as_str(), ""),
            vocabulary: Some(name()),
            diagnostics: table.findings.clone(),
        });
    }
    let shared = prelude_grammar(&TextForm::COMMON);
    let source = Path::new(tokenizer).file_name().unwrap_or(OsStr::new(tokenizer));
    let data = build_vocabulary(&table, &source.to_string_lossy(), &shared, Some(threads));
    let data =
        data.map_err(|error| BuildError::SharedRules { name: name(), source: Box::new(error) })?;
    let path = output.join(file(&spec.name));
    let failed = |source| BuildError::Artifact { path: path.clone(), source };
    data.write(&path).map_err(failed)?;
    let artifact = VocabularyArtifact::open(&path).map_err(failed)?;
    Ok(ready(spec, artifact, path, inputs, true))
}

fn ready(
    spec: &VocabularySpec,
    artifact: VocabularyArtifact,
    path: PathBuf,
    inputs: Digest,
    built: bool,
) -> Ready {
    let header = artifact.container().header();
    let is_made = matches!(spec.from, VocabularyFrom::Tokenizer { .. });
    let entry = IndexedVocabulary {
        name: spec.name.clone(),
        file: is_made.then(|| file(&spec.name)),
        inputs,
        fingerprint: Digest(header.fingerprint),
        shared_digest: Digest(header.shared_digest),
        checksum: Digest(header.checksum),
        bytes: header.total_length,
    };
    Ready { artifact, path, built, entry }
}

/// Returns the digest of everything that a vocabulary is built from: the compiler, the options, and
/// the files by name and content.
fn digest(manifest: &Manifest, spec: &VocabularySpec) -> Result<Digest, BuildError> {
    let VocabularyFrom::Tokenizer { spec: tokenizer, described, .. } = &spec.from else {
        unreachable!("a vocabulary artifact is never built");
    };
    let mut hasher = blake3::Hasher::new();
    let mut text = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    let name = Path::new(tokenizer).file_name().unwrap_or(OsStr::new(tokenizer));
    [COMPILER, &spec.name, &name.to_string_lossy(), described].into_iter().for_each(&mut text);
    for path in inputs(manifest, spec)? {
        let digest = content(&path).map_err(|source| {
            blame(manifest, spec, &BuildError::Read { path: path.clone(), source })
        })?;
        text(&path.file_name().unwrap_or_default().to_string_lossy());
        text(&digest.to_string());
    }
    Ok(Digest(*hasher.finalize().as_bytes()))
}

fn content(path: &Path) -> io::Result<Digest> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&fs::metadata(path)?.len().to_le_bytes());
    hasher.update_reader(File::open(path)?.take(READ))?;
    Ok(Digest(*hasher.finalize().as_bytes()))
}
