//! From the text of a schema to the first mask, before all masks are computed, for every schema of MaskBench that
//! both engines compile.
//!
//! The host begins with an unmasked grammar: the front end and the network are done, and its first mask is found by a
//! walk. The same rounds also measure the whole compilation and the peer. One thread; CPU time of the process.

use std::io::{self, Write};

use grammarc_benches::clock::Clock;
use grammarc_benches::inputs::maskbench;
use grammarc_benches::ours::{Ours, Text};
use grammarc_benches::table::{Samples, Table};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::CompileOptions;
use grammarc_runtime::{Grammar, Matcher};

use crate::Bench;
use crate::compile::{ALL, our_first_mask, their_first_mask};
use crate::report::Report;

/// Times that each schema is compiled; the median counts.
const ROUNDS: usize = 3;

/// The slowest that are named.
const NAMED: usize = 10;

/// Microseconds within which a front end makes the first mask subject to the promise of three milliseconds.
const QUICK: f64 = 3_000.0;

const PARTS: [&str; 5] = ["front end", "network", "tables and opening", "first mask", "all"];
const FRONT_END: usize = 0;
const TOTAL: usize = 4;

pub(crate) fn run(bench: &Bench, report: &mut Report) -> io::Result<()> {
    let mut early: [Samples; PARTS.len()] = Default::default();
    let (mut whole, mut theirs, mut quick) =
        (Samples::default(), Samples::default(), Samples::default());
    let mut slowest = Vec::new();
    let all = maskbench();
    for case in all.iter().filter(|case| bench.takes(case)) {
        let schema = case.schema.to_string();
        let mut parts: [Samples; PARTS.len()] = Default::default();
        let (mut compiled, mut their) = (Samples::default(), Samples::default());
        for _ in 0..ROUNDS {
            let times = early_mask(&bench.ours, &schema);
            parts.iter_mut().zip(times).for_each(|(part, time)| part.push(time));
            compiled.push(our_first_mask(&bench.ours, Clock::Cpu, Text::JsonSchema(&schema))[ALL]);
            their.push(their_first_mask(&bench.canonical, Clock::Cpu, &schema));
        }
        early.iter_mut().zip(&parts).for_each(|(every, part)| every.push(part.median()));
        whole.push(compiled.median());
        theirs.push(their.median());
        if parts[FRONT_END].median() < QUICK {
            quick.push(parts[TOTAL].median());
        }
        slowest.push((parts.map(|part| part.median()), &case.id));
    }
    let (schemas, few) = (whole.len(), quick.len());
    writeln!(report, "\n## Schema to first mask, with masks computed behind it\n")?;
    writeln!(report, "{schemas} schemas; 1 thread, CPU time of the process, µs\n")?;
    let mut table = Table::new("time");
    for (part, samples) in PARTS.iter().zip(&early) {
        table.row(format!("early: {part}"), samples);
    }
    table.row(format!("early, of the {few} whose front end takes less than 3 ms"), &quick);
    table.row("all masks first", &whole);
    table.row("llguidance", &theirs);
    table.ratio("ratio of percentiles, early to all masks first", &early[TOTAL], &whole);
    table.ratio("ratio of percentiles, early to llguidance", &early[TOTAL], &theirs);
    table.row("ratio by schema, early to llguidance", &early[TOTAL].over(&theirs));
    write!(report, "{table}")?;
    slowest.sort_by(|one, other| other.0[TOTAL].total_cmp(&one.0[TOTAL]));
    let named = slowest.iter().take(NAMED).map(|(parts, id)| {
        let [front_end, network, tables, mask, all] = parts.map(|part| part / 1e3);
        format!("{id} {all:.1} ms ({front_end:.1} + {network:.1} + {tables:.1} + {mask:.1})")
    });
    writeln!(report, "\nSlowest: {}.", named.collect::<Vec<_>>().join(", "))
}

/// Times of the parts up to the first mask of an unmasked grammar, and of all.
fn early_mask(ours: &Ours, schema: &str) -> [f64; PARTS.len()] {
    let options = CompileOptions::default();
    let (compiler, budget, text) = (&ours.compiler, Budget::new(), Text::JsonSchema(schema));
    let clock = Clock::Cpu;
    let start = clock.now();
    let lowered = text.lower(&budget).expect("it compiled before");
    let front_end = clock.now();
    let begun = compiler.begin(&lowered, text.kind(), &options, &budget);
    let begun = begun.expect("it compiled before");
    let network = clock.now();
    let grammar = Grammar::early(begun.early(&lowered, compiler).expect("it fits"));
    let opened = clock.now();
    let mut matcher = Matcher::new(&grammar);
    let mut words = vec![0; (matcher.logit_width() as usize).div_ceil(32)];
    matcher.mask().fill(&mut words).expect("a whole row");
    let end = clock.now();
    [front_end - start, network - front_end, opened - network, end - opened, end - start]
}
