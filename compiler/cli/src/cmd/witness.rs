//! `grammarc witness`: generates test cases of a schema: instances, and texts that are not instances.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use grammarc_build::registry;
use grammarc_compiler::frontend::json_schema::witness::{WitnessOptions, witnesses};
use grammarc_portable::Witnessed;

use crate::failure::{Failure, Problem};
use crate::input::read_source;
use crate::output::Output;

/// Arguments of `witness`.
#[derive(Debug, Args)]
pub(crate) struct WitnessArgs {
    /// JSON Schema; `-` is standard input
    source: PathBuf,
    /// Which texts to find; may be given several times [default: all of them]
    #[arg(long, value_name = "WHAT", value_enum)]
    only: Vec<Kind>,
    /// Number of random instances
    #[arg(long, value_name = "N", default_value_t = 0)]
    random: usize,
    /// The seed of random instances: equal seeds find equal instances
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// JSON pointer to the part of the schema whose keywords are considered
    #[arg(long, value_name = "POINTER", default_value = "")]
    at: String,
    /// Time limit in seconds for all keywords together; later keywords are undecided
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    time_limit: u64,
    /// Schemas that the JSON Schema refers to by URI, as for `compile`. May be given several times
    #[arg(long, value_name = "[URI=]PATH")]
    registry: Vec<OsString>,
}

/// Kinds of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A shortest instance
    Shortest,
    /// Instances that just meet a keyword: bounds, lengths, values, members, branches
    Boundary,
    /// Texts that exactly one keyword refuses
    NearMiss,
}

pub(crate) fn run(args: WitnessArgs, output: &mut Output) -> Result<u8, Failure> {
    let source = read_source(&args.source)?;
    let is_asked = |kind| args.only.contains(&kind) || args.only.is_empty();
    let mut options = WitnessOptions {
        time: Duration::from_secs(args.time_limit),
        shortest: is_asked(Kind::Shortest),
        boundary: is_asked(Kind::Boundary),
        near_miss: is_asked(Kind::NearMiss),
        random: args.random,
        seed: args.seed,
        at: args.at,
        ..WitnessOptions::default()
    };
    if !args.registry.is_empty() {
        let read = registry::read(Path::new(""), &args.registry).map_err(Problem::Registry)?;
        options.relation.schemas.resources = read.resources;
    }
    let found = witnesses(&source, &options)
        .map_err(|diagnostics| Failure::Refused { source, diagnostics })?;
    output.answer(&Witnessed::from(found))?;
    Ok(0)
}
