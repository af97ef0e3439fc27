//! The whole command line: the options that all verbs (subcommands) share, and the verb with its
//! arguments.

use clap::Parser;

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
