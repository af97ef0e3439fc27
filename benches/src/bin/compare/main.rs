//! Compares this engine with llguidance in one run, in Markdown, with plots.
//!
//! `compare [OPTIONS] [PART]...`; all parts if none is named. `benches/README.md` describes what each part measures
//! and how.

mod apply;
mod artifacts;
mod cold;
mod compile;
mod every;
mod first;
mod memory;
mod peers;
mod report;
mod scaling;
mod steps;
mod texts;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use grammarc_benches::inputs::{Case, maskbench, spread};
use grammarc_benches::ours::{Ours, Text};
use grammarc_benches::peer::{self, Cut, Peer};
use grammarc_benches::{inputs, machine};
use tokenizers::Tokenizer;

use peers::Recorded;
use report::Report;
use texts::Run;

/// Schemas, and instances, of one run.
const COUNT: usize = 100;
/// Times that everything is measured; the median counts.
const ROUNDS: usize = 5;

/// Holds grammarc beside its peers.
#[derive(Debug, Parser)]
#[command(name = "compare")]
struct Arguments {
    /// Measurements to make [default: everything]
    parts: Vec<Part>,

    /// Folder for the table, named by the date, and for the plots; it must exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Measurements that a script of benches/peers made on this machine. May be given several times
    #[arg(long, value_name = "FILE")]
    peers: Vec<PathBuf>,

    /// Write the schemas and tokens that are measured to this file, for the scripts of benches/peers, and do no more
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,

    /// A schema to compile in a process of its own, after its vocabulary: what the memory part runs
    #[arg(long, hide = true, num_args = 2)]
    alone: Option<Vec<PathBuf>>,
}

/// A part of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Masks and accepts along real tokens
    Steps,
    /// The same with many matchers in turn and with empty caches
    Cold,
    /// Masks on logits, by type, density and kernel
    Apply,
    /// From a schema to its first mask
    Compile,
    /// The same for every schema, on one thread
    Every,
    /// Every schema, where a host begins before the masks are computed
    First,
    /// Sizes, opening, and what a cache saves
    Artifacts,
    /// Peak memory of compiling
    Memory,
    /// How compile time and size grow
    Scaling,
}

/// The engines and their inputs.
struct Bench {
    ours: Ours,
    /// The peer as its users run it.
    canonical: Peer,
    /// Without forced tokens.
    plain: Peer,
    tokenizer: Tokenizer,
    /// Schemas that both engines compile.
    cases: Vec<Case>,
    /// The texts of the schemas, if a part needs them.
    runs: Vec<Run>,
    /// Engines that were measured by a script.
    recorded: Vec<Recorded>,
}

impl Bench {
    fn new(recorded: Vec<Recorded>) -> Option<Self> {
        let ours = Ours::llama()?;
        let tokenizer = inputs::tokenizer()?;
        let cut = Cut::Canonical(Box::new(tokenizer.clone()));
        let canonical = Peer::new(ours.artifact(), cut);
        let plain = Peer::new(ours.artifact(), Cut::Never);
        let all = maskbench();
        let (cases, runs) = (Vec::new(), Vec::new());
        let mut this = Self { ours, canonical, plain, tokenizer, cases, runs, recorded };
        let taken = spread(&all, COUNT * 2).filter(|case| this.takes(case)).take(COUNT);
        this.cases = taken.cloned().collect();
        Some(this)
    }

    /// Whether both engines compile a schema.
    fn takes(&self, case: &Case) -> bool {
        let text = case.schema.to_string();
        self.ours.grammar(Text::JsonSchema(&text)).is_ok()
            && self.canonical.matcher(peer::Text::JsonSchema(&text)).is_ok()
    }
}

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    if let Some([vocabulary, schema]) = arguments.alone.as_deref() {
        return memory::alone(vocabulary, schema);
    }
    let recorded: io::Result<Vec<Recorded>> =
        arguments.peers.iter().map(|path| Recorded::read(path)).collect();
    let mut report = Report::default();
    let Some(mut bench) = Bench::new(recorded?) else {
        return writeln!(report, "no Llama 3.1 tokenizer or no MaskBench; set GRAMMARC_DATA");
    };
    let wants = |part| arguments.parts.is_empty() || arguments.parts.contains(&part);
    if wants(Part::Steps) || wants(Part::Cold) || arguments.export.is_some() {
        bench.runs = texts::all(&bench)?;
    }
    if let Some(path) = &arguments.export {
        return peers::export(&bench, path);
    }
    for line in machine::describe() {
        writeln!(report, "- {line}")?;
    }
    for recorded in &bench.recorded {
        writeln!(report, "- {}", recorded.head())?;
    }
    for part in Part::value_variants().iter().filter(|&&part| wants(part)) {
        match part {
            Part::Steps => steps::run(&bench, &mut report)?,
            Part::Cold => cold::run(&bench, &mut report)?,
            Part::Apply => apply::run(&bench, &mut report)?,
            Part::Compile => compile::run(&bench, &mut report)?,
            Part::Every => every::run(&bench, &mut report)?,
            Part::First => first::run(&bench, &mut report)?,
            Part::Artifacts => artifacts::run(&bench, &mut report)?,
            Part::Memory => memory::run(&bench, &mut report)?,
            Part::Scaling => scaling::run(&bench, &mut report)?,
        }
    }
    match &arguments.out {
        Some(folder) => report.write(folder),
        None => Ok(()),
    }
}
