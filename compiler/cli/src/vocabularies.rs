//! Vocabulary artifacts: opens, builds and finds them.

use std::ffi::OsStr;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::{env, fs};

use grammarc_artifacts::container::Container;
use grammarc_artifacts::container::header::Header;
use grammarc_artifacts::dump::{self, Content};
use grammarc_artifacts::sections::kinds::ArtifactKind;
use grammarc_artifacts::{Buffer, GrammarArtifact, VocabularyArtifact, VocabularyData};
use grammarc_compiler::compile::build_vocabulary;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::vocabulary::{self, TokenTable, VocabularyOptions};
use grammarc_runtime::Grammar;

use crate::args::{ArtifactArgs, VOCABULARIES, VocabularyArgs};
use crate::failure::{Failure, Problem};
use crate::output::Output;
use crate::progress::Progress;

/// The vocabulary artifact that was selected for a compilation.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) artifact: VocabularyArtifact,
    /// Path of the artifact's file.
    pub(crate) path: PathBuf,
    /// Whether this run of the command built the file.
    pub(crate) built: bool,
}

/// Returns the name of the built-in vocabulary that is used if the arguments name none.
pub(crate) fn default_name() -> &'static str {
    vocabulary::built_in_names().next().unwrap_or_default()
}

/// Opens a vocabulary artifact. Fails if the file cannot be read or is damaged.
pub(crate) fn open(path: &Path) -> Result<VocabularyArtifact, Problem> {
    VocabularyArtifact::open(path).map_err(|error| damaged(path, error))
}

/// Opens the grammar artifact that the arguments name, with its vocabulary. Fails if either file
/// cannot be read, is damaged, or does not belong to the other.
pub(crate) fn open_grammar(args: &ArtifactArgs) -> Result<Grammar, Problem> {
    let ArtifactArgs { artifact: path, vocab } = args;
    let artifact = match vocab {
        Some(vocab) => GrammarArtifact::open(path, &open(vocab)?),
        None => match GrammarArtifact::open_standalone(path) {
            Err(grammarc_artifacts::Error::NotStandalone { .. }) => {
                GrammarArtifact::open(path, &found(path)?)
            }
            standalone => standalone,
        },
    };
    Ok(Grammar::from_artifact(artifact.map_err(|error| damaged(path, error))?))
}

pub(crate) fn damaged(path: &Path, source: grammarc_artifacts::Error) -> Problem {
    Problem::Artifact { path: path.to_owned(), source }
}

/// Finds the vocabulary artifact that a grammar artifact was compiled for. Searches the grammar's
/// folder and then the files and folders that the environment variable lists. Fails if no file
/// there fits.
fn found(grammar: &Path) -> Result<VocabularyArtifact, Problem> {
    let buffer = Buffer::open(grammar).map_err(|error| damaged(grammar, error))?;
    let container = Container::parse_kind(buffer.clone(), ArtifactKind::Grammar)
        .map_err(|error| damaged(grammar, error))?;
    let wanted = container.header();
    let mut tried = vocabularies_in(folder_of(grammar))?;
    for path in env::var_os(VOCABULARIES).iter().flat_map(env::split_paths) {
        match path.is_dir() {
            true => tried.extend(vocabularies_in(&path)?),
            false if path.as_os_str().is_empty() => {}
            false => tried.push(path),
        }
    }
    for path in &tried {
        // A file that does not open is not a candidate: damaged files in the folder do not concern this grammar.
        let header = Buffer::open(path).and_then(|buffer| Header::parse(&buffer));
        if header.is_ok_and(|found| {
            (found.artifact, found.fingerprint, found.shared_digest)
                == (ArtifactKind::Vocabulary, wanted.fingerprint, wanted.shared_digest)
        }) {
            return open(path);
        }
    }
    let inspection = dump::inspect(buffer).map_err(|error| damaged(grammar, error))?;
    let vocabulary = match inspection.content {
        Content::Grammar { meta, .. } => meta.vocabulary_name,
        Content::Vocabulary { meta, .. } => meta.name,
    };
    Err(Problem::NoVocabulary { artifact: grammar.to_owned(), vocabulary, tried })
}

/// Returns the paths of the `.gvocab` files in a folder, sorted by name. Fails if the folder cannot
/// be read.
fn vocabularies_in(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let failed = |source| Problem::Read { name: folder.display().to_string(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension() == Some(OsStr::new("gvocab")) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the folder that contains a file, or `.` if the path is a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the vocabulary that the arguments name. If its artifact has to be built, the artifact is
/// written to `folder_of_output`.
pub(crate) fn choose(
    args: &VocabularyArgs,
    folder_of_output: &Path,
    progress: &Progress,
    output: &mut Output,
    threads: Option<NonZero<usize>>,
) -> Result<Chosen, Failure> {
    if let Some(path) = &args.vocab {
        progress.phase("opening the vocabulary");
        return Ok(Chosen { artifact: open(path)?, path: path.clone(), built: false });
    }
    let spec = args.tokenizer.as_deref().unwrap_or(default_name());
    progress.phase(format!("importing {spec}"));
    let table = vocabulary::import(spec, &VocabularyOptions::new())?;
    let path = folder_of(folder_of_output).join(format!("{}.gvocab", file_name(&table.name)));
    if let Ok(artifact) = VocabularyArtifact::open(&path)
        && is_of(&artifact, &table)
    {
        return Ok(Chosen { artifact, path, built: false });
    }
    findings(&table, spec, output)?;
    let artifact = build(&table, spec, &path, progress, threads)?;
    Ok(Chosen { artifact, path, built: true })
}

/// Builds a vocabulary artifact, writes it to `path`, and opens the written file. Reopening ensures
/// that only readable files are reported as written.
pub(crate) fn build(
    table: &TokenTable,
    spec: &str,
    path: &Path,
    progress: &Progress,
    threads: Option<NonZero<usize>>,
) -> Result<VocabularyArtifact, Failure> {
    progress.phase(format!("computing the shared masks of {}", table.name));
    let data = data(table, spec, threads)?;
    progress.phase(format!("writing {}", path.display()));
    data.write(path).map_err(|error| damaged(path, error))?;
    Ok(open(path)?)
}

fn data(
    table: &TokenTable,
    spec: &str,
    threads: Option<NonZero<usize>>,
) -> Result<VocabularyData, Problem> {
    let shared = prelude_grammar(&TextForm::COMMON);
    let source = Path::new(spec).file_name().unwrap_or(OsStr::new(spec)).to_string_lossy();
    let data = build_vocabulary(table, &source, &shared, threads);
    data.map_err(|error| Problem::Build(Box::new(error)))
}

/// Writes the warnings and notes of a tokenizer's import to standard error.
pub(crate) fn findings(table: &TokenTable, spec: &str, output: &mut Output) -> Result<(), Failure> {
    let findings: &[Diagnostic] = &table.findings;
    output.diagnostics(&Source::new(spec, ""), findings)
}

/// Whether an artifact contains exactly the tokens, end tokens and logit width of `table`.
fn is_of(artifact: &VocabularyArtifact, table: &TokenTable) -> bool {
    artifact.token_count() as usize == table.tokens.len()
        && artifact.logit_width() == table.logit_width
        && artifact.end_tokens() == table.end_tokens
        && (0..).zip(&table.tokens).all(|(id, token)| {
            artifact.token_kind(id) == token.kind && artifact.token_bytes(id) == token.bytes
        })
}

/// Converts a vocabulary's name to a file name: other characters than letters, digits, `.`, `_` and
/// `-` become `-`.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = name.chars().map(safe).collect();
    match name.trim_start_matches('.') {
        "" => "vocabulary".to_owned(),
        visible => visible.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_tame() {
        assert_eq!(file_name("Llama-3.1"), "Llama-3.1");
        assert_eq!(file_name("a/b c"), "a-b-c");
        assert_eq!(file_name("../x"), "-x");
        assert_eq!(file_name(".."), "vocabulary");
    }
}
