//! The report that a compilation ends with.

use std::io::{self, Write};

use super::facts;
use crate::cmd::compile::CompiledFile;
use crate::cmd::facts::ContentFacts;
use crate::readable;
use crate::render::Answer;

/// Sections that the report names; the rest are summed up.
const NAMED_SECTIONS: usize = 5;

impl Answer for CompiledFile {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{}: {}, {} in {}",
            self.path.display(),
            readable::size(self.facts.bytes),
            if self.cached { "from the cache" } else { "compiled" },
            readable::time(self.seconds.compile)
        )?;
        let ContentFacts::Grammar(grammar) = &self.facts.content else { return Ok(()) };
        let written = match self.vocabulary_file.built {
            true => format!(", written in {}", readable::time(self.seconds.vocabulary)),
            false => String::new(),
        };
        writeln!(
            out,
            "  vocabulary  {}, from {}{written}",
            grammar.vocabulary,
            self.vocabulary_file.path.display()
        )?;
        facts::report(&grammar.report, false, out)?;
        if !self.verbose {
            return Ok(());
        }
        facts::tables(&self.facts.tables, out)?;
        facts::largest_sections(&self.facts.sections, NAMED_SECTIONS, out)?;
        facts::bound(&grammar.bound, out)
    }
}
