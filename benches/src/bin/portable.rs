//! Times of questions about schemas, in Markdown: relations of edits and of lists of tools, witnesses and explanations.
//!
//! The schemas are MaskBench's. Times are of one thread and of a release build. `docs/schemas.md` quotes the tables.

use std::io::{self, Write};
use std::time::Instant;

use clap::Parser;
use grammarc_artifacts::sections::kinds::SectionKind;
use grammarc_benches::edits::edited;
use grammarc_benches::inputs::{Case, maskbench};
use grammarc_benches::ours::Ours;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::from_source::SourceRequest;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_compiler::frontend::json_schema::JsonSchemaOptions;
use grammarc_compiler::frontend::json_schema::explain::explain;
use grammarc_compiler::frontend::json_schema::relation::{RelationOptions, Side, compare};
use grammarc_compiler::frontend::json_schema::witness::{WitnessOptions, witnesses};
use grammarc_runtime::{Grammar, Matcher};

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
    times.row(&mut out, "explanation with the source", "")?;
    match Ours::llama() {
        Some(ours) => places(&mut out, &ours, &cases),
        None => writeln!(out, "SKIPPED: places, without the tokenizer of Llama 3.1"),
    }
}

/// Compiles schemas with places and without, and explains a token in the first state.
fn places(out: &mut impl Write, ours: &Ours, cases: &[&Case]) -> io::Result<()> {
    let [mut with, mut without, mut explained] = [(); 3].map(|()| Times::default());
    let mut shares = Vec::new();
    let compile = |case: &Case, places: bool| {
        let front_end = FrontEnd::JsonSchema(JsonSchemaOptions::default());
        let request = SourceRequest {
            front_end: &front_end,
            source: &source(case),
            deny: &[],
            options: &CompileOptions::default().places(places),
        };
        let compiled = ours.compiler.compile_source(&request, &Budget::new()).ok()?;
        compiled.to_artifact(&ours.compiler).ok()
    };
    for case in cases {
        // The first of two equal compilations warms the caches of the processor.
        _ = compile(case, true);
        let [Some(one), Some(other)] =
            [with.time(|| compile(case, true)), without.time(|| compile(case, false))]
        else {
            continue;
        };
        let digests = one.container().directory().get(SectionKind::TokenDigests);
        let digests = digests.map_or(0, |entry| entry.range.len());
        let own = other.byte_length() - digests;
        shares.push(100.0 * (one.byte_length() - other.byte_length()) as f64 / own as f64);
        let matcher = Matcher::new(&Grammar::from_artifact(one));
        _ = matcher.explain(0);
        explained.time(|| matcher.explain(0));
    }
    shares.sort_by(f64::total_cmp);
    let at = |share: f64| shares[((shares.len() - 1) as f64 * share) as usize];
    let remark = match shares.is_empty() {
        true => String::new(),
        false => format!(
            "places are {:.1}, {:.1} and {:.1} % of the artifact without token digests at p50, p90 and most",
            at(0.5),
            at(0.9),
            at(1.0)
        ),
    };
    with.row(out, "compilation with places", &remark)?;
    without.row(out, "compilation without places", "")?;
    explained.row(out, "explanation of a token", "by the artifact alone")
}
