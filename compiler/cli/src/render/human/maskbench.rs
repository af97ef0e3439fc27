//! The verdicts over a folder of schemas.

use std::io::{self, Write};

use grammarc::maskbench::{Percentiles, Totals, Wrong};

use crate::readable::{count, number};
use crate::render::Answer;

impl Answer for Totals {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        for refused in &self.refused {
            let place = refused.pointer.as_deref().unwrap_or_default();
            writeln!(out, "refused  {} {} {place}: {}", refused.id, refused.code, refused.message)?;
        }
        for wrong in &self.wrong {
            self::wrong(wrong, out)?;
        }
        writeln!(
            out,
            "{} of {} compiled, {} of them with a keyword that is not exact",
            number(self.compiled as u64),
            count(self.schemas as u64, "schema"),
            number(self.inexact as u64)
        )?;
        let accepted = self.wrong.iter().filter(|wrong| !wrong.valid).count();
        writeln!(
            out,
            "{} valid, {} of them refused; {} invalid, {} of them accepted; {}",
            number(self.valid as u64),
            self.wrong.len() - accepted,
            number(self.invalid as u64),
            accepted,
            count(self.tokens as u64, "token")
        )?;
        writeln!(out, "              p50        p90        p99      p99.9        max")?;
        percentiles("compile, ms", &self.compile_us, 1e-3, out)?;
        percentiles("size, KB", &self.artifact_bytes, 1e-3, out)?;
        percentiles("mask, µs", &self.mask_ns, 1e-3, out)?;
        percentiles("fill, µs", &self.fill_ns, 1e-3, out)
    }
}

fn wrong(wrong: &Wrong, out: &mut dyn Write) -> io::Result<()> {
    let what = if wrong.valid { "valid and refused" } else { "invalid and accepted" };
    let Wrong { id, test, at, tokens, .. } = wrong;
    write!(out, "wrong    {id} test {test}: {what} after {at} of {tokens} tokens")?;
    if let Some(error) = &wrong.error {
        write!(out, ", {error}")?;
    }
    if !wrong.inexact.is_empty() {
        write!(out, " ({})", wrong.inexact.join(", "))?;
    }
    writeln!(out)
}

fn percentiles(
    name: &str,
    figures: &Percentiles,
    scale: f64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Percentiles { p50, p90, p99, p999, max } = figures;
    write!(out, "{name:11}")?;
    for figure in [p50, p90, p99, p999, max] {
        write!(out, " {:>10.3}", figure * scale)?;
    }
    writeln!(out)
}
