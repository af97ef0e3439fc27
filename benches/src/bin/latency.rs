//! The speed of a compiled grammar on this machine, over sampled outputs.
//!
//! The outputs are those of `grammarc sample` with the same seed. Every round takes a fresh matcher through all of
//! them. The figure of a token is the median of its rounds, and percentiles are over all tokens, so they exclude
//! noise of the machine. The first round is shown separately, because it touches the mapped pages first.

use std::error::Error;
use std::io::{self, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use grammarc::sample::{SampleOptions, Sampler};
use grammarc_benches::latency::{CALLS, Step, accepts, clock, steps};
use grammarc_benches::maskbench::Percentiles;
use grammarc_runtime::{Grammar, Kernels, Matcher, Vocabulary};

/// Times that the artifact is opened.
const OPENINGS: usize = 25;

/// Measures how fast a compiled grammar is served here, over random outputs
#[derive(Debug, Parser)]
#[command(name = "latency")]
struct Arguments {
    /// Grammar artifact
    artifact: PathBuf,

    /// Vocabulary artifact that the grammar was compiled for
    #[arg(long)]
    vocab: PathBuf,

    /// Number of outputs to sample
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    count: u64,

    /// The same seed draws the same outputs
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Times that every output is gone through
    #[arg(long, value_name = "N", default_value_t = NonZero::new(5).expect("it is not zero"))]
    rounds: NonZero<usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let vocabulary = Vocabulary::open(&arguments.vocab)?;
    let open = || Grammar::open(&arguments.artifact, &vocabulary);
    let grammar = open()?;
    let options = SampleOptions { seed: arguments.seed, ..SampleOptions::default() };
    let sampler = Sampler::new(&grammar, options);
    let mut texts = Vec::new();
    for number in 0..arguments.count {
        texts.push(sampler.draw(number)?.tokens);
    }
    drop(sampler);

    let mut opening = Vec::with_capacity(OPENINGS);
    for _ in 0..OPENINGS {
        let start = Instant::now();
        open()?;
        opening.push(start.elapsed().as_nanos() as f64);
    }
    // A handle of its own, so that the first round finds the pages as opening leaves them.
    let grammar = open()?;
    let parts = texts.iter().map(|tokens| most_parts(&grammar, tokens)).max().unwrap_or_default();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{} outputs, {} tokens, {} rounds, {} kernels, at most {parts} stored parts in a mask, clock {:.0} ns\n",
        texts.len(),
        texts.iter().map(Vec::len).sum::<usize>(),
        arguments.rounds,
        Kernels::fastest().name(),
        clock()
    )?;
    writeln!(out, "| ns | p50 | p90 | p99 | p99.9 | max |\n| --- | --: | --: | --: | --: | --: |")?;
    for mut row in measure(&grammar, &texts, arguments.rounds.get())? {
        row.print(&mut out)?;
    }
    Row { call: "opening".to_owned(), times: opening }.print(&mut out)?;
    Ok(())
}

/// A row of the table: a call and its times in nanoseconds.
struct Row {
    call: String,
    times: Vec<f64>,
}

impl Row {
    fn named(call: String) -> Self {
        Self { call, times: Vec::new() }
    }

    fn print(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Percentiles { p50, p90, p99, p999, max } = Percentiles::of(&mut self.times);
        writeln!(out, "| {} | {p50:.1} | {p90:.1} | {p99:.1} | {p999:.1} | {max:.1} |", self.call)
    }
}

/// The times of every call over all tokens of all outputs: the median of the rounds, and the first round.
fn measure(
    grammar: &Grammar,
    texts: &[Vec<u32>],
    rounds: usize,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let names = CALLS.iter().copied().chain(["accept, back to back"]);
    let mut rows: Vec<Row> = names.clone().map(|name| Row::named(name.to_owned())).collect();
    let mut first: Vec<Row> = names.map(|name| Row::named(format!("first time: {name}"))).collect();
    for tokens in texts {
        let mut stepped: Vec<Vec<Step>> = Vec::new();
        let mut accepted: Vec<Vec<f64>> = Vec::new();
        for _ in 0..rounds {
            stepped.push(steps(grammar, tokens)?);
            accepted.push(accepts(grammar, tokens)?);
        }
        for at in 0..tokens.len() {
            for call in 0..=CALLS.len() {
                let times = (0..rounds).map(|round| match call < CALLS.len() {
                    true => stepped[round][at][call],
                    false => accepted[round][at],
                });
                let mut times: Vec<f64> = times.collect();
                first[call].times.push(times[0]);
                rows[call].times.push(Percentiles::of(&mut times).p50);
            }
        }
    }
    rows.extend(first);
    Ok(rows)
}

/// Most stored masks of a position along some tokens.
fn most_parts(grammar: &Grammar, tokens: &[u32]) -> usize {
    let mut matcher = Matcher::new(grammar);
    let parts = tokens.iter().map_while(|&token| {
        let parts = matcher.mask().parts();
        matcher.accept(token).ok().map(|()| parts)
    });
    parts.max().unwrap_or_default()
}
