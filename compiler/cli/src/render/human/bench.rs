//! Times of a compiled grammar, as a table.

use std::io::{self, Write};

use grammarc::maskbench::Percentiles;

use super::facts;
use crate::cmd::bench::Benched;
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
        let head = ["p50", "p90", "p99", "p99.9", "max"].map(|name| format!("{name:>10}"));
        writeln!(out, "  {:34}{}", "ns", head.concat())?;
        for call in &self.calls {
            row(call.call, &call.ns, out)?;
        }
        for call in &self.calls {
            row(&format!("first time: {}", call.call), &call.first_ns, out)?;
        }
        row("opening", &self.opening_ns, out)
    }
}

fn row(name: &str, ns: &Percentiles, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "  {name:34}")?;
    for value in [ns.p50, ns.p90, ns.p99, ns.p999, ns.max] {
        match value {
            0.0..100.0 => write!(out, "{value:>10.1}")?,
            _ => write!(out, "{:>10}", number(value.round() as u64))?,
        }
    }
    writeln!(out)
}
