//! `grammarc diff`: compares two JSON Schemas, or two lists of tools.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use grammarc_build::registry;
use grammarc_compiler::frontend::json_schema::relation::{Relation, RelationOptions};
use grammarc_portable::{Compatible, DiffError, differences};

use crate::failure::{Failure, Problem};
use crate::input::read_source;
use crate::output::Output;

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The old JSON Schema, or a list of tools as OpenAI, Anthropic or MCP write it; `-` is standard input
    old: PathBuf,
    /// The new JSON Schema or list of tools
    new: PathBuf,
    /// Compatibility to check; by default, both have to allow the same values
    ///
    /// `input`: NEW allows all values of OLD, so existing senders stay valid. `output`: OLD allows all values of NEW,
    /// so existing readers stay valid. `both`: OLD and NEW allow the same values.
    #[arg(long, value_name = "WHAT", value_parser = PossibleValuesParser::new(Compatible::NAMED.map(|(name, _)| name)))]
    compatible: Option<String>,
    /// Exit with 0 even if a relation is undecided
    #[arg(long)]
    allow_unknown: bool,
    /// Time limit of each comparison in seconds; beyond it, the answer is unknown
    #[arg(long, value_name = "SECONDS", default_value_t = 2)]
    time_limit: u64,
    /// Schemas that a JSON Schema refers to by URI, as for `compile`. May be given several times
    #[arg(long, value_name = "[URI=]PATH")]
    registry: Vec<OsString>,
}

/// Compares two schemas or lists of tools. Returns exit code 0 if all are compatible, otherwise 1.
pub(crate) fn run(args: DiffArgs, output: &mut Output) -> Result<u8, Failure> {
    let time = Duration::from_secs(args.time_limit);
    let mut options = RelationOptions { time, ..RelationOptions::default() };
    if !args.registry.is_empty() {
        let read = registry::read(Path::new(""), &args.registry).map_err(Problem::Registry)?;
        options.schemas.resources = read.resources;
    }
    let (old, new) = (read_source(&args.old)?, read_source(&args.new)?);
    let compatible = args.compatible.as_deref().and_then(Compatible::named);
    let found = differences(&old, &new, compatible.unwrap_or(Compatible::Both), &options);
    let found = found.map_err(|error| match error {
        DiffError::Refused { source, errors } => Failure::Refused { source, diagnostics: errors },
        DiffError::Kinds => {
            let problem = "and NEW are of different kinds: a schema, and a list of tools";
            Failure::Tool(Problem::Option { option: "OLD", problem: problem.to_owned() })
        }
    })?;
    let mut code = 0;
    for difference in found {
        if !difference.compatible.unwrap_or(args.allow_unknown) {
            code = 1;
        }
        output.answer(&difference)?;
    }
    Ok(code)
}

/// Returns the meaning of a relation of OLD to NEW, as a phrase for people.
pub(crate) fn meaning(relation: &str) -> &'static str {
    match relation {
        name if name == Relation::Equal.name() => "the same values are allowed",
        name if name == Relation::Within.name() => "NEW allows more",
        name if name == Relation::Contains.name() => {
            "NEW allows less: values of before are refused"
        }
        name if name == Relation::Overlapping.name() => "each allows values that the other refuses",
        name if name == Relation::Disjoint.name() => "no value is allowed by both",
        "added" => "the tool is new",
        "removed" => "the tool is gone",
        _ => "it was not decided",
    }
}
