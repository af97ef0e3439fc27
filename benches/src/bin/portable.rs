//! Times of questions about schemas, in Markdown: relations of edits and of lists of tools, witnesses and explanations.
//!
//! The schemas are MaskBench's. Times are of one thread and of a release build. `docs/schemas.md` quotes the tables.

use std::io::{self, Write};
use std::time::Instant;

use clap::Parser;
use grammarc_benches::edits::edited;
use grammarc_benches::inputs::{Case, maskbench};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::json_schema::JsonSchemaOptions;
use grammarc_compiler::frontend::json_schema::explain::explain;
use grammarc_compiler::frontend::json_schema::relation::{RelationOptions, Side, compare};
use grammarc_compiler::frontend::json_schema::witness::{WitnessOptions, witnesses};

/// Times questions about schemas.
#[derive(Debug, Parser)]
#[command(name = "portable")]
struct Arguments {
    /// Take every so many of the schemas
    #[arg(long, default_value_t = 10, value_name = "N")]
    step: usize,

    /// The seed of edits
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Schemas of one list of tools
    #[arg(long, default_value_t = 25, value_name = "N")]
    tools: usize,
}

/// A source of random numbers: SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % most as u64) as usize
    }
}

/// Milliseconds of some calls.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn time<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = call();
        self.0.push(start.elapsed().as_secs_f64() * 1e3);
        result
    }

    fn row(mut self, out: &mut impl Write, name: &str, remark: &str) -> io::Result<()> {
        self.0.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let last = self.0.len().saturating_sub(1);
            self.0.get((last as f64 * share) as usize).copied().unwrap_or(f64::NAN)
        };
        let [p50, p90, p99, most] = [0.5, 0.9, 0.99, 1.0].map(at);
        let count = self.0.len();
        writeln!(
            out,
            "| {name} | {count} | {p50:.2} | {p90:.2} | {p99:.2} | {most:.2} | {remark} |"
        )
    }
}

fn source(case: &Case) -> Source {
    Source::new(case.id.as_str(), case.schema.to_string())
}

fn main() -> io::Result<()> {
    let Arguments { step, seed, tools } = Arguments::parse();
    let cases = maskbench();
    let cases: Vec<&Case> = cases.iter().step_by(step.max(1)).collect();
    let mut out = io::stdout().lock();
    writeln!(out, "| question | calls | p50 ms | p90 | p99 | most | |")?;
    writeln!(out, "| --- | ---: | ---: | ---: | ---: | ---: | --- |")?;

    let mut numbers = Numbers(seed);
    let options = RelationOptions::default();
    let mut pairs = Vec::new();
    let (mut times, mut unknown, mut assumed, mut refused) = (Times::default(), 0, 0, 0);
    for case in &cases {
        let Some((new, _)) = edited(&case.schema, |most| numbers.below(most)) else { continue };
        let new = Source::new("new", new.to_string());
        let Ok(found) = times.time(|| compare(&source(case), &new, &options)) else {
            times.0.pop();
            refused += 1;
            continue;
        };
        for side in [&found.left_only, &found.right_only] {
            unknown += usize::from(matches!(side, Side::Unknown(_)));
            assumed +=
                usize::from(matches!(side, Side::Empty { assuming } if !assuming.is_empty()));
        }
        pairs.push((source(case), new));
    }
    let questions = 2 * pairs.len();
    let remark = format!(
        "of {questions} questions {unknown} unknown, {assumed} under assumptions; {refused} refused"
    );
    times.row(&mut out, "relation of an edit", &remark)?;

    let mut times = Times::default();
    for list in pairs.chunks_exact(tools.max(1)) {
        times.time(|| list.iter().filter(|(old, new)| compare(old, new, &options).is_ok()).count());
    }
    times.row(&mut out, &format!("relation of {tools} tools"), "")?;

    let mut times = Times::default();
    for pair in cases.chunks_exact(2) {
        _ = times.time(|| compare(&source(pair[0]), &source(pair[1]), &options));
    }
    times.row(&mut out, "relation of unrelated schemas", "")?;

    let (mut times, mut keywords, mut undecided) = (Times::default(), 0, 0);
    let options = WitnessOptions { boundary: false, ..WitnessOptions::default() };
    for case in cases.iter().filter(|case| case.schema.to_string().len() < 3_000) {
        if let Ok(found) = times.time(|| witnesses(&source(case), &options)) {
            keywords += found.invalid.len() + found.silent.len();
            undecided += found.undecided.len();
        }
    }
    let remark = format!("{keywords} near misses and silent keywords, {undecided} undecided");
    times.row(&mut out, "near misses of a schema", &remark)?;

    let mut times = Times::default();
    let options = JsonSchemaOptions::default();
    for case in cases.iter().filter(|case| case.schema.to_string().len() < 3_000) {
        let of = source(case);
        _ = times.time(|| explain(&of, b"{", Some(b'x'), &options, &Budget::new()));
    }
    times.row(&mut out, "explanation with the source", "")
}
