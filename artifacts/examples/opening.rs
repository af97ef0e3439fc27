//! Times the opening of artifacts of real sizes: a vocabulary of 128,000 tokens, and a grammar of 500 states.
//!
//! `cargo run --profile dist -p grammarc-artifacts --example opening`

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use grammarc_artifacts::{GrammarArtifact, TrieData, VocabularyArtifact};

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../tests/suite/fixtures.rs"]
mod fixtures;

/// Median and 99th percentile of `runs` runs.
fn time<T>(runs: usize, mut run: impl FnMut() -> T) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    (times[runs / 2], times[runs * 99 / 100])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let length = |path: &Path| std::fs::metadata(path).map(|metadata| metadata.len());
    let mut report = |what: &str, (p50, p99): (Duration, Duration)| {
        writeln!(out, "{what:<44} p50 {p50:>10.1?}  p99 {p99:>10.1?}")
    };

    let gvocab = path("large.gvocab");
    let data = fixtures::large_vocabulary(128_000, 12);
    report("trie of 128,000 tokens: build", time(9, || TrieData::build(&data.tokens)))?;
    report("vocabulary: to bytes", time(9, || data.to_bytes()))?;
    data.write(&gvocab)?;
    let vocabulary = VocabularyArtifact::open(&gvocab)?;
    let nodes = vocabulary.trie().len();
    let what = format!("vocabulary, {nodes} nodes, {} B: open", length(&gvocab)?);
    report(&what, time(99, || VocabularyArtifact::open(&gvocab)))?;

    for states in [130, 500, 4000] {
        let gmask = path("large.gmask");
        let data = fixtures::large_grammar(&vocabulary, states);
        data.write(&gmask, &vocabulary)?;
        let grammar = GrammarArtifact::open(&gmask, &vocabulary)?;
        let what = format!("grammar, {states} states, {} B: open", length(&gmask)?);
        report(&what, time(999, || GrammarArtifact::open(&gmask, &vocabulary)))?;
        let bytes = data.to_bytes(&vocabulary)?;
        let opened = || GrammarArtifact::from_buffer(bytes.clone(), &vocabulary);
        report("  from a buffer", time(999, opened))?;
        report("  to bytes", time(999, || data.to_bytes(&vocabulary)))?;
        let joined = time(999, || {
            (0..1000).map(|_| black_box(&grammar).joined().own.states.len()).sum::<usize>()
        });
        report("  1,000 times joined()", joined)?;
    }
    Ok(())
}
