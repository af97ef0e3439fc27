//! Artifacts: how large they are, how long the vocabulary's takes to build, and how long either takes to open.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use grammarc_artifacts::GrammarArtifact;
use grammarc_benches::inputs::Case;
use grammarc_benches::ours::{Ours, Text};
use grammarc_benches::peer::{Cut, Peer};
use grammarc_benches::plot::{Marks, Plot, Series};
use grammarc_benches::table::{Samples, Table};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::cache::{Cache, CacheOptions, Origin};
use grammarc_compiler::compile::CompileOptions;
use grammarc_runtime::{Grammar, Vocabulary};

use crate::report::Report;
use crate::{Bench, ROUNDS};

pub(crate) fn run(bench: &Bench, report: &mut Report) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("vocabulary.gvocab");
    let mut data = None;
    let build = timed(|| {
        data = Ours::vocabulary();
        data.is_some()
    });
    if let Some(data) = data {
        data.write(&path).map_err(io::Error::other)?;
    }
    let open = timed(|| Vocabulary::open(&path).is_ok());
    let peer = timed(|| {
        Peer::new(bench.ours.artifact(), Cut::Never);
        true
    });
    writeln!(
        report,
        "\n## Artifacts\n\nVocabulary: {} bytes; 1 thread, wall time, ms\n",
        path.metadata()?.len()
    )?;
    let mut table = Table::new("vocabulary");
    table.row("grammarc: import of tokenizer.json and build", &build);
    table.row("grammarc: open, mapped", &open);
    table.row("llguidance: trie and slices, from token bytes", &peer);
    writeln!(report, "{table}")?;

    let vocabulary = Vocabulary::open(&path).map_err(io::Error::other)?;
    let (mut sizes, mut opening) = (Samples::default(), Samples::default());
    let options = CompileOptions::default();
    // A hit in memory is no more than the digest of the source.
    let kept = CacheOptions::new().folder(folder.path().join("cache")).memory_entries(0);
    let cache = Cache::open(kept).map_err(io::Error::other)?;
    let mut hits = Samples::default();
    for case in &bench.cases {
        let schema = case.schema.to_string();
        let compiled = bench.ours.compile(Text::JsonSchema(&schema), &options);
        let path = folder.path().join("grammar.gmask");
        let compiled = compiled.map_err(io::Error::other)?;
        compiled.data.write(&path, bench.ours.artifact()).map_err(io::Error::other)?;
        sizes.push(path.metadata()?.len() as f64 / 1e3);
        opening.push(timed(|| opens(&path, &vocabulary)).median() * 1e3);
        let text = Text::JsonSchema(&schema);
        let (front_end, source) = (text.front_end(), text.source());
        let ask = || {
            cache.get_or_compile(
                &bench.ours.compiler,
                &front_end,
                &source,
                &options,
                &Budget::new(),
            )
        };
        let made = ask().map_err(io::Error::other)?.artifact;
        let found = timed(|| {
            let cached = ask();
            cached.is_ok_and(|cached| {
                matches!(cached.origin, Origin::Folder)
                    && cached.artifact.checksum() == made.checksum()
            })
        });
        hits.push(found.median() * 1e3);
    }
    let mut table = Table::new("grammar artifact");
    table.row("size in kB", &sizes);
    table.row("opening in µs", &opening);
    table.row("cache hit in µs: digest of the source, opening", &hits);
    let series = Series {
        name: "grammarc".to_owned(),
        points: bench.cases.iter().map(length).zip(sizes.iter()).collect(),
    };
    report.plot(Plot {
        name: "size",
        title: "Size of the artifact, without what the vocabulary holds".to_owned(),
        axes: ["bytes of the schema", "kB"],
        log_y: true,
        marks: Marks::Dots,
        series: vec![series],
    });
    write!(report, "{table}")
}

fn length(case: &Case) -> f64 {
    case.schema.to_string().len() as f64
}

fn opens(path: &Path, vocabulary: &Vocabulary) -> bool {
    let artifact = GrammarArtifact::open(path, vocabulary.artifact());
    artifact.map(Grammar::from_artifact).is_ok()
}

/// The milliseconds of each round of some work that succeeds.
fn timed(mut work: impl FnMut() -> bool) -> Samples {
    let mut samples = Samples::default();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let done = work();
        samples.push(start.elapsed().as_secs_f64() * 1e3);
        assert!(done, "what is measured succeeds");
    }
    samples
}
