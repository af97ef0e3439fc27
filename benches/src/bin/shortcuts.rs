//! Times of "network and masks" with all shortcuts of the masks and without each of them, in Markdown.
//!
//! Every tenth schema of MaskBench is compiled with all shortcuts and without one, alternately, in both orders
//! equally often, on one thread. Its figure is the least CPU time of the rounds, because other work on the machine
//! only adds to it. The artifacts must be equal. The tables of `docs/masks.md` come from this output.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Parser;
use grammarc_artifacts::NONE;
use grammarc_benches::clock::Clock;
use grammarc_benches::inputs::{self, maskbench};
use grammarc_benches::ours::{Ours, Text};
use grammarc_benches::table::Samples;
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, Compiled};
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::masks::Shortcut;

/// Measures what each shortcut of the masks saves.
#[derive(Debug, Parser)]
#[command(name = "shortcuts")]
struct Arguments {
    /// Shortcuts to leave out, by name [default: each]
    names: Vec<String>,

    /// Take every so many of the schemas
    #[arg(long, default_value_t = 10, value_name = "N")]
    step: usize,

    /// Times that each is compiled; the least counts
    #[arg(long, default_value_t = 4, value_name = "N")]
    rounds: usize,

    /// Take the schemas of a folder, one a file, and print the figures of each
    #[arg(long, value_name = "FOLDER")]
    schemas: Option<PathBuf>,

    /// Folder of the tokenizer
    #[arg(long, default_value = inputs::LLAMA, value_name = "NAME")]
    tokenizer: String,

    /// Print the size of the artifacts and their masks, and measure nothing
    #[arg(long)]
    sizes: bool,
}

/// The grammars that are compiled, and the compiler.
struct Bench {
    ours: Ours,
    grammars: Vec<Lowered>,
    names: Vec<String>,
}

/// The schemas of a folder by the names of their files, in this order.
fn schemas_of(folder: &PathBuf) -> io::Result<Vec<(String, String)>> {
    let paths: io::Result<Vec<PathBuf>> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths?;
    paths.sort();
    let name = |path: &PathBuf| path.file_stem().map(|name| name.to_string_lossy().into_owned());
    paths
        .iter()
        .map(|path| Ok((name(path).unwrap_or_default(), fs::read_to_string(path)?)))
        .collect()
}

impl Bench {
    /// Loads the schemas that compile. `None` if the data is absent.
    fn new(arguments: &Arguments) -> io::Result<Option<Self>> {
        let Some(ours) = Ours::of(&arguments.tokenizer) else { return Ok(None) };
        let mut this = Self { ours, grammars: Vec::new(), names: Vec::new() };
        let schemas = match &arguments.schemas {
            Some(folder) => schemas_of(folder)?,
            None => maskbench()
                .iter()
                .step_by(arguments.step.max(1))
                .map(|case| (String::new(), case.schema.to_string()))
                .collect(),
        };
        for (name, schema) in schemas {
            let Ok(grammar) = Text::JsonSchema(&schema).lower(&Budget::new()) else { continue };
            if this.compiled(&grammar, &CompileOptions::default()).is_some() {
                this.grammars.push(grammar);
                this.names.push(name);
            }
        }
        Ok((!this.grammars.is_empty()).then_some(this))
    }

    /// Returns how often a shortcut took effect in all grammars, and in how many of them.
    fn effects(&self, shortcut: Shortcut) -> (u64, usize) {
        let compiled = self
            .grammars
            .iter()
            .filter_map(|grammar| self.compiled(grammar, &CompileOptions::default()));
        let times: Vec<u64> = compiled.map(|compiled| compiled.shortcuts.of(shortcut)).collect();
        (times.iter().sum(), times.iter().filter(|&&times| times > 0).count())
    }

    fn compiled(&self, grammar: &Lowered, options: &CompileOptions) -> Option<Compiled> {
        self.ours.compiler.compile(grammar, "json-schema", options, &Budget::new()).ok()
    }

    /// By schema, the time with all shortcuts and the time with `options`; the artifacts have to be equal.
    fn times(&self, options: &CompileOptions, rounds: usize) -> [Vec<f64>; 2] {
        let with_all = CompileOptions::default();
        let mut all: [Vec<f64>; 2] = Default::default();
        for (at, grammar) in self.grammars.iter().enumerate() {
            // The first compilation of a grammar finds nothing of it in the caches, and is not measured.
            let tables = [&with_all, options].map(|options| {
                self.compiled(grammar, options).map(|compiled| compiled.data.tables)
            });
            assert!(tables[0] == tables[1], "schema {at}: the artifacts differ");
            let mut least = [f64::INFINITY; 2];
            for round in 0..rounds {
                let mut turns = [(0, &with_all), (1, options)];
                turns.rotate_left(round % 2);
                for (which, options) in turns {
                    let start = Clock::Cpu.now();
                    let compiled = self.compiled(grammar, options);
                    least[which] = least[which].min(Clock::Cpu.now() - start);
                    drop(compiled);
                }
            }
            all.iter_mut().zip(least).for_each(|(all, time)| all.push(time));
        }
        all
    }

    /// Returns the total sizes of artifacts and masks.
    fn sizes(&self) -> String {
        let [mut bytes, mut masks, mut listed, mut own_rows, mut over_shared, mut over_own] =
            [0_usize; 6];
        for grammar in &self.grammars {
            let Some(compiled) = self.compiled(grammar, &CompileOptions::default()) else {
                continue;
            };
            let tables = &compiled.data.tables;
            masks += tables.masks.len();
            listed += tables.lists.len();
            own_rows += tables.rows.len() / (tables.row_words as usize).max(1);
            let rows = || tables.masks.iter().map(|mask| mask.row);
            over_shared += rows().filter(|&row| row < tables.bases.rows).count();
            over_own += rows().filter(|&row| row >= tables.bases.rows && row != NONE).count();
            bytes += compiled.to_buffer(&self.ours.compiler).map_or(0, |bytes| bytes.len());
        }
        let vocabulary = self.ours.artifact().tables();
        format!(
            "{} grammars: {bytes} bytes; {masks} masks, {over_shared} of them over rows of the vocabulary and {over_own} \
             over {own_rows} of their own; {listed} listed tokens. The vocabulary has {} masks and {} rows",
            self.grammars.len(),
            vocabulary.totals().masks,
            vocabulary.totals().rows,
        )
    }
}

/// The percentiles of some times, and their sum.
fn figures(times: &[f64]) -> [f64; 4] {
    let mut samples = Samples::default();
    times.iter().for_each(|&time| samples.push(time));
    let [p50, p90, p99, ..] = samples.percentiles();
    [p50, p90, p99, times.iter().sum()]
}

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    let mut out = io::stdout().lock();
    let Some(bench) = Bench::new(&arguments)? else {
        return writeln!(
            out,
            "no {} tokenizer or no MaskBench; set GRAMMARC_DATA",
            arguments.tokenizer
        );
    };
    if arguments.sizes {
        return writeln!(out, "{}", bench.sizes());
    }
    writeln!(out, "{} schemas; µs, and in brackets what is added\n", bench.grammars.len())?;
    writeln!(out, "| without | takes effect | in | p50 | p90 | p99 | all | most |")?;
    writeln!(out, "| --- | --: | --: | --: | --: | --: | --: | --: |")?;
    let is_named = |shortcut: &Shortcut| {
        let name = format!("{shortcut:?}");
        arguments.names.is_empty() || arguments.names.contains(&name)
    };
    let mut each = String::new();
    for shortcut in Shortcut::ALL.into_iter().filter(is_named) {
        let [with, without] =
            bench.times(&CompileOptions::default().without_shortcut(shortcut), arguments.rounds);
        let (times, grammars) = bench.effects(shortcut);
        write!(out, "| {shortcut:?} | {times} | {grammars} |")?;
        for (with, without) in figures(&with).into_iter().zip(figures(&without)) {
            write!(out, " {without:.0} ({:+.1} %) |", 100.0 * (without / with - 1.0))?;
        }
        let ratios = || with.iter().zip(&without).map(|(with, without)| without / with);
        writeln!(out, " × {:.2} |", ratios().fold(0.0, f64::max))?;
        out.flush()?;
        for ((name, ratio), with) in bench.names.iter().zip(ratios()).zip(&with) {
            each += &format!("| {shortcut:?} | {name} | {with:.0} | × {ratio:.2} |\n");
        }
    }
    if arguments.schemas.is_some() {
        writeln!(out, "\n| without | schema | with it, µs | |\n| --- | --- | --: | --: |\n{each}")?;
    }
    Ok(())
}
