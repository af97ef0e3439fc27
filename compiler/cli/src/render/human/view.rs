//! The page that `view` wrote, for people.

use std::io::{self, Write};

use crate::cmd::view::ViewFile;
use crate::readable::{self, count};
use crate::render::Answer;

impl Answer for ViewFile {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{}: {}, {} of {}",
            self.path.display(),
            readable::size(self.bytes as u64),
            count(self.states, "state"),
            count(self.rules, "rule")
        )?;
        if let Some(left_out) = self.left_out {
            writeln!(
                out,
                "Left out: {} of {}; --rule NAME chooses the rules to show",
                count(left_out.states, "state"),
                count(left_out.rules, "rule")
            )?;
        }
        Ok(())
    }
}
