//! The text of a sample, written byte for byte.

use std::io::{self, Write};

use crate::cmd::sample::SampleText;
use crate::render::Answer;

impl Answer for SampleText {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.0)?;
        writeln!(out)
    }
}
