//! Witnesses of a schema, for people: a line each.

use std::io::{self, Write};

use grammarc_portable::Witnessed;

use crate::render::Answer;

impl Answer for Witnessed {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        for (kind, cases) in [("valid", &self.valid), ("invalid", &self.invalid)] {
            for case in cases {
                let why = if case.pointer.is_empty() { &case.why } else { &case.pointer };
                writeln!(out, "{kind:<7}  {}  ({why})", case.text)?;
            }
        }
        for pointer in &self.silent {
            writeln!(out, "silent   {pointer} changes nothing")?;
        }
        for pointer in &self.dead {
            writeln!(out, "dead     {pointer} adds nothing")?;
        }
        for one in &self.undecided {
            writeln!(out, "unknown  {}: {}", one.pointer, one.reason)?;
        }
        Ok(())
    }
}
