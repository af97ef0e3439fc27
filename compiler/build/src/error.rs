//! Why nothing could be built.

use std::io;
use std::path::PathBuf;

use grammarc_compiler::cache::IndexError;
use grammarc_compiler::compile::CompileError;
use grammarc_compiler::diagnostics::{Diagnostic, Source};

use crate::outcome::Refused;

/// Why nothing could be built. Errors of single sources are not among these, but part of the
/// [`Outcome`](crate::Outcome).
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The manifest has errors.
    #[error("{}", in_source(manifest, diagnostics))]
    Manifest {
        /// The manifest.
        manifest: Source,
        /// Its errors.
        diagnostics: Vec<Diagnostic>,
    },
    /// The manifest names no output, and none is given.
    #[error("{manifest} has no `output`, and none is given")]
    NoOutput {
        /// The manifest.
        manifest: String,
    },
    /// The shared rules of a vocabulary do not compile.
    #[error("vocabulary {name} cannot be built")]
    SharedRules {
        /// The vocabulary.
        name: String,
        /// Why not.
        source: Box<CompileError>,
    },
    /// An artifact cannot be opened or written.
    #[error("{}", path.display())]
    Artifact {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: grammarc_artifacts::Error,
    },
    /// The output has an index that cannot be read, so that what it holds is not known.
    #[error("{}; delete it, and the artifacts beside it that nobody needs", path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// Why not.
        source: IndexError,
    },
    /// A file of a source that is gone cannot be deleted.
    #[error("cannot delete {}", path.display())]
    Delete {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// No threads could be started.
    #[error("cannot start threads")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    /// Output for Cargo cannot be written.
    #[error("cannot write to standard output")]
    Write(#[source] io::Error),
    /// Sources were refused in a build script, which can only report them as an error.
    #[error("{}", refusals(.0))]
    Refused(Vec<Refused>),
}

fn in_source(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let lines = diagnostics.iter().map(|diagnostic| {
        let source = diagnostic.source(source);
        let place = diagnostic.labels.first().map(|label| source.line_column(label.span.start));
        match place {
            Some((line, column)) => format!("{}:{line}:{column}: {diagnostic}", source.name),
            None => format!("{}: {diagnostic}", source.name),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn refusals(refused: &[Refused]) -> String {
    let texts = refused.iter().map(|one| in_source(&one.source, &one.diagnostics));
    texts.collect::<Vec<_>>().join("\n")
}
