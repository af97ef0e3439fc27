//! `grammarc lower`: rewrites a JSON Schema for a provider or engine, and reports how the result relates to the source.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use grammarc_artifacts::write;
use grammarc_build::registry;
use grammarc_compiler::diagnostics::Diagnostic;
use grammarc_portable::{Keep, LowerError, LowerOptions, Lowered, lower};
use serde::Serialize;

use crate::cmd::lint::{is_standard_output, own_packs, pack_of};
use crate::failure::{Failure, Problem};
use crate::input::read_source;
use crate::output::Output;
use crate::vocabularies::damaged;

/// Arguments of `lower`.
#[derive(Debug, Args)]
pub(crate) struct LowerArgs {
    /// JSON Schema; `-` is standard input
    source: PathBuf,
    /// Provider or engine for which to rewrite the schema
    #[arg(long = "for", value_name = "TARGET")]
    target: String,
    /// File to write the schema to; `-` writes it to standard output, in place of the answer
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Direction in which inexact rewritings may change the values
    #[arg(long, value_name = "WHAT", value_enum, default_value = "narrower")]
    keep: KeepArg,
    /// Stand-ins to allow, separated by commas: `null` denotes an absent member, `root` wraps the schema in an object;
    /// or `none`
    #[arg(long, value_name = "WHAT", value_delimiter = ',', default_value = "null,root")]
    stand_ins: Vec<StandInArg>,
    /// Keep keywords whose treatment by the target is undocumented
    #[arg(long)]
    keep_undocumented: bool,
    /// A file with a pack of rules, in place of the target's built-in pack
    #[arg(long, value_name = "FILE")]
    pack: Vec<PathBuf>,
    /// Time limit of each comparison of the schemas in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 2)]
    time_limit: u64,
    /// Schemas that the JSON Schema refers to by URI, as for `compile`. May be given several times
    #[arg(long, value_name = "[URI=]PATH")]
    registry: Vec<OsString>,
}

/// The direction in which values may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KeepArg {
    /// Values of the lowered schema are values of the source
    Narrower,
    /// Values of the source are values of the lowered schema
    Wider,
    /// Both have the same values
    Equal,
}

/// Stand-ins that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StandInArg {
    Null,
    Root,
    None,
}

/// A lowered schema, with the file it was written to.
#[derive(Debug, Serialize)]
pub(crate) struct LoweredFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<PathBuf>,
    #[serde(flatten)]
    pub(crate) lowered: Lowered,
}

/// Lowers a schema. Returns exit code 1 if the relation to the source is not as `keep` demands.
pub(crate) fn run(args: LowerArgs, output: &mut Output) -> Result<u8, Failure> {
    let source = read_source(&args.source)?;
    let pack = pack_of(&args.target, &own_packs(&args.pack)?)?;
    let mut options = LowerOptions {
        keep: match args.keep {
            KeepArg::Narrower => Keep::Narrower,
            KeepArg::Wider => Keep::Wider,
            KeepArg::Equal => Keep::Equal,
        },
        null_for_absent: args.stand_ins.contains(&StandInArg::Null),
        wrap_root: args.stand_ins.contains(&StandInArg::Root),
        keep_undocumented: args.keep_undocumented,
        ..LowerOptions::default()
    };
    options.relation.time = Duration::from_secs(args.time_limit);
    if !args.registry.is_empty() {
        let read = registry::read(Path::new(""), &args.registry).map_err(Problem::Registry)?;
        options.relation.schemas.resources = read.resources;
    }
    let lowered = lower(&source, &pack, &options).map_err(|error| {
        let one = |code| vec![Diagnostic::error(code, error.to_string())];
        let diagnostics = match &error {
            LowerError::Source(errors) => errors.clone(),
            LowerError::NoInstances => one("portable::no-instances"),
            LowerError::NothingLeft => one("portable::nothing-left"),
            LowerError::NoRewriting(_) => one("portable::no-rewriting"),
            LowerError::Stopped(_) => one("portable::stopped"),
        };
        Failure::Refused { source: source.clone(), diagnostics }
    })?;
    let code = u8::from(!lowered.kept);
    let text = format!("{}\n", lowered.text.trim_end());
    match &args.output {
        Some(path) if is_standard_output(path) => {
            output.raw(|out| out.write_all(text.as_bytes()))?;
        }
        path => {
            if let Some(path) = path {
                let written = write::replace(path, text.as_bytes());
                written.map_err(|error| damaged(path, error))?;
            }
            output.answer(&LoweredFile { path: args.output, lowered })?;
        }
    }
    Ok(code)
}
