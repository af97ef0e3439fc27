//! The items of JSON lines for people: one on each line, followed by the invalid lines.

use std::io::{self, Write};

use crate::cmd::jsonl::Items;
use crate::render::Answer;

impl Answer for Items {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        for item in &self.items {
            writeln!(out, "{item}")?;
        }
        for skipped in &self.skipped {
            writeln!(out, "line {} skipped: {}", skipped.line, skipped.reason)?;
        }
        if self.truncated {
            writeln!(out, "the text ends within a line")?;
        }
        Ok(())
    }
}
