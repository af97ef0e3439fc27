//! The manifest as the build uses it: its limits, vocabularies and groups of sources.

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

/// The vocabularies and artifacts to be built.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// The file.
    pub(crate) source: Source,
    /// Its folder, to which all paths are relative.
    pub(crate) root: PathBuf,
    pub(crate) output: Option<PathBuf>,
    pub(crate) limits: Limits,
    pub(crate) vocabularies: Vec<VocabularySpec>,
    pub(crate) groups: Vec<Group>,
}

/// Bounds on each compilation.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) time: Duration,
    pub(crate) memory: usize,
    pub(crate) options: CompileOptions,
}

impl Limits {
    /// The budget of a compilation that has taken some time before.
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

/// A vocabulary to compile for.
#[derive(Debug)]
pub(crate) struct VocabularySpec {
    /// Its name in the build: of its artifact and of the folder of the grammars for it.
    pub(crate) name: String,
    pub(crate) from: VocabularyFrom,
    /// The place in the manifest that says so.
    pub(crate) span: Range<usize>,
}

/// The origin of a vocabulary.
#[derive(Debug)]
pub(crate) enum VocabularyFrom {
    /// A vocabulary artifact.
    File(PathBuf),
    /// A tokenizer.
    Tokenizer {
        /// A path, or a built-in name.
        spec: String,
        options: Box<VocabularyOptions>,
        /// The options as text, for digests.
        described: String,
    },
}

/// Files that are compiled alike.
#[derive(Debug)]
pub(crate) struct Group {
    /// Patterns of paths, each with where it stands.
    pub(crate) files: Vec<(String, Range<usize>)>,
    pub(crate) exclude: Vec<glob::Pattern>,
    /// Folder of the artifacts within that of a vocabulary; empty for none.
    pub(crate) folder: PathBuf,
    /// Numbers of vocabularies.
    pub(crate) vocabularies: Vec<usize>,
    pub(crate) kind: Option<Language>,
    pub(crate) options: GroupOptions,
    pub(crate) deny: Vec<Deny>,
    /// Its place in the manifest.
    pub(crate) span: Range<usize>,
}

impl Group {
    /// How a source of a kind is read.
    ///
    /// # Errors
    ///
    /// An option that is for sources of another kind.
    pub(crate) fn front_end(&self, kind: Language, name: &str) -> Result<FrontEnd, Diagnostic> {
        self.options.front_end(kind, name)
    }
}
