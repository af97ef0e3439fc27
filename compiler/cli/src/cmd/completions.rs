//! `grammarc completions`: a completion script, to be sourced by the shell.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::args::Cli;
use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell to write it for
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: CompletionsArgs, output: &mut Output) -> Result<u8, Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "grammarc", &mut script);
    output.raw(|out| out.write_all(&script))?;
    Ok(0)
}
