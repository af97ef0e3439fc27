//! The whole command line: the options that all verbs (subcommands) share, and the verb with its
//! arguments.

use clap::Parser;
use clap::error::{ContextKind, ContextValue};

use crate::args::Format;
use crate::cmd::Command;

/// Compiles grammars and JSON Schemas into token masks, and looks at, checks and samples what it made.
#[derive(Debug, Parser)]
#[command(
    name = "grammarc",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 all is well, 1 something was found, 2 the tool failed."
)]
pub(crate) struct Cli {
    /// How results and diagnostics are written
    ///
    /// `json` writes one JSON value a line: results on standard output, diagnostics on standard error.
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// The subcommand
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Adds the feature to the error about a verb (subcommand) that this build does not have.
pub(crate) fn naming_feature(mut usage: clap::Error) -> clap::Error {
    let Some(ContextValue::String(verb)) = usage.get(ContextKind::InvalidSubcommand) else {
        return usage;
    };
    let feature = match verb.as_str() {
        "repair" | "jsonl" => "outputs",
        "generate" | "serve" | "model" => "models",
        _ => return usage,
    };
    let tip = format!("`{verb}` needs a build with `--features {feature}`");
    usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    usage
}

#[cfg(test)]
mod tests {
    use super::naming_feature;

    #[test]
    fn an_absent_verb_names_its_feature() {
        for (verb, named) in [("repair", true), ("serve", true), ("repairs", false)] {
            let command = clap::Command::new("grammarc").subcommand(clap::Command::new("check"));
            let error = command.try_get_matches_from(["grammarc", verb]).expect_err("no such verb");
            let text = naming_feature(error).to_string();
            assert_eq!(text.contains("needs a build with `--features"), named, "{text}");
        }
    }
}
