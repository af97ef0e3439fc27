//! The steps of a sequence, over the real tokens of valid instances.
//!
//! Each round takes a fresh matcher of each engine through the whole text and times every call; a token's figure is
//! the median of its rounds, and a table's percentiles are over all tokens. A mask reference and an apply leave nothing
//! behind, so they are repeated within a round, the first to be told apart from the clock. The peer's masks are asked
//! for once a step, because it keeps the last one.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

use grammarc_benches::inputs::{self, Case};
use grammarc_benches::ours::Text;
use grammarc_benches::peer::{self, Peer};
use grammarc_benches::table::{Samples, Table};
use grammarc_runtime::{Grammar, Matcher};

use crate::{Bench, ROUNDS};

/// Longest text, in tokens.
const LONGEST: usize = 2_000;
/// Repetitions of a mask reference.
const REFERENCES: u32 = 32;

/// Samples by token of one text, for each round.
type Rounds<const N: usize> = Vec<Vec<[f64; N]>>;

/// Ours by token: reference, fill, apply, accept.
const OURS: [&str; 4] = ["mask reference", "fill of a bitmask", "apply to f32 logits", "accept"];
/// The peer's: mask, advance.
const THEIRS: [&str; 2] = ["mask", "advance"];

/// A schema that both take and tokens that both accept.
struct Run<'b> {
    schema: String,
    grammar: Grammar,
    tokens: Vec<u32>,
    peers: [&'b Peer; 2],
}

pub(crate) fn run(bench: &Bench, out: &mut impl Write) -> io::Result<()> {
    let runs: Vec<Run<'_>> = bench.cases.iter().filter_map(|case| prepare(bench, case)).collect();
    let mut ours: [Samples; OURS.len()] = Default::default();
    let mut cold: [Samples; OURS.len()] = Default::default();
    let mut theirs: [[Samples; THEIRS.len()]; 2] = Default::default();
    for run in &runs {
        let mut our_rounds = Rounds::new();
        let mut their_rounds: [Rounds<2>; 2] = Default::default();
        for _ in 0..ROUNDS {
            our_rounds.push(our_steps(run));
            for (rounds, peer) in their_rounds.iter_mut().zip(run.peers) {
                rounds.push(their_steps(run, peer));
            }
        }
        collect(&mut cold, &our_rounds[..1]);
        collect(&mut ours, &our_rounds);
        for (samples, rounds) in theirs.iter_mut().zip(&their_rounds) {
            collect(samples, rounds);
        }
    }
    writeln!(
        out,
        "\n## Steps\n\n{} texts, {} tokens; µs; the clock itself {:.3} µs\n",
        runs.len(),
        ours[0].len(),
        clock()
    )?;
    let mut table = Table::new("step");
    for (name, samples) in OURS.iter().zip(&ours) {
        table.row(format!("grammarc: {name}"), samples);
    }
    for (name, samples) in OURS.iter().zip(&cold) {
        table.row(format!("grammarc, first round: {name}"), samples);
    }
    for (setting, samples) in ["canonical tokens", "no forced tokens"].iter().zip(&theirs) {
        for (name, samples) in THEIRS.iter().zip(samples) {
            table.row(format!("llguidance, {setting}: {name}"), samples);
        }
    }
    table.ratio("ratio, canonical: reference to mask", &ours[0], &theirs[0][0]);
    table.ratio("ratio, canonical: fill to mask", &ours[1], &theirs[0][0]);
    table.ratio("ratio, canonical: accept to advance", &ours[3], &theirs[0][1]);
    table.ratio("ratio, no forced tokens: fill to mask", &ours[1], &theirs[1][0]);
    table.ratio("ratio, no forced tokens: accept to advance", &ours[3], &theirs[1][1]);
    write!(out, "{table}")
}

/// A text of a valid instance, where all engines accept it whole.
fn prepare<'b>(bench: &'b Bench, case: &Case) -> Option<Run<'b>> {
    let schema = case.schema.to_string();
    let grammar = bench.ours.grammar(Text::JsonSchema(&schema)).ok()?;
    let peers = [&bench.canonical, &bench.plain];
    case.tests.iter().filter(|instance| instance.valid).find_map(|instance| {
        let text = inputs::texts(case, instance).remove(0);
        let tokens = inputs::tokens(&bench.tokenizer, &text);
        let taken = tokens.len() <= LONGEST
            && Matcher::new(&grammar).validate(&tokens) == tokens.len()
            && peers.iter().all(|peer| takes(peer, &schema, &tokens));
        taken.then(|| Run { schema: schema.clone(), grammar: grammar.clone(), tokens, peers })
    })
}

fn takes(peer: &Peer, schema: &str, tokens: &[u32]) -> bool {
    let Ok(mut matcher) = peer.matcher(peer::Text::JsonSchema(schema)) else { return false };
    tokens.iter().all(|&token| {
        let mask = matcher.compute_mask_or_eos();
        mask.is_ok_and(|mask| mask.is_allowed(token)) && matcher.consume_token(token).is_ok()
    })
}

fn our_steps(run: &Run<'_>) -> Vec<[f64; OURS.len()]> {
    let mut matcher = Matcher::new(&run.grammar);
    let width = matcher.logit_width() as usize;
    let mut words = vec![0; width.div_ceil(32)];
    let mut logits = vec![0.0_f32; width];
    let steps = run.tokens.iter().map(|&token| {
        let start = Instant::now();
        for _ in 0..REFERENCES {
            black_box(matcher.mask());
        }
        let reference = micros(start) / f64::from(REFERENCES);
        let start = Instant::now();
        let filled = matcher.mask().fill(black_box(&mut words));
        let fill = micros(start);
        let start = Instant::now();
        let applied = matcher.mask().apply(black_box(&mut logits));
        let apply = micros(start);
        let start = Instant::now();
        let accepted = matcher.accept(token);
        let accept = micros(start);
        assert!(filled.is_ok() && applied.is_ok() && accepted.is_ok());
        [reference, fill, apply, accept]
    });
    steps.collect()
}

fn their_steps(run: &Run<'_>, peer: &Peer) -> Vec<[f64; THEIRS.len()]> {
    let matcher = peer.matcher(peer::Text::JsonSchema(&run.schema));
    let mut matcher = matcher.expect("it took the schema before");
    let steps = run.tokens.iter().map(|&token| {
        let start = Instant::now();
        let mask = black_box(matcher.compute_mask_or_eos());
        let asked = micros(start);
        assert!(mask.is_ok_and(|mask| mask.is_allowed(token)));
        let start = Instant::now();
        let accepted = matcher.consume_token(token);
        let advance = micros(start);
        assert!(accepted.is_ok());
        [asked, advance]
    });
    steps.collect()
}

/// Adds each token's median over the rounds.
fn collect<const N: usize>(samples: &mut [Samples; N], rounds: &[Vec<[f64; N]>]) {
    for token in 0..rounds[0].len() {
        for (quantity, samples) in samples.iter_mut().enumerate() {
            let mut of_rounds = Samples::default();
            of_rounds.extend(rounds.iter().map(|round| round[token][quantity]));
            samples.push(of_rounds.median());
        }
    }
}

fn micros(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}

/// What a measurement of nothing shows.
fn clock() -> f64 {
    let mut samples = Samples::default();
    samples.extend((0..1_000).map(|_| micros(Instant::now())));
    samples.median()
}
