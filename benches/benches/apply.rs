//! Masks on logits: every set of kernels on rows of every type and density beside a plain fill of the row, picks that
//! leave the row alone, shares of the softmax, and batches.
//!
//! Every row is checked once before it is measured: a kernel that leaves something out shows no time.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use grammarc_benches::densities::{self, DENSITIES, allowed};
use grammarc_benches::inputs;
use grammarc_benches::ours::{Ours, Text};
use grammarc_runtime::batch::{
    RowOf, Unlisted, apply_batch, fill_batch, par_apply_batch, par_fill_batch,
};
use grammarc_runtime::{Bf16, F16, Grammar, Kernels, Logit, Matcher};

/// The logit width of Llama 3.
const WIDTH: usize = 128_256;
/// Rows of a batch.
const ROWS: usize = 256;
/// Grammars that share a batch.
const GRAMMARS: usize = 50;

fn rows<L: Logit>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    ones: Vec<L>,
    forbidden: L,
    is_forbidden: impl Fn(&L) -> bool,
) {
    let mut row = ones.clone();
    group.bench_function(format!("{name}/fill of the row"), |bencher| {
        bencher.iter(|| black_box(&mut row).fill(forbidden));
    });
    for density in DENSITIES {
        let words = density.words(WIDTH);
        let allowed = allowed(&words);
        for kernels in Kernels::available() {
            let mut row = ones.clone();
            kernels.apply(&words, &mut row).expect("a whole row");
            assert_eq!(row.iter().filter(|logit| is_forbidden(logit)).count(), WIDTH - allowed);
            group.bench_function(
                format!("{name}/{}/{}", density.name, kernels.name()),
                |bencher| {
                    bencher
                        .iter(|| kernels.apply(&words, black_box(&mut row)).expect("a whole row"));
                },
            );
        }
    }
}

fn kernels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("apply");
    group.sample_size(40);
    rows(&mut group, "f32", vec![1.0f32; WIDTH], f32::NEG_INFINITY, |logit| logit.is_infinite());
    rows(&mut group, "f16", vec![F16(0x3c00); WIDTH], F16(0xfc00), |logit| logit.0 == 0xfc00);
    rows(&mut group, "bf16", vec![Bf16(0x3f80); WIDTH], Bf16(0xff80), |logit| logit.0 == 0xff80);
    group.finish();
}

/// Picks at the first position of a text, which is narrow, and where the mask is that of a string's inside.
fn picks(criterion: &mut Criterion) {
    let Some(ours) = Ours::llama() else { return };
    let text = r#"{"type": "string"}"#;
    let grammar = ours.grammar(Text::JsonSchema(text)).expect("it compiles");
    let logits: Vec<f32> = (0..WIDTH).map(|token| (token * 7919 % 1009) as f32 / 50.0).collect();
    let quote = ours.artifact().lookup(b"\"")[0];
    let mut matcher = Matcher::new(&grammar);
    let mut group = criterion.benchmark_group("pick");
    for place in ["narrow", "wide"] {
        let mask = matcher.mask();
        let best = mask.argmax(&logits).expect("a whole row").expect("a token is allowed");
        assert!(mask.iter().all(|token| logits[token as usize] <= logits[best as usize]));
        group.bench_function(format!("{place} mask/argmax"), |bencher| {
            bencher.iter(|| mask.argmax(black_box(&logits)));
        });
        group.bench_function(format!("{place} mask/sample"), |bencher| {
            bencher.iter(|| mask.sample(black_box(&logits), 0.8, black_box(0.37)));
        });
        matcher.accept(quote).expect("a string begins with a quote");
    }
    group.finish();
}

/// The share of the softmax that is allowed, with the log-sum-exp of the row and without, beside an apply of the same mask.
fn masses(criterion: &mut Criterion) {
    let Some(ours) = Ours::llama() else { return };
    let grammar = ours.grammar(Text::JsonSchema(r#"{"type": "string"}"#)).expect("it compiles");
    let logits: Vec<f32> = (0..WIDTH).map(|token| (token * 7919 % 1009) as f32 / 50.0).collect();
    let log_sum = logits.iter().map(|&logit| f64::from(logit).exp()).sum::<f64>().ln();
    let mut matcher = Matcher::new(&grammar);
    let quote = ours.artifact().lookup(b"\"")[0];
    let mut group = criterion.benchmark_group("mass");
    for place in ["narrow", "wide"] {
        let mask = matcher.mask();
        let found =
            [Some(log_sum), None].map(|sum| mask.log_mass(&logits, sum).expect("a whole row"));
        assert!((found[0] - found[1]).abs() < 1e-4, "{found:?}");
        let mut room = logits.clone();
        group.bench_function(format!("{place} mask/apply"), |bencher| {
            bencher.iter(|| mask.apply(black_box(&mut room)));
        });
        group.bench_function(format!("{place} mask/mass, with the row's sum"), |bencher| {
            bencher.iter(|| mask.log_mass(black_box(&logits), Some(log_sum)));
        });
        group.bench_function(format!("{place} mask/mass of the whole row"), |bencher| {
            bencher.iter(|| mask.log_mass(black_box(&logits), None));
        });
        matcher.accept(quote).expect("a string begins with a quote");
    }
    group.finish();
}

/// Matchers over many grammars, each at another place of a valid text.
fn matchers(ours: &Ours) -> Vec<Matcher> {
    let Some(tokenizer) = inputs::tokenizer() else { return Vec::new() };
    let cases = inputs::maskbench();
    let texts = inputs::spread(&cases, GRAMMARS).filter_map(|case| {
        let grammar = ours.grammar(Text::JsonSchema(&case.schema.to_string())).ok()?;
        let valid = case.tests.iter().find(|instance| instance.valid)?;
        let tokens = inputs::tokens(&tokenizer, &inputs::texts(case, valid)[0]);
        let taken = Matcher::new(&grammar).validate(&tokens) == tokens.len();
        taken.then_some((grammar, tokens))
    });
    let texts: Vec<(Grammar, Vec<u32>)> = texts.take(GRAMMARS).collect();
    let at = |row: usize| {
        let (grammar, tokens) = &texts[row % texts.len()];
        let mut matcher = Matcher::new(grammar);
        for &token in tokens.iter().cycle().take(row * 13 % tokens.len()) {
            matcher.accept(token).expect("the text was taken before");
        }
        matcher
    };
    let rows = if texts.is_empty() { 0 } else { ROWS };
    (0..rows).map(at).collect()
}

fn batches(criterion: &mut Criterion) {
    let Some(ours) = Ours::llama() else { return };
    let mut matchers = matchers(&ours);
    let mut batch: Vec<RowOf<'_>> = matchers.iter_mut().enumerate().collect();
    let row_words = WIDTH.div_ceil(32);
    let mut words = vec![0; batch.len() * row_words];
    let mut logits = vec![1.0f32; batch.len() * WIDTH];
    fill_batch(&mut batch, &mut words, row_words, Unlisted::Keep).expect("it fits");
    let allowed: usize = batch.iter_mut().map(|(_, matcher)| matcher.mask().len()).sum();
    assert_eq!(densities::allowed(&words), allowed);

    let mut group = criterion.benchmark_group(format!("batch of {ROWS} over {GRAMMARS} grammars"));
    group.sample_size(20);
    group.bench_function("fill, one thread", |bencher| {
        bencher.iter(|| fill_batch(&mut batch, &mut words, row_words, Unlisted::Keep));
    });
    group.bench_function("fill, rayon", |bencher| {
        bencher.iter(|| par_fill_batch(&mut batch, &mut words, row_words, Unlisted::Keep));
    });
    group.bench_function("apply, one thread", |bencher| {
        bencher.iter(|| apply_batch(&mut batch, &mut logits, WIDTH));
    });
    group.bench_function("apply, rayon", |bencher| {
        bencher.iter(|| par_apply_batch(&mut batch, &mut logits, WIDTH));
    });
    group.finish();
}

criterion_group!(benches, kernels, picks, masses, batches);
criterion_main!(benches);
