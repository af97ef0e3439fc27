//! `grammarc completions`: writes a completion script for a shell to load.

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Shell for which to write the script
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(
    args: CompletionsArgs,
    mut whole: Command,
    output: &mut Output,
) -> Result<u8, Failure> {
    let mut script = Vec::new();
    generate(args.shell, &mut whole, "grammarc", &mut script);
    output.raw(|out| out.write_all(&script))?;
    Ok(0)
}
