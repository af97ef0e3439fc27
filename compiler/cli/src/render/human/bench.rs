//! Times of a compiled grammar, as a table.

use std::io::{self, Write};

use grammarc::maskbench::Percentiles;

use super::facts;
use crate::cmd::bench::{Benched, CallTimes};
use crate::readable::{count, number, size, time};
use crate::render::Answer;

impl Answer for Benched {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{}: {}, {}, opened in {}",
            self.artifact,
            size(self.bytes),
            count(self.states, "state"),
            time(self.opening_ns.p50 / 1e9)
        )?;
        if let Some(bound) = &self.bound {
            facts::bound(bound, out)?;
        }
        writeln!(
            out,
            "  met         at most {} in a mask",
            count(self.most_parts as u64, "stored part")
        )?;
        writeln!(
            out,
            "  measured    {} with {}, {}, {} kernels, clock {} ns\n",
            count(self.outputs, "sampled output"),
            count(self.tokens as u64, "token"),
            count(self.rounds, "round"),
            self.kernels,
            number(self.clock_ns as u64)
        )?;
        let mut rows = vec![["ns", "p50", "p90", "p99", "p99.9", "max"].map(str::to_owned)];
        rows.extend(self.calls.iter().map(|call| row(call.call, &call.ns)));
        let first = |call: &CallTimes| row(&format!("first time: {}", call.call), &call.first_ns);
        rows.extend(self.calls.iter().map(first));
        rows.push(row("opening", &self.opening_ns));
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: [usize; 6] = std::array::from_fn(width);
        for [name, values @ ..] in &rows {
            write!(out, "  {name:0$}", widths[0])?;
            for (value, width) in values.iter().zip(&widths[1..]) {
                write!(out, "   {value:>width$}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// A row of the table: a name and its percentiles in nanoseconds.
fn row(name: &str, ns: &Percentiles) -> [String; 6] {
    let text = |value: f64| match value {
        0.0..100.0 => format!("{value:.1}"),
        _ => number(value.round() as u64),
    };
    let [p50, p90, p99, p999, max] = [ns.p50, ns.p90, ns.p99, ns.p999, ns.max].map(text);
    [name.to_owned(), p50, p90, p99, p999, max]
}
