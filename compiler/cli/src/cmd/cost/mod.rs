//! `grammarc cost`: reports the share of the artifact that each part of a schema takes.

mod shares;
mod without;

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::controls::ControlTokens;
use serde::Serialize;

use crate::args::VocabularyArgs;
use crate::failure::Failure;
use crate::frontend::SourceArgs;
use crate::output::Output;
use crate::progress::Progress;
use crate::vocabularies;

pub(crate) use shares::Share;
pub(crate) use without::Without;

/// Arguments of `cost`.
#[derive(Debug, Args)]
pub(crate) struct CostArgs {
    #[command(flatten)]
    source: SourceArgs,

    #[command(flatten)]
    vocabulary: VocabularyArgs,

    /// Most places that are shown
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,

    /// Compile again without each keyword of the 8 largest places, and show what that saves
    #[arg(long)]
    what_if: bool,
}

/// The costs of a source.
#[derive(Debug, Serialize)]
pub(crate) struct Cost {
    /// Length of the artifact in bytes.
    pub(crate) bytes: u64,
    /// Number of the grammar's own states.
    pub(crate) states: u64,
    /// Seconds from the source to the artifact.
    pub(crate) seconds: f64,
    /// The shares of places, the largest first. With `others`, they add up to `bytes`.
    pub(crate) places: Vec<Share>,
    /// Bytes of unlisted places, and of parts of the artifact that belong to no place.
    pub(crate) others: f64,
    /// The savings without single keywords. Empty without `--what-if`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) what_if: Vec<Without>,
    /// Advice on how to make the grammar smaller.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) advice: Vec<String>,
}

pub(crate) fn run(args: CostArgs, output: &mut Output) -> Result<u8, Failure> {
    let progress = Progress::new(output);
    let request = args.source.read()?;
    let budget = Budget::new();
    if !request.front_end.depends_on_vocabulary(&request.source) {
        request.lower_for(&ControlTokens::default(), &budget)?;
    }
    let vocabulary =
        vocabularies::choose(&args.vocabulary, &PathBuf::new(), &progress, output, None)?.artifact;
    let controls = request.front_end.controls(&request.source, &vocabulary);
    let compiler = Compiler::new(vocabulary);
    let start = Instant::now();
    let lowered = request.lower_for(&controls, &budget)?;
    let refused = |diagnostics| Failure::Refused { source: request.source.clone(), diagnostics };
    let options = CompileOptions::default();
    let compiled = compiler.compile_lowered(&request.with(&options), &lowered, &budget);
    let compiled = compiled.map_err(refused)?;
    let artifact = compiled.to_artifact(&compiler);
    let artifact = artifact.map_err(|error| refused(vec![error.to_diagnostic()]))?;
    let seconds = start.elapsed().as_secs_f64();
    let mut places = shares::shares(&artifact);
    let bytes = artifact.byte_length() as u64;
    let advice = without::advice(&request.source, &places, bytes);
    let what_if = match args.what_if {
        true => {
            progress.phase("compiling without single keywords");
            without::each(&request, &compiler, &places, bytes, seconds)
        }
        false => Vec::new(),
    };
    places.truncate(args.most);
    let others = bytes as f64 - places.iter().map(|place| place.bytes).sum::<f64>();
    let states = u64::from(artifact.tables().state_count());
    drop(progress);
    output.answer(&Cost { bytes, states, seconds, places, others, what_if, advice })?;
    Ok(0)
}
