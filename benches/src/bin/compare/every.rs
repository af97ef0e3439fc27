//! From the text of a schema to the first mask, for every schema of MaskBench that both engines compile.
//!
//! The hundred schemas of the other parts contain few of the slowest. Some of these take a hundred times the median,
//! and they determine the 99th percentile. Measured as in the other parts, in fewer rounds and on one thread; the
//! slowest hundredth also on several.

use std::io::{self, Write};

use grammarc_benches::clock::Clock;
use grammarc_benches::inputs::{Case, maskbench};
use grammarc_benches::ours::Text;
use grammarc_benches::table::{Samples, Table};
use grammarc_benches::threads;

use crate::Bench;
use crate::compile::{ALL, PARTS, our_first_mask, their_first_mask};
use crate::report::Report;

/// Times that each schema is compiled; the median counts.
const ROUNDS: usize = 3;

/// The slowest that are named.
const NAMED: usize = 10;

/// The part of the schemas, in hundredths, that is measured on several threads.
const SLOWEST: usize = 1;

pub(crate) fn run(bench: &Bench, report: &mut Report) -> io::Result<()> {
    let mut ours: [Samples; PARTS.len()] = Default::default();
    let (mut theirs, mut naturals) = (Samples::default(), Samples::default());
    let mut slowest = Vec::new();
    let all = maskbench();
    let mut both = 0;
    for case in all.iter().filter(|case| bench.takes(case)) {
        both += 1;
        let schema = case.schema.to_string();
        let mut our: [Samples; PARTS.len()] = Default::default();
        let (mut their, mut natural) = (Samples::default(), Samples::default());
        for _ in 0..ROUNDS {
            let times = our_first_mask(&bench.ours, Clock::Cpu, Text::JsonSchema(&schema));
            our.iter_mut().zip(times).for_each(|(round, time)| round.push(time));
            let text = Text::Natural(&schema);
            natural.push(our_first_mask(&bench.ours, Clock::Cpu, text)[ALL]);
            their.push(their_first_mask(&bench.canonical, Clock::Cpu, &schema));
        }
        ours.iter_mut().zip(&our).for_each(|(all, round)| all.push(round.median()));
        theirs.push(their.median());
        naturals.push(natural.median());
        slowest.push((our[ALL].median(), their.median(), case));
    }
    writeln!(report, "\n## Schema to first mask, every schema\n")?;
    writeln!(
        report,
        "{both} of {} schemas, which both compile; 1 thread, CPU time of the process, µs\n",
        all.len()
    )?;
    let mut table = Table::new("time");
    for (part, samples) in PARTS.iter().zip(&ours) {
        table.row(format!("grammarc: {part}"), samples);
    }
    table.row(format!("grammarc, natural text: {}", PARTS[ALL]), &naturals);
    table.ratio("ratio of percentiles, natural to compact", &naturals, &ours[ALL]);
    table.row("ratio by schema, natural to compact", &naturals.over(&ours[ALL]));
    table.row("llguidance", &theirs);
    table.ratio("ratio of percentiles", &ours[ALL], &theirs);
    table.row("ratio by schema", &ours[ALL].over(&theirs));
    write!(report, "{table}")?;
    slowest.sort_by(|one, other| other.0.total_cmp(&one.0));
    let named = slowest.iter().take(NAMED);
    let named = named.map(|(our, their, case)| {
        format!("{} {:.0} ms (llguidance {their:.0} µs)", case.id, our / 1e3)
    });
    writeln!(report, "\nSlowest: {}.", named.collect::<Vec<_>>().join(", "))?;
    slowest.truncate((both * SLOWEST).div_ceil(100));
    let slowest: Vec<&Case> = slowest.iter().map(|&(_, _, case)| case).collect();
    on_threads(bench, report, &slowest)
}

/// The times of schemas on one thread and on all, in turn.
fn on_threads(bench: &Bench, report: &mut Report, cases: &[&Case]) -> io::Result<()> {
    let most = threads::at_once();
    let compilers = [1, most].map(|threads| bench.ours.on_threads(threads));
    let mut all: [Samples; 2] = Default::default();
    for case in cases {
        let schema = case.schema.to_string();
        let mut times: [Samples; 2] = Default::default();
        for _ in 0..ROUNDS {
            for (times, ours) in times.iter_mut().zip(&compilers) {
                let text = Text::JsonSchema(&schema);
                let parts = our_first_mask(ours, Clock::wall(), text);
                times.push(parts[ALL]);
            }
        }
        all.iter_mut().zip(&times).for_each(|(all, times)| all.push(times.median()));
    }
    let [one, several] = all;
    writeln!(report, "\n### The slowest on several threads\n")?;
    writeln!(report, "The {} slowest of these schemas; wall time, µs\n", cases.len())?;
    let mut table = Table::new("time");
    table.row("1 thread", &one);
    table.row(format!("{most} threads"), &several);
    table.ratio("ratio of percentiles", &one, &several);
    table.row("ratio by schema", &one.over(&several));
    write!(report, "{table}")
}
