//! Failures of verbs (subcommands), with the exit code of each.

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

/// The reason why a verb (subcommand) did not succeed. [`exit_code`](Self::exit_code) follows from
/// the variant.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The source text has errors. Exit code 1.
    Refused {
        /// The source text that has the errors.
        source: Source,
        /// The errors, and the warnings and notes, about the source text.
        diagnostics: Vec<Diagnostic>,
    },
    /// A problem that is the result of the check and has no position in a source text: a damaged
    /// artifact, say. Exit code 1.
    Found(Problem),
    /// The tool could not do its work: a file cannot be read, or an option is wrong. Exit code 2.
    Tool(Problem),
    /// The program that reads the output has closed the pipe. Exit code 0.
    ReaderGone,
}

/// A problem that has no position in a source text.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    /// A file, or standard input, cannot be read.
    #[error("cannot read {name}")]
    Read {
        /// Path of the file, or `<stdin>`.
        name: String,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// The bytes of an input file are not text.
    #[error("{name} cannot be read as text")]
    NotText {
        /// Path of the file, or `<stdin>`.
        name: String,
        /// The reason why the bytes are not text.
        source: NotText,
    },
    /// The language of a source file cannot be derived from the file's name.
    #[error("cannot tell the language of {name} from its name; {help}")]
    Kind {
        /// Path of the source file.
        name: String,
        /// Advice to the user, which ends the message.
        help: &'static str,
    },
    /// The value of a command-line option is wrong, or the option cannot be combined with other
    /// options.
    #[error("{option} {problem}")]
    Option {
        /// The option as it is written, with its dashes.
        option: &'static str,
        /// The problem with the option, as the predicate of a sentence: "takes token ids, and ...
        /// is none".
        problem: String,
    },
    /// An option of the source's language does not fit the source or another option.
    #[error("--{flag} {problem}")]
    Flag {
        /// The option's name without its dashes.
        flag: &'static str,
        /// The problem with the option, as the predicate of a sentence.
        problem: String,
    },
    /// A schema cannot be used as the target of references (`--registry`).
    #[error(transparent)]
    Registry(RegistryError),
    /// A source cannot be used as one that grammars include by name (`--include`).
    #[error(transparent)]
    Include(IncludeError),
    /// The output cannot be written.
    #[error("cannot write the output")]
    Write(#[source] io::Error),
    /// A tokenizer cannot be imported as a vocabulary.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// The shared rules, which every vocabulary artifact stores with their masks, do not compile.
    #[error("the vocabulary artifact cannot be built")]
    Build(#[source] Box<CompileError>),
    /// A grammar or vocabulary artifact cannot be used.
    #[error("{}", path.display())]
    Artifact {
        /// Path of the artifact.
        path: PathBuf,
        /// The reason why the artifact cannot be used.
        source: grammarc_artifacts::Error,
    },
    /// The build of a manifest could not be done.
    #[error(transparent)]
    Manifest(Box<BuildError>),
    /// A folder that the environment variable names is not a layer: an output folder of `grammarc
    /// build`.
    #[error("the environment variable {VARIABLE} names no folder of artifacts of this version")]
    Layer(#[source] LayerError),
    /// No vocabulary artifact was found that a grammar artifact was compiled for.
    #[error(
        "{} was compiled for vocabulary {vocabulary:?}, and {}; pass its vocabulary artifact with --vocab, or list it or its \
         folder in the environment variable {}",
        artifact.display(),
        seen(tried),
        crate::args::VOCABULARIES
    )]
    NoVocabulary {
        /// Path of the grammar artifact.
        artifact: PathBuf,
        /// Name of the vocabulary that the grammar artifact was compiled for.
        vocabulary: String,
        /// Paths of the vocabulary artifacts that were compared with the grammar artifact, in the
        /// order of the search.
        tried: Vec<PathBuf>,
    },
    /// No sequence of tokens that the grammar allows spells a requested text.
    #[error("no tokens that the grammar allows spell {text:?}")]
    Unreachable {
        /// The requested text.
        text: String,
    },
    /// A random sample of a grammar did not reach a valid end.
    #[error("sample {number}")]
    Sample {
        /// Number of the sample, from 0.
        number: u64,
        /// The reason why the sample did not reach an end.
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
    /// Returns the exit code of the process: 0, 1 or 2.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Refused { .. } | Self::Found(_) => 1,
            Self::Tool(_) => 2,
            Self::ReaderGone => 0,
        }
    }
}

impl Problem {
    /// Returns the stable identifier of the problem's class, such as `cli::input`. Programs may
    /// rely on it.
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

    /// Returns the message of the problem and then the messages of its causes. Leaves out a cause
    /// whose message the previous message contains.
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
    /// Converts an error of a tokenizer's import. A rejected tokenizer is a finding (exit code 1).
    /// A missing tokenizer, or options that do not fit it, are failures of the tool (exit code 2).
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
