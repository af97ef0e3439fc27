//! The reasons why a build as a whole failed.

use std::io;
use std::path::PathBuf;

use grammarc_compiler::cache::IndexError;
use grammarc_compiler::compile::CompileError;
use grammarc_compiler::diagnostics::{Diagnostic, Source};

use crate::outcome::Refused;

/// The reason why a build as a whole failed. Errors of single sources are not among these; the
/// [`Outcome`](crate::Outcome) contains them.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file or folder cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// Path of the file or folder.
        path: PathBuf,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// The manifest has errors.
    #[error("{}", in_source(manifest, diagnostics))]
    Manifest {
        /// The text of the manifest.
        manifest: Source,
        /// The errors in the manifest.
        diagnostics: Vec<Diagnostic>,
    },
    /// The manifest names no output folder, and the caller gives none.
    #[error("{manifest} has no `output`, and none is given")]
    NoOutput {
        /// Path of the manifest.
        manifest: String,
    },
    /// The shared rules, which every vocabulary artifact stores with their masks, do not compile.
    #[error("vocabulary {name} cannot be built")]
    SharedRules {
        /// Name of the vocabulary.
        name: String,
        /// The reason why the shared rules do not compile.
        source: Box<CompileError>,
    },
    /// An artifact cannot be opened or written.
    #[error("{}", path.display())]
    Artifact {
        /// Path of the artifact.
        path: PathBuf,
        /// The reason why the artifact cannot be opened or written.
        source: grammarc_artifacts::Error,
    },
    /// The index file of the output folder cannot be understood, so the content of the folder is
    /// not known.
    #[error("{}; delete it, and the artifacts beside it that nobody needs", path.display())]
    Index {
        /// Path of the index file.
        path: PathBuf,
        /// The reason why the index cannot be understood.
        source: IndexError,
    },
    /// An artifact cannot be deleted although its source is gone or refused.
    #[error("cannot delete {}", path.display())]
    Delete {
        /// Path of the artifact.
        path: PathBuf,
        /// The error that the operating system reported.
        source: io::Error,
    },
    /// The threads of the build cannot be started.
    #[error("cannot start threads")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    /// The lines for Cargo cannot be written to standard output.
    #[error("cannot write to standard output")]
    Write(#[source] io::Error),
    /// Sources have errors. Only [`Build::cargo`](crate::Build::cargo) returns this variant,
    /// because a build script reports nothing else.
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
