//! The `grammarc` binary.
//!
//! ```text
//! arguments ─ command_line ─► cmd/<verb> ─► answer, diagnostics or failure ─► render/{human,json} ─► output
//! ```
//!
//! A verb computes and returns data. The renderers decide how the data looks, and [`output`] holds the streams. Exit
//! codes: 0 success, 1 a finding (a source rejected, a text not accepted, a damaged artifact, a dead end), 2 a
//! failure of the tool. A reader that closes the pipe is not a failure.

mod args;
mod cmd;
mod command_line;
mod failure;
mod frontend;
mod input;
mod options;
mod output;
mod progress;
mod readable;
mod render;
mod special;
mod vocabularies;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use command_line::{Cli, naming_feature};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            let usage = naming_feature(usage);
            // Help goes to stdout and succeeds. If it cannot be written, nobody can be informed.
            let _ = usage.print();
            return ExitCode::from(if usage.use_stderr() { 2 } else { 0 });
        }
    };
    let mut output = output::Output::new(cli.format);
    let result = cmd::run(cli.command, Cli::command, &mut output);
    ExitCode::from(output.finish(result))
}
