//! The result of a repair, for people: the text, then the edits, one on each line.

use std::io::{self, Write};

use crate::cmd::repair::Repair;
use crate::readable;
use crate::render::Answer;

/// Number of characters of a removed text that are shown. The rest is left out.
const SHOWN: usize = 60;

impl Answer for Repair {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(text) = &self.text {
            writeln!(out, "{text}")?;
        }
        write!(out, "{}", self.status)?;
        match &self.reason {
            Some(reason) => writeln!(out, ": {reason}")?,
            None => writeln!(out, ", {} edits", self.edits.len())?,
        }
        for edit in &self.edits {
            let [start, end] = edit.at;
            let (removed, inserted) = (short(&edit.removed), short(&edit.inserted));
            let change = match (removed.is_empty(), inserted.is_empty()) {
                (true, _) => format!("+ {inserted}"),
                (_, true) => format!("- {removed}"),
                _ => format!("{removed} -> {inserted}"),
            };
            writeln!(out, "  {start}..{end} {} ({}): {change}", edit.kind, edit.grade)?;
        }
        Ok(())
    }
}

fn short(text: &str) -> String {
    let shown = readable::text(text.as_bytes());
    match shown.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &shown[..end]),
        None => shown,
    }
}
