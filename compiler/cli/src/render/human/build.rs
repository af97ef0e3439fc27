//! The results of `build` and of `build --check`, for people.

use std::io::{self, Write};

use grammarc_build::BuiltArtifact;

use crate::cmd::build::{BuildAnswer, BuildCheck};
use crate::readable;
use crate::render::Answer;

/// Number of artifacts that are listed one by one. Further artifacts are only counted.
const NAMED: usize = 20;

impl Answer for BuildAnswer {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let outcome = &self.outcome;
        for vocabulary in outcome.vocabularies.iter().filter(|vocabulary| vocabulary.built) {
            writeln!(out, "built     {}", vocabulary.path.display())?;
        }
        named("compiled", outcome.built.iter().map(line), out)?;
        named("removed ", outcome.removed.iter().cloned(), out)?;
        let bytes = outcome.built.iter().map(|artifact| artifact.bytes).sum();
        write!(
            out,
            "{}: {} compiled ({}), {} up to date",
            outcome.output.display(),
            outcome.built.len(),
            readable::size(bytes),
            outcome.fresh
        )?;
        if !outcome.removed.is_empty() {
            write!(out, ", {} removed", outcome.removed.len())?;
        }
        if self.refused > 0 {
            write!(out, ", {} refused", self.refused)?;
        }
        writeln!(out, ", in {}", readable::time(outcome.seconds))
    }
}

fn line(artifact: &BuiltArtifact) -> String {
    format!("{}, {}", artifact.file, readable::size(artifact.bytes))
}

/// Writes one line for each of the first [`NAMED`] items, and one line with the number of the
/// others.
fn named(
    what: &str,
    lines: impl ExactSizeIterator<Item = String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let more = lines.len().saturating_sub(NAMED);
    for line in lines.take(NAMED) {
        writeln!(out, "{what}  {line}")?;
    }
    if more > 0 {
        writeln!(out, "{what}  {more} more")?;
    }
    Ok(())
}

impl Answer for BuildCheck {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.up_to_date {
            return writeln!(out, "all is up to date");
        }
        for stale in &self.stale {
            write!(out, "{:<12}{}", stale.why.to_string(), stale.file)?;
            match &stale.source {
                Some(source) => writeln!(out, ", from {source}")?,
                None => writeln!(out)?,
            }
        }
        writeln!(out, "{} not up to date: run `grammarc build`", self.stale.len())
    }
}
