//! Grammars from source texts, by way of their front ends, and those of the folder `grammars/`.

use std::fs;
use std::path::{Path, PathBuf};

use grammarc_artifacts::GrammarArtifact;
use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileError, CompileOptions, Compiler};
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::gbnf::{self, GbnfOptions};
use grammarc_compiler::frontend::json_schema::{self, JsonSchemaOptions};
use grammarc_compiler::frontend::lark::{self, LarkOptions};
use grammarc_compiler::frontend::regex::{self, PatternOptions};
use grammarc_compiler::ir::Lowered;
use grammarc_runtime::Grammar;

/// A source's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// GBNF.
    Gbnf,
    /// A regular expression.
    Regex,
    /// JSON Schema.
    JsonSchema,
    /// Lark.
    Lark,
}

/// The grammar of a source, with the options that its front end has by default.
///
/// # Errors
///
/// The diagnostics of a source that the front end refuses.
pub fn lower(language: Language, name: &str, text: &str) -> Result<Lowered, Vec<Diagnostic>> {
    let source = Source::new(name, text);
    let budget = Budget::new();
    match language {
        Language::Gbnf => gbnf::lower(source, &GbnfOptions::default(), &budget),
        Language::Regex => regex::lower(source, &PatternOptions::default(), &budget),
        Language::Lark => lark::lower(source, &LarkOptions::default(), &budget),
        Language::JsonSchema => json_schema::lower(source, &JsonSchemaOptions::default(), &budget),
    }
}

/// The grammar of a GBNF source that is right.
///
/// # Panics
///
/// If it is not.
pub fn gbnf(text: &str) -> Lowered {
    lower(Language::Gbnf, "test", text).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"))
}

/// The sources in `grammars/`, sorted by name: file name, language, text.
///
/// # Panics
///
/// If the folder cannot be read or a file's extension is unknown.
pub fn folder() -> Vec<(String, Language, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../grammars");
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let language = match path.extension().and_then(|extension| extension.to_str()) {
            Some("gbnf") => Language::Gbnf,
            Some("regex") => Language::Regex,
            Some("lark") => Language::Lark,
            Some("json") => Language::JsonSchema,
            Some("md") => continue,
            _ => panic!("{}: a source of what language?", path.display()),
        };
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.push((name, language, text));
    }
    found
}

/// The bytes of a grammar's artifact.
///
/// # Errors
///
/// If the grammar does not compile.
pub fn artifact(
    compiler: &Compiler,
    lowered: &Lowered,
) -> Result<grammarc_artifacts::Buffer, CompileError> {
    compiler
        .compile(lowered, "test", &CompileOptions::default(), &Budget::new())?
        .to_buffer(compiler)
}

/// The compiled grammar, by way of its artifact's bytes.
///
/// # Panics
///
/// If it does not compile or the artifact is refused.
pub fn compiled(vocabulary: &VocabularyArtifact, lowered: &Lowered) -> Grammar {
    compiled_by(&Compiler::new(vocabulary.clone()), lowered)
}

/// The same by a compiler, which serves many grammars.
///
/// # Panics
///
/// If it does not compile or the artifact is refused.
pub fn compiled_by(compiler: &Compiler, lowered: &Lowered) -> Grammar {
    let name = &lowered.source.name;
    let buffer = artifact(compiler, lowered).unwrap_or_else(|error| panic!("{name}: {error}"));
    let artifact = GrammarArtifact::from_buffer(buffer, compiler.vocabulary());
    Grammar::from_artifact(artifact.unwrap_or_else(|error| panic!("{name}: {error}")))
}
