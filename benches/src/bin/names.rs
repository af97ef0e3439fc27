//! Sets of names: `names [--counts 1000,10000] [--kind choice|enum|gbnf|items|keys] [--written N] [--peer] [--export
//! FILE]`
//!
//! Names have about thirty bytes, of words from a list of two thousand, the same in every run. Each count is compiled
//! in a process of its own, which measures its peak memory: text, front end, automaton, masks, the artifact's bytes,
//! and opening these by a map with every check. Then random names are read token by token, in their longest tokens,
//! with a mask before each. The kinds `items` and `keys` write names that must differ, in one array or object, and
//! print a digest of all masks. With `--peer` llguidance takes the same names as an `enum`, first mask included. With
//! `--export` nothing is measured: names and tokens are written for the engines of `benches/peers/names.py`.

use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use grammarc_artifacts::{GrammarArtifact, VocabularyArtifact, write};
use grammarc_benches::ours::Ours;
use grammarc_benches::peer::{self, Cut, Peer};
use grammarc_benches::table::Samples;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::CompileOptions;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::FrontEnd;
use grammarc_runtime::{Grammar, Matcher};
use grammarc_test_data::Rng;

/// Names that are followed.
const FOLLOWED: usize = 2_000;

/// Names that peers follow.
const PEERS_FOLLOWED: usize = 200;

/// Arrays or objects that are written of names that must differ.
const DOCUMENTS: usize = 5;

/// Most bytes of a token that texts are split into.
const LONGEST: usize = 64;

/// Words that names are made of.
const WORDS: usize = 2_000;

/// The language of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A JSON array of texts.
    Choice,
    /// A JSON schema with an `enum`.
    Enum,
    /// An alternation in GBNF.
    Gbnf,
    /// A JSON schema of an array of names that must differ.
    Items,
    /// A JSON schema of an object whose keys must differ. Names share beginnings, and are written as keys.
    Keys,
}

impl Kind {
    /// Whether the names are written in one text, and must differ.
    fn is_distinct(self) -> bool {
        matches!(self, Self::Items | Self::Keys)
    }

    /// Number of words that `count` names are made of. Names that must differ share beginnings: eight names begin with
    /// one word.
    fn words(self, count: usize) -> usize {
        if self.is_distinct() { count.div_ceil(8).max(16) } else { WORDS }
    }
}

/// Sets of names.
#[derive(Parser)]
struct Args {
    /// How many names.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000,1000000")]
    counts: Vec<usize>,
    /// The language of the source.
    #[arg(long, value_enum, default_value = "choice")]
    kind: Kind,
    /// llguidance besides.
    #[arg(long)]
    peer: bool,
    /// Writes the names, as schemas with an `enum`, the tokens of those that are followed, and the vocabulary.
    #[arg(long)]
    export: Option<PathBuf>,
    /// Threads of the compiler.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Most names that are written in one array or object.
    #[arg(long, default_value_t = usize::MAX)]
    written: usize,
    /// Measures the one count in this process.
    #[arg(long, hide = true)]
    here: bool,
}

/// Returns `count` distinct names of three to five words, from a list of `word_count` words.
fn names(count: usize, word_count: usize) -> Vec<String> {
    const ONSETS: [&str; 20] = [
        "b", "br", "c", "ch", "d", "f", "g", "gr", "h", "l", "m", "n", "p", "r", "s", "st", "t",
        "v", "w", "z",
    ];
    const RIMES: [&str; 16] =
        ["a", "an", "ar", "e", "el", "en", "er", "i", "in", "it", "o", "on", "or", "u", "um", "y"];
    let mut rng = Rng::new(42);
    let mut words: Vec<String> = Vec::new();
    while words.len() < word_count {
        let syllables = 2 + rng.below(2);
        let word: String = (0..syllables)
            .map(|_| format!("{}{}", ONSETS[rng.below(20)], RIMES[rng.below(16)]))
            .collect();
        words.push(word);
    }
    let mut seen = std::collections::HashSet::new();
    let mut names = Vec::with_capacity(count);
    while names.len() < count {
        let mut name = words[rng.below(word_count)].clone();
        while name.len() < 27 {
            let _ = write!(name, " {}", words[rng.below(word_count)]);
        }
        if seen.insert(name.clone()) {
            names.push(name);
        }
    }
    names
}

fn source(kind: Kind, names: &[String]) -> (FrontEnd, String) {
    let list = serde_json::to_string(names).unwrap_or_default();
    match kind {
        Kind::Choice => (FrontEnd::Choice(Default::default()), list),
        Kind::Enum => (FrontEnd::JsonSchema(Default::default()), format!("{{\"enum\":{list}}}")),
        Kind::Gbnf => {
            let literals: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            (FrontEnd::Gbnf(Default::default()), format!("root ::= {}\n", literals.join(" | ")))
        }
        Kind::Items => {
            let schema = format!(
                "{{\"type\":\"array\",\"uniqueItems\":true,\"items\":{{\"enum\":{list}}}}}"
            );
            (FrontEnd::JsonSchema(Default::default()), schema)
        }
        Kind::Keys => {
            let schema = r#"{"type":"object","additionalProperties":{"type":"boolean"},"minProperties":100}"#;
            (FrontEnd::JsonSchema(Default::default()), schema.to_owned())
        }
    }
}

/// The longest tokens that a text begins with, one after the other.
fn tokens(vocabulary: &VocabularyArtifact, text: &[u8]) -> Vec<u32> {
    let mut rest = text;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let known = |&length: &usize| !vocabulary.lookup(&rest[..length]).is_empty();
        let Some(length) = (1..=rest.len().min(LONGEST)).rev().find(known) else { break };
        found.push(vocabulary.lookup(&rest[..length])[0]);
        rest = &rest[length..];
    }
    found
}

/// Returns an array or an object with the names in a random order, as many as are written.
fn document(args: &Args, names: &[String], rng: &mut Rng) -> serde_json::Result<String> {
    let mut order: Vec<&String> = names.iter().collect();
    (1..order.len()).rev().for_each(|at| order.swap(at, rng.below(at + 1)));
    let written = order.into_iter().take(args.written).map(serde_json::to_string);
    let written = written.collect::<Result<Vec<_>, _>>()?;
    Ok(match args.kind {
        Kind::Keys => format!("{{{}: true}}", written.join(": true, ")),
        _ => format!("[{}]", written.join(", ")),
    })
}

/// The names that peers follow.
fn followed(names: &[String]) -> impl Iterator<Item = &String> {
    let mut rng = Rng::new(7);
    (0..PEERS_FOLLOWED).map(move |_| &names[rng.below(names.len())])
}

/// Writes the inputs for an engine in another language.
fn export(counts: &[usize], path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let ours = Ours::llama().ok_or("the tokenizer is not there")?;
    let mut cases = Vec::new();
    for &count in counts {
        let names = names(count, WORDS);
        let texts = followed(&names).map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        let texts = texts.iter().map(|text| tokens(ours.artifact(), text.as_bytes()));
        cases.push(serde_json::json!({
            "names": count,
            "schema": { "enum": names },
            "texts": texts.collect::<Vec<_>>(),
        }));
    }
    let mut all = ours.exported();
    all["cases"] = cases.into();
    Ok(write::replace(path, all.to_string().as_bytes())?)
}

/// The most memory that this process had, in MiB.
fn peak() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}

fn measure(args: &Args, count: usize) -> Result<(), Box<dyn std::error::Error>> {
    let ours = Ours::llama().ok_or("the tokenizer is not there")?.on_threads(args.threads);
    let names = names(count, args.kind.words(count));
    let bytes: usize = names.iter().map(String::len).sum();
    let (front_end, text) = source(args.kind, &names);
    let before = peak();
    let begin = Instant::now();
    let budget = Budget::unlimited();
    let lowered = front_end.lower(Source::new("names", text), &budget);
    let lowered = lowered.map_err(|errors| format!("{errors:?}"))?;
    let lowering = begin.elapsed();
    let compiled =
        ours.compiler.compile(&lowered, front_end.kind(), &CompileOptions::default(), &budget)?;
    let buffer = compiled.to_buffer(&ours.compiler)?;
    let compile = begin.elapsed();
    let most = peak();
    let file = tempfile::NamedTempFile::new()?;
    write::replace(file.path(), &buffer)?;
    drop((lowered, compiled));
    let begin = Instant::now();
    let artifact = GrammarArtifact::open(file.path(), ours.artifact())?;
    let open = begin.elapsed();
    let statistics = artifact.meta().statistics.clone();
    let grammar = Grammar::from_artifact(artifact);
    let mut rng = Rng::new(7);
    let mut masks = Samples::default();
    let mut accepts = Samples::default();
    let mut words = vec![0; Matcher::new(&grammar).logit_width().div_ceil(32) as usize];
    let mut digest = DefaultHasher::new();
    let texts: Vec<String> = match args.kind.is_distinct() {
        true => {
            let documents = (0..DOCUMENTS).map(|_| document(args, &names, &mut rng));
            documents.collect::<Result<_, _>>()?
        }
        false => {
            let followed = (0..FOLLOWED).map(|_| &names[rng.below(names.len())]);
            let text = |name: &String| match args.kind {
                Kind::Enum => serde_json::to_string(name),
                _ => Ok(name.clone()),
            };
            followed.map(text).collect::<Result<_, _>>()?
        }
    };
    for text in &texts {
        let mut matcher = Matcher::new(&grammar);
        for token in tokens(ours.artifact(), text.as_bytes()) {
            let begin = Instant::now();
            let mask = matcher.mask();
            masks.push(begin.elapsed().as_secs_f64() * 1e6);
            let is_allowed = mask.contains(token);
            mask.fill(&mut words)?;
            words.hash(&mut digest);
            let begin = Instant::now();
            matcher.accept(token)?;
            accepts.push(begin.elapsed().as_secs_f64() * 1e6);
            assert!(is_allowed, "a token of a name");
        }
    }
    let [p50, _, p99, p999, max] = masks.percentiles();
    let accept = accepts.percentiles();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{count} names of {bytes} bytes: compiled in {:.2} s, {:.2} of it the front end; peak {most:.0} MiB, {before:.0} before; artifact {} bytes, {:.2} of the names; opened in {:.2} ms; mask us p50 {p50:.2} p99 {p99:.2} p99.9 {p999:.2} max {max:.2}; accept us p50 {:.2} p99.9 {:.2}",
        compile.as_secs_f64(),
        lowering.as_secs_f64(),
        buffer.len(),
        buffer.len() as f64 / bytes as f64,
        open.as_secs_f64() * 1e3,
        accept[0],
        accept[3],
    )?;
    writeln!(out, "  {statistics:?}")?;
    writeln!(out, "  {} masks, digest {:016x}", masks.len(), digest.finish())?;
    if args.peer {
        let (_, text) = source(Kind::Enum, &names);
        let peer = Peer::new(ours.artifact(), Cut::Never);
        let begin = Instant::now();
        let mut matcher = peer.matcher(peer::Text::JsonSchema(&text))?;
        matcher.compute_mask_or_eos()?;
        let first = begin.elapsed();
        let mut masks = Samples::default();
        for name in followed(&names) {
            matcher.reset()?;
            for token in tokens(ours.artifact(), serde_json::to_string(name)?.as_bytes()) {
                let begin = Instant::now();
                matcher.compute_mask_or_eos()?;
                masks.push(begin.elapsed().as_secs_f64() * 1e6);
                matcher.consume_token(token)?;
            }
        }
        let [p50, _, p99, p999, _] = masks.percentiles();
        writeln!(
            out,
            "  llguidance: first mask after {:.2} s; peak {:.0} MiB; mask us p50 {p50:.1} p99 {p99:.1} p99.9 {p999:.1}",
            first.as_secs_f64(),
            peak(),
        )?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::parse();
    if let Some(path) = &args.export {
        return export(&args.counts, path);
    }
    if let (true, &[count]) = (args.here, &args.counts[..]) {
        return measure(&args, count);
    }
    for &count in &args.counts {
        let mut command = Command::new(std::env::current_exe()?);
        let kind = args.kind.to_possible_value().map(|value| value.get_name().to_owned());
        command.args(["--here", "--counts", &count.to_string(), "--kind"]);
        command.arg(kind.unwrap_or_default()).args(["--threads", &args.threads.to_string()]);
        command.args(["--written", &args.written.to_string()]);
        command.args(args.peer.then_some("--peer"));
        command.status()?;
    }
    Ok(())
}
