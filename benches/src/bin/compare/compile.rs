//! From the text of a schema to the first mask.
//!
//! Ours: the text lowered and compiled with all masks, put into an artifact's bytes, opened with every check, and the
//! first mask filled. The peer's: the text parsed, the parser created, and the first mask computed. Each round takes
//! the engines in turn; a schema's figure is the median of its rounds.

use std::io::{self, Write};
use std::time::Instant;

use grammarc_artifacts::GrammarArtifact;
use grammarc_benches::ours::Text;
use grammarc_benches::peer::{self, Peer};
use grammarc_benches::table::{Samples, Table};
use grammarc_compiler::compile::CompileOptions;
use grammarc_runtime::{Grammar, Matcher};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{Bench, ROUNDS};

/// Parts of our time, in microseconds: front end, network and masks, bytes and opening, first mask, and the sum.
const PARTS: [&str; 5] =
    ["front end", "network and masks", "artifact and opening", "first mask", "all"];

pub(crate) fn run(bench: &Bench, out: &mut impl Write) -> io::Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let pools = [1, threads].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        (threads, pool.expect("threads can be started"))
    });
    let mut ours: [[Samples; PARTS.len()]; 2] = Default::default();
    let mut theirs = Samples::default();
    for case in &bench.cases {
        let schema = case.schema.to_string();
        let mut our_rounds: [[Samples; PARTS.len()]; 2] = Default::default();
        let mut their_rounds = Samples::default();
        for _ in 0..ROUNDS {
            for ((_, pool), rounds) in pools.iter().zip(&mut our_rounds) {
                let times = our_first_mask(bench, pool, &schema);
                rounds.iter_mut().zip(times).for_each(|(round, time)| round.push(time));
            }
            their_rounds.push(their_first_mask(&bench.canonical, &schema));
        }
        for (samples, rounds) in ours.iter_mut().zip(&our_rounds) {
            samples.iter_mut().zip(rounds).for_each(|(all, round)| all.push(round.median()));
        }
        theirs.push(their_rounds.median());
    }
    writeln!(out, "\n## Schema to first mask\n\n{} schemas; µs\n", bench.cases.len())?;
    let mut table = Table::new("time");
    for ((threads, _), samples) in pools.iter().zip(&ours) {
        for (part, samples) in PARTS.iter().zip(samples) {
            table.row(format!("grammarc, {threads} thread(s): {part}"), samples);
        }
    }
    table.row("llguidance", &theirs);
    for ((threads, _), samples) in pools.iter().zip(&ours) {
        let all = &samples[PARTS.len() - 1];
        table.ratio(format!("ratio of percentiles, {threads} thread(s)"), all, &theirs);
        table.row(format!("ratio by schema, {threads} thread(s)"), &all.over(&theirs));
    }
    write!(out, "{table}")
}

fn our_first_mask(bench: &Bench, pool: &ThreadPool, schema: &str) -> [f64; PARTS.len()] {
    let text = Text::JsonSchema(schema);
    let options = CompileOptions::default().without_token_digests();
    let compiler = &bench.ours.compiler;
    let mut times = [0.0; PARTS.len()];
    let start = Instant::now();
    let mut last = 0.0;
    let mut lap = |part: usize| {
        let now = start.elapsed().as_secs_f64() * 1e6;
        times[part] = now - last;
        last = now;
    };
    let lowered = text.lower().expect("it compiled before");
    lap(0);
    let compiled = pool.install(|| compiler.compile(&lowered, text.kind(), &options));
    lap(1);
    let buffer = compiled.expect("it compiled before").to_buffer(compiler).expect("it fits");
    let artifact = GrammarArtifact::from_buffer(buffer, bench.ours.artifact());
    let grammar = Grammar::from_artifact(artifact.expect("it is valid"));
    lap(2);
    let mut matcher = Matcher::new(&grammar);
    let mut words = vec![0; (matcher.logit_width() as usize).div_ceil(32)];
    matcher.mask().fill(&mut words).expect("a whole row");
    lap(3);
    times[PARTS.len() - 1] = last;
    times
}

fn their_first_mask(peer: &Peer, schema: &str) -> f64 {
    let start = Instant::now();
    let matcher = peer.matcher(peer::Text::JsonSchema(schema));
    let mask = matcher.expect("it compiled before").compute_mask_or_eos();
    let time = start.elapsed().as_secs_f64() * 1e6;
    assert!(mask.is_ok());
    time
}
