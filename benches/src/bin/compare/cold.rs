//! Steps as in a server: many sequences over many grammars in turn, and caches used by other work.
//!
//! 256 matchers over 50 mapped grammars, each somewhere in the text of an instance, take a step in turn. In the first
//! setting there is no other work, so a matcher finds the caches as 255 others left them. In the second setting every
//! call follows a pass over a buffer larger than the last-level cache: a model does at least this between two steps.
//! Each call is timed once. Every mask is counted, and must allow the following token.

use std::hint::black_box;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use grammarc_artifacts::GrammarArtifact;
use grammarc_benches::densities::allowed;
use grammarc_benches::ours::Text;
use grammarc_benches::peer;
use grammarc_benches::table::{Samples, Table};
use grammarc_compiler::compile::CompileOptions;
use grammarc_runtime::{Grammar, Matcher};

use crate::Bench;
use crate::report::Report;
use crate::texts::Run;

const MATCHERS: usize = 256;
const GRAMMARS: usize = 50;
/// Steps of each matcher: with warm caches, and with a pass before every call.
const STEPS: [usize; 2] = [40, 8];
/// Bytes of a pass: twice the last-level cache of the machines that this was written on.
const PASS: usize = 64 << 20;
const LINE: usize = 64;

const SETTINGS: [&str; 2] = ["in turn", "in turn, caches emptied"];
const CALLS: [&str; 3] = ["mask reference", "mask and fill of a bitmask", "accept"];
const THEIRS: [&str; 2] = ["mask", "advance"];

/// A matcher somewhere in its text.
struct Sequence<'r, M> {
    run: &'r Run,
    at: usize,
    matcher: M,
}

pub(crate) fn run(bench: &Bench, report: &mut Report) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let runs: Vec<&Run> =
        bench.runs.iter().filter(|run| !run.tokens.is_empty()).take(GRAMMARS).collect();
    let grammars = runs.iter().map(|run| mapped(bench, run, folder.path()));
    let grammars: Vec<Grammar> = grammars.collect::<io::Result<_>>()?;
    let mut cache = Cache(vec![0; PASS]);
    let mut table = Table::new("step");
    for (at, setting) in SETTINGS.into_iter().enumerate() {
        let mut flush = || {
            if at > 0 {
                cache.pass()
            }
        };
        let ours = our_steps(&runs, &grammars, STEPS[at], &mut flush)?;
        let theirs = their_steps(bench, &runs, STEPS[at], &mut flush);
        for (name, samples) in CALLS.iter().zip(&ours) {
            table.row(format!("grammarc, {setting}: {name}"), samples);
        }
        for (name, samples) in THEIRS.iter().zip(&theirs) {
            table.row(format!("llguidance, {setting}: {name}"), samples);
        }
        table.ratio(format!("ratio, {setting}: fill to mask"), &ours[1], &theirs[0]);
        table.ratio(format!("ratio, {setting}: accept to advance"), &ours[2], &theirs[1]);
    }
    writeln!(
        report,
        "\n## Cold\n\n{MATCHERS} matchers over {} grammars, {} and {} steps; µs\n",
        grammars.len(),
        STEPS[0] * MATCHERS,
        STEPS[1] * MATCHERS
    )?;
    write!(report, "{table}")
}

/// A grammar in a file of its own, mapped.
fn mapped(bench: &Bench, run: &Run, folder: &Path) -> io::Result<Grammar> {
    let path = folder.join(format!("{}.gmask", run.id));
    let compiled = bench.ours.compile(Text::JsonSchema(&run.schema), &CompileOptions::default());
    let data = compiled.map_err(io::Error::other)?.data;
    data.write(&path, bench.ours.artifact()).map_err(io::Error::other)?;
    let artifact = GrammarArtifact::open(&path, bench.ours.artifact());
    Ok(Grammar::from_artifact(artifact.map_err(io::Error::other)?))
}

/// Returns the step of the run at which the matcher with this number begins.
fn start(number: usize, run: &Run) -> usize {
    number * 13 % run.tokens.len()
}

fn our_steps(
    runs: &[&Run],
    grammars: &[Grammar],
    steps: usize,
    flush: &mut dyn FnMut(),
) -> io::Result<[Samples; CALLS.len()]> {
    let mut sequences = Vec::with_capacity(MATCHERS);
    for number in 0..MATCHERS {
        let (run, grammar) = (runs[number % runs.len()], &grammars[number % runs.len()]);
        let mut sequence = Sequence { run, at: 0, matcher: Matcher::new(grammar) };
        while sequence.at < start(number, run) {
            sequence.matcher.accept(run.tokens[sequence.at]).map_err(io::Error::other)?;
            sequence.at += 1;
        }
        sequences.push(sequence);
    }
    let mut samples: [Samples; CALLS.len()] = Default::default();
    let width = grammars.first().map_or(0, |grammar| grammar.vocabulary().logit_width());
    let mut words = vec![0; (width as usize).div_ceil(32)];
    for _ in 0..steps {
        for Sequence { run, at, matcher } in &mut sequences {
            let token = run.tokens[*at];
            flush();
            let clock = Instant::now();
            black_box(matcher.mask());
            samples[0].push(micros(clock));
            flush();
            let clock = Instant::now();
            let filled = matcher.mask().fill(black_box(&mut words));
            samples[1].push(micros(clock));
            filled.map_err(io::Error::other)?;
            assert_eq!(allowed(&words), matcher.mask().len());
            assert!(matcher.mask().contains(token), "the mask allows the next token");
            flush();
            let clock = Instant::now();
            let accepted = matcher.accept(token);
            samples[2].push(micros(clock));
            accepted.map_err(io::Error::other)?;
            *at += 1;
            if *at == run.tokens.len() {
                *at = 0;
                matcher.reset();
            }
        }
    }
    Ok(samples)
}

fn their_steps(
    bench: &Bench,
    runs: &[&Run],
    steps: usize,
    flush: &mut dyn FnMut(),
) -> [Samples; THEIRS.len()] {
    let fresh = |run: &Run| {
        let matcher = bench.canonical.matcher(peer::Text::JsonSchema(&run.schema));
        matcher.expect("it took the schema before")
    };
    let sequences = (0..MATCHERS).map(|number| {
        let run = runs[number % runs.len()];
        let mut sequence = Sequence { run, at: 0, matcher: fresh(run) };
        while sequence.at < start(number, run) {
            let accepted = sequence.matcher.consume_token(run.tokens[sequence.at]);
            assert!(accepted.is_ok(), "it took the text before");
            sequence.at += 1;
        }
        sequence
    });
    let mut sequences: Vec<_> = sequences.collect();
    let mut samples: [Samples; THEIRS.len()] = Default::default();
    for _ in 0..steps {
        for Sequence { run, at, matcher } in &mut sequences {
            let token = run.tokens[*at];
            flush();
            let clock = Instant::now();
            let mask = black_box(matcher.compute_mask_or_eos());
            samples[0].push(micros(clock));
            assert!(mask.is_ok_and(|mask| mask.is_allowed(token)));
            flush();
            let clock = Instant::now();
            let accepted = matcher.consume_token(token);
            samples[1].push(micros(clock));
            assert!(accepted.is_ok());
            *at += 1;
            if *at == run.tokens.len() {
                *at = 0;
                *matcher = fresh(run);
            }
        }
    }
    samples
}

/// A buffer that takes the caches.
struct Cache(Vec<u8>);

impl Cache {
    /// Writes a byte of every line.
    fn pass(&mut self) {
        for line in self.0.chunks_mut(LINE) {
            line[0] = line[0].wrapping_add(1);
        }
        black_box(&mut self.0);
    }
}

fn micros(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}
