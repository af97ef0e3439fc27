//! A summary of the vocabulary artifact that was built, for people.

use std::io::{self, Write};

use crate::cmd::vocab::Built;
use crate::readable::{self, count, number};
use crate::render::Answer;

impl Answer for Built {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{}: vocabulary {}, {} in {}",
            self.path.display(),
            self.name,
            readable::size(self.bytes),
            readable::time(self.seconds)
        )?;
        writeln!(
            out,
            "  tokens        {}, of these {} special and {} unused; logit width {}",
            number(self.tokens),
            number(self.special as u64),
            number(self.unused as u64),
            number(self.logit_width)
        )?;
        let ends = self
            .end_tokens
            .iter()
            .map(|end| format!("{} {}", end.id, readable::text(end.text.as_bytes())));
        let ends: Vec<String> = ends.collect();
        let ends = if ends.is_empty() { "none".to_owned() } else { ends.join(", ") };
        writeln!(out, "  end tokens    {ends}")?;
        let missing = match self.missing_bytes.len() {
            0 => "none, every byte is a token".to_owned(),
            _ => readable::byte_set(&self.missing_bytes).join(", "),
        };
        writeln!(out, "  missing bytes {missing}")?;
        writeln!(
            out,
            "  shared        {}, {}, {}, {}",
            count(self.shared.rules as u64, "rule"),
            count(self.shared.states, "state"),
            count(self.shared.masks as u64, "mask"),
            count(self.shared.rows, "dense row")
        )?;
        writeln!(out, "  fingerprint   {}", &self.fingerprint[..16])
    }
}
