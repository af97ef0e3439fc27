//! One step of a sequence: mask reference, fill, apply, accept; the rows of a known output; and llguidance's mask and
//! advance.
//!
//! The schemas are MaskBench's of three sizes, the positions those of a valid instance, all of them in one iteration, so
//! that the figure is the time of a whole text. `compare` has the percentiles by token.

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use grammarc_benches::counts::{Count, Counts};
use grammarc_benches::inputs;
use grammarc_benches::ours::{Ours, Text};
use grammarc_benches::peer::{self, Cut, Peer};
use grammarc_runtime::{Grammar, Matcher};

/// A use of a mask, given room for its words and for logits.
type Use = fn(&mut Matcher, &mut [u32], &mut [f32]);

/// The uses of each mask before its token is accepted.
const USES: [(&str, Use); 4] = [
    ("accept alone", |_, _, _| {}),
    ("mask reference and accept", |matcher, _, _| {
        black_box(matcher.mask());
    }),
    ("fill and accept", |matcher, words, _| {
        matcher.mask().fill(words).expect("a whole row");
    }),
    ("apply and accept", |matcher, _, logits| {
        matcher.mask().apply(logits).expect("a whole row");
    }),
];

fn steps(criterion: &mut Criterion) {
    let (Some(ours), Some(tokenizer)) = (Ours::llama(), inputs::tokenizer()) else { return };
    let peer = Peer::new(ours.artifact(), Cut::Canonical(Box::new(tokenizer.clone())));
    let expected = Counts::expected().expect("the counts are in the repository");
    for case in inputs::named() {
        let schema = case.schema.to_string();
        let grammar = ours.grammar(Text::JsonSchema(&schema)).expect("it compiles");
        let valid = case.tests.iter().find(|instance| instance.valid).expect("there is one");
        let tokens = inputs::tokens(&tokenizer, &inputs::texts(&case, valid)[0]);
        let count = Count::of(&grammar, &tokens).expect("the text is taken");
        let found = BTreeMap::from([(case.id.clone(), count)]);
        expected.check(&found).expect("the masks are those that were counted");
        let mut group = criterion.benchmark_group(format!("step/{}", case.id));
        group.throughput(Throughput::Elements(tokens.len() as u64));
        for (name, each) in USES {
            group.bench_function(format!("grammarc, {name}"), |bencher| {
                bencher.iter(|| follow(&grammar, &tokens, each));
            });
        }
        let row_words = (grammar.vocabulary().logit_width() as usize).div_ceil(32);
        let mut rows = vec![0; tokens.len() * row_words];
        group.bench_function("grammarc, replay", |bencher| {
            bencher.iter(|| {
                let replayed = Matcher::new(&grammar).replay(&tokens, &mut rows, row_words);
                assert_eq!(replayed, Ok(tokens.len()));
            });
        });
        group.bench_function("llguidance, mask and advance", |bencher| {
            let start = || peer.matcher(peer::Text::JsonSchema(&schema)).expect("it compiles");
            let through = |mut matcher: llguidance::Matcher| {
                for &token in &tokens {
                    let mask = matcher.compute_mask_or_eos().expect("a mask");
                    assert!(mask.is_allowed(token));
                    matcher.consume_token(token).expect("it is allowed");
                }
            };
            bencher.iter_batched(start, through, BatchSize::SmallInput);
        });
        group.finish();
    }
}

fn follow(grammar: &Grammar, tokens: &[u32], each: Use) {
    let mut matcher = Matcher::new(grammar);
    let width = matcher.logit_width() as usize;
    let (mut words, mut logits) = (vec![0; width.div_ceil(32)], vec![0.0; width]);
    for &token in tokens {
        each(&mut matcher, &mut words, &mut logits);
        matcher.accept(token).expect("it is allowed");
    }
    black_box((words, logits));
}

criterion_group!(benches, steps);
criterion_main!(benches);
