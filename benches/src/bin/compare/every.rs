//! From the text of a schema to the first mask, for every schema of MaskBench that both engines compile.
//!
//! The hundred schemas of the other parts hold few of the slowest, of which some make a hundred times the median: one
//! in a hundred schemas decides what a percentile of 99 is. Measured as there, in fewer rounds and on one thread alone.

use std::io::{self, Write};

use grammarc_benches::clock::Clock;
use grammarc_benches::inputs::maskbench;
use grammarc_benches::table::{Samples, Table};
use rayon::ThreadPoolBuilder;

use crate::Bench;
use crate::compile::{ALL, PARTS, our_first_mask, their_first_mask};
use crate::report::Report;

/// Times that each schema is compiled; the median counts.
const ROUNDS: usize = 3;

/// The slowest beside the peer that are named.
const NAMED: usize = 10;

pub(crate) fn run(bench: &Bench, report: &mut Report) -> io::Result<()> {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    let mut ours: [Samples; PARTS.len()] = Default::default();
    let mut theirs = Samples::default();
    let mut slowest = Vec::new();
    let all = maskbench();
    let mut both = 0;
    for case in all.iter().filter(|case| pool.install(|| bench.takes(case))) {
        both += 1;
        let schema = case.schema.to_string();
        let mut our: [Samples; PARTS.len()] = Default::default();
        let mut their = Samples::default();
        for _ in 0..ROUNDS {
            let times = pool.install(|| our_first_mask(bench, Clock::Cpu, &schema));
            our.iter_mut().zip(times).for_each(|(round, time)| round.push(time));
            their.push(pool.install(|| their_first_mask(&bench.canonical, Clock::Cpu, &schema)));
        }
        ours.iter_mut().zip(&our).for_each(|(all, round)| all.push(round.median()));
        theirs.push(their.median());
        slowest.push((our[ALL].median(), their.median(), &case.id));
    }
    writeln!(report, "\n## Schema to first mask, every schema\n")?;
    writeln!(
        report,
        "{both} of {} schemas, which both compile; 1 thread, CPU time, µs\n",
        all.len()
    )?;
    let mut table = Table::new("time");
    for (part, samples) in PARTS.iter().zip(&ours) {
        table.row(format!("grammarc: {part}"), samples);
    }
    table.row("llguidance", &theirs);
    table.ratio("ratio of percentiles", &ours[ALL], &theirs);
    table.row("ratio by schema", &ours[ALL].over(&theirs));
    write!(report, "{table}")?;
    slowest.sort_by(|one, other| other.0.total_cmp(&one.0));
    let named = slowest.iter().take(NAMED);
    let named = named.map(|(our, their, id)| format!("{id} {:.0} ms ({their:.0} µs)", our / 1e3));
    writeln!(report, "\nSlowest: {}.", named.collect::<Vec<_>>().join(", "))
}
