//! The treatment of a keyword or format, on one line.

use std::io::{self, Write};

use crate::cmd::keywords::Row;
use crate::render::Answer;

impl Answer for Row {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { kind, name, drafts, verdict, note } = self;
        let drafts = match drafts {
            None => String::new(),
            Some((since, until)) if since == until => format!("({since})"),
            Some((since, until)) => format!("({since} to {until})"),
        };
        write!(out, "{kind:7} {name:21} {drafts:20} {verdict}")?;
        if !note.is_empty() {
            write!(out, ": {note}")?;
        }
        writeln!(out)
    }
}
