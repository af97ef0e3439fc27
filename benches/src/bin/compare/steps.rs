//! The steps of a sequence, over the real tokens of valid instances.
//!
//! Each round takes a fresh matcher through the whole text and times every call. A token's figure is the median of
//! its rounds, and percentiles are over all tokens. The rounds of an engine run consecutively, as for the peers in
//! separate processes: an engine finds the caches as its own last round left them. Our timed calls are in
//! [`grammarc_benches::latency`], which checks every mask against its count and the following token. The peer's mask
//! is requested once a step, because the peer caches it.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

use grammarc_benches::latency::{self, CALLS};
use grammarc_benches::ours::Text;
use grammarc_benches::peer::{self, Peer};
use grammarc_benches::plot::{Marks, Plot, Series};
use grammarc_benches::table::{Samples, Table};
use grammarc_runtime::Grammar;

use crate::report::Report;
use crate::texts::Run;
use crate::{Bench, ROUNDS};

/// Samples by token of one text, for each round.
type Rounds<const N: usize> = Vec<Vec<[f64; N]>>;

/// Indices into [`CALLS`].
const REFERENCE: usize = 0;
const FILL: usize = 1;
const ACCEPT: usize = 3;
/// The peer's: mask, advance.
const THEIRS: [&str; 2] = ["mask", "advance"];

pub(crate) fn run(bench: &Bench, report: &mut Report) -> io::Result<()> {
    let runs = &bench.runs;
    let mut ours: [Samples; CALLS.len()] = Default::default();
    let mut cold: [Samples; CALLS.len()] = Default::default();
    let mut alone: [Samples; 1] = Default::default();
    let mut natural: [Samples; CALLS.len()] = Default::default();
    let mut theirs: [[Samples; THEIRS.len()]; 2] = Default::default();
    for run in runs {
        let our_rounds: Rounds<_> =
            (0..ROUNDS).map(|_| our_steps(run, &run.grammar)).collect::<io::Result<_>>()?;
        let accepts = || latency::accepts(&run.grammar, &run.tokens).map_err(io::Error::other);
        let accepts: Rounds<1> = (0..ROUNDS)
            .map(|_| Ok(accepts()?.into_iter().map(|time| [time / 1e3]).collect()))
            .collect::<io::Result<_>>()?;
        let in_natural =
            bench.ours.grammar(Text::Natural(&run.schema)).map_err(io::Error::other)?;
        let natural_rounds: Rounds<_> =
            (0..ROUNDS).map(|_| our_steps(run, &in_natural)).collect::<io::Result<_>>()?;
        let their_rounds: [Rounds<2>; 2] = [&bench.canonical, &bench.plain]
            .map(|peer| (0..ROUNDS).map(|_| their_steps(run, peer)).collect());
        collect(&mut cold, &our_rounds[..1]);
        collect(&mut ours, &our_rounds);
        collect(&mut alone, &accepts);
        collect(&mut natural, &natural_rounds);
        for (samples, rounds) in theirs.iter_mut().zip(&their_rounds) {
            collect(samples, rounds);
        }
    }
    writeln!(
        report,
        "\n## Steps\n\n{} texts, {} tokens; µs; the clock itself {:.3} µs\n",
        runs.len(),
        ours[0].len(),
        latency::clock() / 1e3
    )?;
    let mut table = Table::new("step");
    for (name, samples) in CALLS.iter().zip(&ours) {
        table.row(format!("grammarc: {name}"), samples);
    }
    table.row("grammarc: accept, back to back", &alone[0]);
    for (name, samples) in CALLS.iter().zip(&natural) {
        table.row(format!("grammarc, natural text: {name}"), samples);
    }
    table.ratio("ratio, natural to compact: fill", &natural[FILL], &ours[FILL]);
    for (name, samples) in CALLS.iter().zip(&cold) {
        table.row(format!("grammarc, first round: {name}"), samples);
    }
    for (setting, samples) in ["canonical tokens", "no forced tokens"].iter().zip(&theirs) {
        for (name, samples) in THEIRS.iter().zip(samples) {
            table.row(format!("llguidance, {setting}: {name}"), samples);
        }
    }
    let mut series = vec![
        Series::distribution("grammarc: reference", ours[REFERENCE].iter()),
        Series::distribution("grammarc: fill", ours[FILL].iter()),
        Series::distribution("grammarc: accept", ours[ACCEPT].iter()),
        Series::distribution("llguidance: mask", theirs[0][0].iter()),
    ];
    for peer in &bench.recorded {
        let (mut fill, mut accept) = (Samples::default(), Samples::default());
        let (mut mask, mut advance) = (Samples::default(), Samples::default());
        let mut texts = 0;
        // A text is a range of our samples, because each has the tokens one after the other.
        let mut from = 0;
        for run in runs {
            let own = from..from + run.tokens.len();
            from = own.end;
            let Some([masks, accepts]) = peer.steps(&run.id) else { continue };
            texts += 1;
            fill.extend(ours[FILL].iter().skip(own.start).take(own.len()));
            accept.extend(ours[ACCEPT].iter().skip(own.start).take(own.len()));
            mask.extend(masks.iter().copied());
            advance.extend(accepts.iter().copied());
        }
        let name = &peer.engine;
        table.row(format!("{name}: mask, {texts} texts"), &mask);
        table.row(format!("{name}: accept, {texts} texts"), &advance);
        table.ratio(format!("ratio, {name}, the same texts: fill to mask"), &fill, &mask);
        table.ratio(format!("ratio, {name}, the same texts: accept to accept"), &accept, &advance);
        series.push(Series::distribution(format!("{name}: mask"), mask.iter()));
    }
    table.ratio("ratio, canonical: reference to mask", &ours[REFERENCE], &theirs[0][0]);
    table.ratio("ratio, canonical: fill to mask", &ours[FILL], &theirs[0][0]);
    table.ratio("ratio, canonical: accept to advance", &ours[ACCEPT], &theirs[0][1]);
    table.ratio("ratio, no forced tokens: fill to mask", &ours[FILL], &theirs[1][0]);
    table.ratio("ratio, no forced tokens: accept to advance", &ours[ACCEPT], &theirs[1][1]);
    report.plot(Plot {
        name: "latency",
        title: "Time of one call, distribution over tokens".to_owned(),
        axes: ["µs", "share of tokens at most this long"],
        log_y: false,
        marks: Marks::Line,
        series,
    });
    write!(report, "{table}")
}

/// Microseconds of every call, one round.
fn our_steps(run: &Run, grammar: &Grammar) -> io::Result<Vec<[f64; CALLS.len()]>> {
    let steps = latency::steps(grammar, &run.tokens).map_err(io::Error::other)?;
    Ok(steps.into_iter().map(|step| step.map(|time| time / 1e3)).collect())
}

fn their_steps(run: &Run, peer: &Peer) -> Vec<[f64; THEIRS.len()]> {
    let matcher = peer.matcher(peer::Text::JsonSchema(&run.schema));
    let mut matcher = matcher.expect("it took the schema before");
    let steps = run.tokens.iter().map(|&token| {
        let start = Instant::now();
        let mask = black_box(matcher.compute_mask_or_eos());
        let asked = start.elapsed().as_secs_f64() * 1e6;
        assert!(mask.is_ok_and(|mask| mask.is_allowed(token)));
        let start = Instant::now();
        let accepted = matcher.consume_token(token);
        let advance = start.elapsed().as_secs_f64() * 1e6;
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
