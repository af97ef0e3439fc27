//! `grammarc bench`: how fast this machine serves a compiled grammar, over sampled outputs.
//!
//! The outputs are those of `grammarc sample` with the same seed. Every round takes a fresh matcher through all of
//! them; a token's figure is the median of its rounds, and percentiles are over all tokens, so that they say something
//! about tokens and not about what else the machine did. The first round stands beside them: it has the first touch of
//! the mapped pages in it.

use std::time::Instant;

use clap::Args;
use grammarc::latency::{self, CALLS, Step};
use grammarc::maskbench::Percentiles;
use grammarc::sample::{SampleOptions, Sampler};
use grammarc_artifacts::dump;
use grammarc_runtime::{Grammar, Kernels, Matcher};
use serde::Serialize;

use crate::args::ArtifactArgs;
use crate::cmd::facts::{BoundFacts, ContentFacts, Facts};
use crate::failure::{Failure, Problem};
use crate::output::Output;
use crate::progress::Progress;
use crate::vocabularies;

/// Times that the artifact is opened.
const OPENINGS: usize = 25;

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    artifact: ArtifactArgs,

    /// Number of outputs to sample
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    count: u64,

    /// The same seed draws the same outputs
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Tokens to draw of each output before the shortest way to an end is taken
    #[arg(long, value_name = "N", default_value_t = SampleOptions::default().max_tokens)]
    max_tokens: usize,

    /// Times that every output is gone through; the median counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
}

/// The result of a measurement.
#[derive(Debug, Serialize)]
pub(crate) struct Benched {
    pub(crate) artifact: String,
    pub(crate) bytes: u64,
    pub(crate) states: u32,
    pub(crate) outputs: u64,
    pub(crate) tokens: usize,
    pub(crate) rounds: u16,
    /// The code that applies masks to logits here.
    pub(crate) kernels: &'static str,
    /// Most stored masks of one position, as far as the outputs show.
    pub(crate) most_parts: usize,
    pub(crate) bound: Option<BoundFacts>,
    /// Opening with every check, in nanoseconds.
    pub(crate) opening_ns: Percentiles,
    /// The time that a measurement of nothing shows.
    pub(crate) clock_ns: f64,
    /// By call, in nanoseconds.
    pub(crate) calls: Vec<CallTimes>,
}

/// The times of one call over all tokens.
#[derive(Debug, Serialize)]
pub(crate) struct CallTimes {
    pub(crate) call: &'static str,
    /// Of each token's median over the rounds.
    pub(crate) ns: Percentiles,
    /// Of the first round.
    pub(crate) first_ns: Percentiles,
}

pub(crate) fn run(args: BenchArgs, output: &mut Output) -> Result<u8, Failure> {
    let grammar = vocabularies::open_grammar(&args.artifact)?;
    let progress = Progress::new(output);
    progress.phase("sampling");
    let options = SampleOptions { seed: args.seed, max_tokens: args.max_tokens, uniform: false };
    let sampler = Sampler::new(&grammar, options);
    let drawn = (0..args.count).map(|number| {
        let sample = sampler.draw(number);
        let sample = sample.map_err(|source| Problem::Sample { number, source });
        Ok(sample.map_err(Failure::Found)?.tokens)
    });
    let texts: Vec<Vec<u32>> = drawn.collect::<Result<_, Failure>>()?;
    drop(sampler);

    progress.phase("opening");
    let opening_ns = opening(&args.artifact, &grammar)?;
    progress.phase("measuring");
    // A handle of its own, so that the first round finds the pages as opening leaves them.
    let grammar = vocabularies::open_grammar(&args.artifact)?;
    let calls = measure(&grammar, &texts, args.rounds)?;
    let most_parts = texts.iter().map(|tokens| most_parts(&grammar, tokens)).max();
    drop(progress);

    let buffer = grammar.artifact().container().buffer().clone();
    let path = &args.artifact.artifact;
    let inspection = dump::inspect(buffer).map_err(|error| vocabularies::damaged(path, error))?;
    let facts = Facts::new(inspection);
    output.answer(&Benched {
        artifact: path.display().to_string(),
        bytes: facts.bytes,
        states: facts.tables.states,
        outputs: args.count,
        tokens: texts.iter().map(Vec::len).sum(),
        rounds: args.rounds,
        kernels: Kernels::fastest().name(),
        most_parts: most_parts.unwrap_or_default(),
        bound: match facts.content {
            ContentFacts::Grammar(grammar) => Some(grammar.bound),
            ContentFacts::Vocabulary(_) => None,
        },
        opening_ns,
        clock_ns: latency::clock(),
        calls,
    })?;
    Ok(0)
}

/// The times of opening the artifact for a vocabulary that is open.
fn opening(args: &ArtifactArgs, grammar: &Grammar) -> Result<Percentiles, Failure> {
    let mut times = Vec::with_capacity(OPENINGS);
    for _ in 0..OPENINGS {
        let start = Instant::now();
        let opened = Grammar::open(&args.artifact, grammar.vocabulary());
        times.push(start.elapsed().as_nanos() as f64);
        opened.map_err(|error| vocabularies::damaged(&args.artifact, error))?;
    }
    Ok(Percentiles::of(&mut times))
}

/// The times of every call, over all tokens of all outputs.
fn measure(grammar: &Grammar, texts: &[Vec<u32>], rounds: u16) -> Result<Vec<CallTimes>, Failure> {
    let mut first: [Vec<f64>; CALLS.len()] = Default::default();
    let mut medians: [Vec<f64>; CALLS.len()] = Default::default();
    let (mut first_alone, mut alone) = (Vec::new(), Vec::new());
    for tokens in texts {
        let mut steps: Vec<Vec<Step>> = Vec::new();
        let mut accepts: Vec<Vec<f64>> = Vec::new();
        for _ in 0..rounds {
            steps.push(latency::steps(grammar, tokens).map_err(wrong)?);
            accepts.push(latency::accepts(grammar, tokens).map_err(wrong)?);
        }
        for at in 0..tokens.len() {
            for call in 0..CALLS.len() {
                first[call].push(steps[0][at][call]);
                medians[call].push(median(steps.iter().map(|round| round[at][call])));
            }
            first_alone.push(accepts[0][at]);
            alone.push(median(accepts.iter().map(|round| round[at])));
        }
    }
    let rows = CALLS.iter().zip(medians.iter_mut().zip(&mut first));
    let mut calls: Vec<CallTimes> = rows
        .map(|(&call, (medians, first))| CallTimes {
            call,
            ns: Percentiles::of(medians),
            first_ns: Percentiles::of(first),
        })
        .collect();
    calls.push(CallTimes {
        call: "accept, back to back",
        ns: Percentiles::of(&mut alone),
        first_ns: Percentiles::of(&mut first_alone),
    });
    Ok(calls)
}

fn wrong(error: latency::LatencyError) -> Failure {
    Failure::Found(Problem::Latency(error))
}

fn median(times: impl Iterator<Item = f64>) -> f64 {
    Percentiles::of(&mut times.collect::<Vec<_>>()).p50
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
