//! `grammarc build`: compiles the sources of a manifest to a folder of artifacts.

use std::path::PathBuf;

use clap::Args;
use grammarc_build::{Build, BuildError, MANIFEST, Outcome, Progress as Step, Stale};
use grammarc_compiler::frontend::deny::Deny;
use serde::Serialize;

use crate::args::ThreadArgs;
use crate::failure::{Failure, Problem};
use crate::options::deny_names;
use crate::output::Output;
use crate::progress::Progress;

/// Arguments of `build`.
#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// Manifest: the sources, and the vocabularies to compile them for
    #[arg(long, value_name = "FILE", default_value = MANIFEST)]
    manifest: PathBuf,

    /// Folder of artifacts [default: `output` of the manifest]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Write nothing, and list the files that a build would write or delete; exit code 1 if there
    /// are any
    #[arg(long, conflicts_with = "depfile")]
    check: bool,

    /// Reject sources with keywords of this class, besides those that the manifest denies. May be
    /// given several times
    #[arg(long, value_name = "WHAT", value_parser = deny_names())]
    deny: Vec<Deny>,

    /// File to which to write the inputs, as dependencies of the index in the form of make and
    /// ninja
    #[arg(long, value_name = "FILE")]
    depfile: Option<PathBuf>,

    #[command(flatten)]
    threads: ThreadArgs,
}

/// The result of a build.
#[derive(Debug, Serialize)]
pub(crate) struct BuildAnswer {
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
    /// Number of rejected sources. A source counts once for each vocabulary.
    pub(crate) refused: usize,
}

/// The result of `build --check`: the files that are not up to date.
#[derive(Debug, Serialize)]
pub(crate) struct BuildCheck {
    pub(crate) up_to_date: bool,
    pub(crate) stale: Vec<Stale>,
}

pub(crate) fn run(args: BuildArgs, output: &mut Output) -> Result<u8, Failure> {
    let mut build = Build::new().manifest(&args.manifest).deny(args.deny);
    if let Some(folder) = &args.output {
        build = build.output(folder);
    }
    if let Some(threads) = args.threads.count() {
        build = build.threads(threads);
    }
    let progress = Progress::new(output);
    if args.check {
        progress.phase("checking");
        let stale = build.check()?;
        drop(progress);
        let up_to_date = stale.is_empty();
        output.answer(&BuildCheck { up_to_date, stale })?;
        return Ok(u8::from(!up_to_date));
    }
    let outcome = build.run_with(&|step| match step {
        Step::Vocabulary(name) => progress.phase(format!("preparing vocabulary {name}")),
        Step::Looking { sources } => progress.phase(format!("comparing {sources} sources")),
        Step::Compiled { source, done, sources } => {
            progress.phase(format!("compiled {done} of {sources}: {source}"));
        }
    })?;
    drop(progress);
    if let Some(path) = &args.depfile {
        build.write_depfile(path, &outcome)?;
    }
    for found in outcome.findings.iter().chain(&outcome.refused) {
        output.diagnostics(&found.source, &found.diagnostics)?;
    }
    let refused = outcome.refused.len();
    output.answer(&BuildAnswer { outcome, refused })?;
    Ok(u8::from(refused > 0))
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Manifest { manifest: source, diagnostics } => {
                Self::Refused { source, diagnostics }
            }
            other => Self::Tool(Problem::Manifest(Box::new(other))),
        }
    }
}
