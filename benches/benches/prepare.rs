//! The work before the first token: compiling with all masks, opening, and llguidance's way to its first mask.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use grammarc_artifacts::VocabularyArtifact;
use grammarc_benches::inputs;
use grammarc_benches::ours::{Ours, Text};
use grammarc_benches::peer::{self, Cut, Peer};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::cache::{Cache, CacheOptions, Origin};
use grammarc_compiler::compile::CompileOptions;
use grammarc_runtime::{Grammar, Vocabulary};

fn prepare(criterion: &mut Criterion) {
    let (Some(ours), Some(tokenizer)) = (Ours::llama(), inputs::tokenizer()) else { return };
    let peer = Peer::new(ours.artifact(), Cut::Canonical(Box::new(tokenizer)));
    let folder = tempfile::tempdir().expect("a temporary folder");
    // A hit in memory is no more than the digest of the source.
    let options = CacheOptions::new().folder(folder.path().join("cache")).memory_entries(0);
    let cache = Cache::open(options).expect("a folder");
    for case in inputs::named() {
        let schema = case.schema.to_string();
        let text = Text::JsonSchema(&schema);
        let mut group = criterion.benchmark_group(format!("prepare/{}", case.id));
        group.sample_size(20);
        group.bench_function("grammarc, to a grammar", |bencher| {
            bencher.iter(|| ours.grammar(black_box(text)).expect("it compiles"));
        });
        group.bench_function("llguidance, to the first mask", |bencher| {
            bencher.iter(|| {
                let matcher = peer.matcher(peer::Text::JsonSchema(black_box(&schema)));
                matcher.expect("it compiles").compute_mask_or_eos().expect("a mask")
            });
        });
        let path = folder.path().join("grammar.gmask");
        let compiled = ours.compile(text, &CompileOptions::default()).expect("it compiles");
        compiled.data.write(&path, ours.artifact()).expect("it can be written");
        let vocabulary = Vocabulary::from(ours.artifact().clone());
        group.bench_function("grammarc, open", |bencher| {
            bencher.iter(|| Grammar::open(&path, &vocabulary).expect("it is valid"));
        });
        let (front_end, source) = (text.front_end(), text.source());
        let options = CompileOptions::default();
        let ask =
            || cache.get_or_compile(&ours.compiler, &front_end, &source, &options, &Budget::new());
        let made = ask().expect("it compiles").artifact;
        let found = ask().expect("it is there");
        assert!(matches!(found.origin, Origin::Folder));
        assert_eq!(found.artifact.checksum(), made.checksum());
        group.bench_function("grammarc, cache hit", |bencher| {
            bencher.iter(|| black_box(ask()).expect("it is there"));
        });
        group.finish();
    }
    let path = folder.path().join("vocabulary.gvocab");
    let data = Ours::vocabulary().expect("it was there before");
    data.write(&path).expect("it can be written");
    criterion.bench_function("prepare/vocabulary/grammarc, open", |bencher| {
        bencher.iter(|| VocabularyArtifact::open(&path).expect("it is valid"));
    });
}

criterion_group!(benches, prepare);
criterion_main!(benches);
