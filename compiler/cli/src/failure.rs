//! Failures of verbs, with their exit codes.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use grammarc::sample::SampleError;
use grammarc_build::BuildError;
use grammarc_build::include::IncludeError;
use grammarc_build::registry::RegistryError;
use grammarc_compiler::cache::{LayerError, VARIABLE};
use grammarc_compiler::compile::CompileError;
use grammarc_compiler::diagnostics::encoding::NotText;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::vocabulary::VocabularyError;

/// The cause of a failure.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The source has errors. Exit code 1.
    Refused {
        /// The source.
        source: Source,
        /// The errors and other findings.
        diagnostics: Vec<Diagnostic>,
    },
    /// Something was found that no source text is to blame for. Exit code 1.
    Found(Problem),
    /// The tool could not do its work. Exit code 2.
    Tool(Problem),
    /// The reader of the output has left. Exit code 0.
    ReaderGone,
}

/// A problem without a position in a source text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// A file cannot be read.
    #[error("cannot read {name}")]
    Read {
        /// The file.
        name: String,
        /// The system's answer.
        source: io::Error,
    },
    /// A source is not text.
    #[error("{name} cannot be read as text")]
    NotText {
        /// The file.
        name: String,
        /// Why not.
        source: NotText,
    },
    /// The language of a source is not known.
    #[error("cannot tell the language of {name} from its name; {help}")]
    Kind {
        /// The file.
        name: String,
        /// Advice.
        help: &'static str,
    },
    /// An option does not go with the others.
    #[error("{option} {problem}")]
    Option {
        /// The option.
        option: &'static str,
        /// The fault of the argument here.
        problem: String,
    },
    /// An option of the source's language, by its flag, does not go with the source or with other options.
    #[error("--{flag} {problem}")]
    Flag {
        /// The flag without its dashes.
        flag: &'static str,
        /// The problem with it.
        problem: String,
    },
    /// A schema given for references cannot be used.
    #[error(transparent)]
    Registry(RegistryError),
    /// A source given for grammars to include cannot be used.
    #[error(transparent)]
    Include(IncludeError),
    /// Output cannot be written.
    #[error("cannot write the output")]
    Write(#[source] io::Error),
    /// A tokenizer cannot be imported.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// The shared rules of a vocabulary do not compile.
    #[error("the vocabulary artifact cannot be built")]
    Build(#[source] Box<CompileError>),
    /// An artifact cannot be used.
    #[error("{}", path.display())]
    Artifact {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: grammarc_artifacts::Error,
    },
    /// A build could not be done.
    #[error(transparent)]
    Manifest(Box<BuildError>),
    /// A folder that the environment names is no layer of artifacts.
    #[error("the environment variable {VARIABLE} names no folder of artifacts of this version")]
    Layer(#[source] LayerError),
    /// No vocabulary artifact was found for a grammar artifact.
    #[error(
        "{} was compiled for vocabulary {vocabulary:?}, and {}; pass its vocabulary artifact with --vocab, or list it or its \
         folder in the environment variable {}",
        artifact.display(),
        seen(tried),
        crate::args::VOCABULARIES
    )]
    NoVocabulary {
        /// The grammar artifact.
        artifact: PathBuf,
        /// Name of the vocabulary.
        vocabulary: String,
        /// The files that were looked at.
        tried: Vec<PathBuf>,
    },
    /// A text cannot be reached by tokens.
    #[error("no tokens that the grammar allows spell {text:?}")]
    Unreachable {
        /// The text.
        text: String,
    },
    /// A sample did not reach an end.
    #[error("sample {number}")]
    Sample {
        /// Its number.
        number: u64,
        /// The sampler's error.
        source: SampleError,
    },
}

fn seen(tried: &[PathBuf]) -> String {
    match tried {
        [] => "there is no .gvocab file beside it or listed".to_owned(),
        _ => {
            let names: Vec<String> = tried.iter().map(|path| path.display().to_string()).collect();
            format!(
                "none of the .gvocab files beside it or listed is that one ({})",
                names.join(", ")
            )
        }
    }
}

impl Failure {
    /// The exit code of the process.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Refused { .. } | Self::Found(_) => 1,
            Self::Tool(_) => 2,
            Self::ReaderGone => 0,
        }
    }
}

impl Problem {
    /// Stable identifier.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Read { .. } | Self::NotText { .. } | Self::Registry(_) | Self::Include(_) => {
                "cli::input"
            }
            Self::Kind { .. } | Self::Option { .. } | Self::Flag { .. } => "cli::usage",
            Self::Write(_) => "cli::output",
            Self::Vocabulary(_) => "cli::tokenizer",
            Self::Build(_) => "cli::vocabulary",
            Self::Artifact { .. } => "cli::artifact",
            Self::Manifest(_) => "cli::build",
            Self::Layer(_) => "cli::layer",
            Self::NoVocabulary { .. } => "cli::no-vocabulary",
            Self::Unreachable { .. } => "cli::unreachable",
            Self::Sample { .. } => "cli::sample",
        }
    }

    /// The message, and then its causes. A cause whose words the message before it repeats is left out.
    pub(crate) fn chain(&self) -> Vec<String> {
        let mut messages = vec![self.to_string()];
        let mut cause = self.source();
        while let Some(error) = cause {
            let message = error.to_string();
            if messages.last().is_some_and(|last| !last.contains(&message)) {
                messages.push(message);
            }
            cause = error.source();
        }
        messages
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Tool(problem)
    }
}

impl From<VocabularyError> for Failure {
    /// A rejected tokenizer is a finding. A missing one, or options that do not fit it, are mistakes of the caller.
    fn from(error: VocabularyError) -> Self {
        let refused = matches!(
            error,
            VocabularyError::Json { .. }
                | VocabularyError::Format { .. }
                | VocabularyError::Model { .. }
                | VocabularyError::Decoder { .. }
                | VocabularyError::RankFile { .. }
                | VocabularyError::Damaged { .. }
                | VocabularyError::IdTooLarge { .. }
                | VocabularyError::NoText { .. }
        );
        let problem = Problem::Vocabulary(error);
        if refused { Self::Found(problem) } else { Self::Tool(problem) }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ReaderGone,
            _ => Self::Tool(Problem::Write(error)),
        }
    }
}
