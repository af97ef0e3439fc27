//! The manifest in the form that the build uses: its limits, vocabularies and groups of sources.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use grammarc_compiler::budget::{self, Budget};
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::deny::Deny;
use grammarc_compiler::frontend::settings::Language;
use grammarc_compiler::vocabulary::VocabularyOptions;

use super::options::GroupOptions;

/// A manifest: the vocabularies and the groups of sources that are compiled for them.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// The text of the manifest, with its name.
    pub(crate) source: Source,
    /// The folder of the manifest. All paths in the manifest are relative to it.
    pub(crate) root: PathBuf,
    pub(crate) output: Option<PathBuf>,
    pub(crate) limits: Limits,
    pub(crate) vocabularies: Vec<VocabularySpec>,
    pub(crate) groups: Vec<Group>,
}

/// Limits on each compilation.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) time: Duration,
    pub(crate) memory: usize,
    pub(crate) options: CompileOptions,
}

impl Limits {
    /// Returns the budget (time and memory) of a compilation that has already spent the time
    /// `taken`.
    pub(crate) fn budget(&self, taken: Duration) -> Budget {
        Budget::new().time_limit(self.time).already_taken(taken).memory_limit(self.memory)
    }
}

impl Default for Limits {
    fn default() -> Self {
        let options = CompileOptions::default();
        Self { time: budget::TIME, memory: budget::MEMORY, options }
    }
}

/// A vocabulary that the manifest names.
#[derive(Debug)]
pub(crate) struct VocabularySpec {
    /// Name of the vocabulary in the build. Its artifact and the folder of its grammars have this
    /// name.
    pub(crate) name: String,
    pub(crate) from: VocabularyFrom,
    /// Byte range of the vocabulary's table in the manifest.
    pub(crate) span: Range<usize>,
}

/// The origin of a vocabulary.
#[derive(Debug)]
pub(crate) enum VocabularyFrom {
    /// The path of an existing vocabulary artifact.
    File(PathBuf),
    /// A tokenizer from which the vocabulary artifact is built.
    Tokenizer {
        /// Path of the tokenizer, or the name of a built-in one.
        spec: String,
        options: Box<VocabularyOptions>,
        /// Text form of `options`, which enters the digest of the vocabulary's inputs.
        described: String,
    },
}

/// A group of source files that are compiled for the same vocabularies with the same options.
#[derive(Debug)]
pub(crate) struct Group {
    /// Patterns of paths, each with its byte range in the manifest.
    pub(crate) files: Vec<(String, Range<usize>)>,
    pub(crate) exclude: Vec<glob::Pattern>,
    /// Folder of the group's artifacts within the folder of a vocabulary. Empty if the group has no
    /// folder of its own.
    pub(crate) folder: PathBuf,
    /// Indices of the group's vocabularies in the manifest.
    pub(crate) vocabularies: Vec<usize>,
    pub(crate) kind: Option<Language>,
    pub(crate) options: GroupOptions,
    pub(crate) deny: Vec<Deny>,
    /// Byte range of the group's table in the manifest.
    pub(crate) span: Range<usize>,
}

impl Group {
    /// Returns the front end for a source of the language `kind`. `name` is the name of the source,
    /// for messages.
    ///
    /// # Errors
    ///
    /// The group has an option that belongs to another language.
    pub(crate) fn front_end(&self, kind: Language, name: &str) -> Result<FrontEnd, Diagnostic> {
        self.options.front_end(kind, name)
    }
}
