//! The costs of a source, for people: a bar for each place.

use std::io::{self, Write};

use crate::cmd::cost::{Cost, Share, Without};
use crate::readable;
use crate::render::Answer;

/// Length of the longest bar.
const BAR: usize = 24;

impl Answer for Cost {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let (bytes, states) = (readable::size(self.bytes), readable::number(self.states));
        let seconds = readable::time(self.seconds);
        writeln!(out, "{bytes}, {states} states, compiled in {seconds}")?;
        let most = self.places.first().map_or(1.0, |place| place.bytes.max(1.0));
        let line = |out: &mut dyn Write, bytes: f64, name: &str| {
            let length = ((bytes / most) * BAR as f64).round().clamp(0.0, BAR as f64) as usize;
            let (bar, rest) = ("█".repeat(length), " ".repeat(BAR - length));
            let (share, size) =
                (100.0 * bytes / self.bytes.max(1) as f64, readable::size(bytes as u64));
            writeln!(out, "  {bar}{rest}  {share:4.1} %  {size:>10}  {name}")
        };
        for Share { pointer, bytes, states, .. } in &self.places {
            let pointer = if pointer.is_empty() { "the whole schema" } else { pointer };
            line(out, *bytes, &format!("{pointer}, {states:.0} states"))?;
        }
        line(out, self.others, "all others: shared masks, names, places, headers")?;
        if !self.what_if.is_empty() {
            writeln!(out, "without a keyword:")?;
        }
        for Without { pointer, bytes, seconds } in &self.what_if {
            let change = match bytes {
                0.. => format!("{} less", readable::size(*bytes as u64)),
                _ => format!("{} more", readable::size(bytes.unsigned_abs())),
            };
            writeln!(out, "  {pointer}: {change}, {:+.1} ms", -1e3 * seconds)?;
        }
        for advice in &self.advice {
            writeln!(out, "advice  {advice}")?;
        }
        Ok(())
    }
}
