//! The build from a build script (`build.rs`): writes the lines that Cargo reads from standard
//! output.

use std::env;
use std::io::{self, Write};
use std::path::PathBuf;

use crate::error::BuildError;
use crate::outcome::{Outcome, Refused};
use crate::{Build, MANIFEST};

/// Environment variable that names the folder of artifacts to the crate that the build script
/// belongs to.
const VARIABLE: &str = "GRAMMARC_OUT";

impl Build {
    /// Does the build from a build script. If no output folder is set, the artifacts go to the
    /// folder `masks` in Cargo's `OUT_DIR`.
    ///
    /// Cargo is told the inputs, so that the script runs again if one changes. Warnings and notes
    /// become warnings of Cargo. The crate gets the folder's path as `env!("GRAMMARC_OUT")`.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run), and [`BuildError::Refused`] if a source has errors.
    pub fn cargo(&self) -> Result<Outcome, BuildError> {
        let mut build = self.clone();
        if build.output.is_none() {
            build.output = env::var_os("OUT_DIR").map(|folder| PathBuf::from(folder).join("masks"));
        }
        // Even if the build fails, the script runs again when the manifest changes.
        print(&[format!("cargo::rerun-if-changed={}", build.manifest.display())])?;
        let outcome = build.run()?;
        let mut lines: Vec<String> = Vec::new();
        let inputs = outcome.inputs.iter().filter(|path| !path.ends_with(MANIFEST));
        lines.extend(inputs.map(|path| format!("cargo::rerun-if-changed={}", path.display())));
        lines.push(format!("cargo::rustc-env={VARIABLE}={}", outcome.output.display()));
        lines.extend(outcome.findings.iter().flat_map(warnings));
        print(&lines)?;
        match outcome.is_complete() {
            true => Ok(outcome),
            false => Err(BuildError::Refused(outcome.refused)),
        }
    }
}

/// Returns a `cargo::warning` line for each diagnostic, with line breaks replaced by spaces.
fn warnings(found: &Refused) -> impl Iterator<Item = String> + '_ {
    found.diagnostics.iter().map(|diagnostic| {
        let text = diagnostic.to_string().replace('\n', " ");
        format!("cargo::warning={}: {text}", found.source.name)
    })
}

fn print(lines: &[String]) -> Result<(), BuildError> {
    let mut out = io::stdout().lock();
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    written.and_then(|()| out.flush()).map_err(BuildError::Write)
}
