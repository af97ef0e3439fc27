//! One run that holds this engine beside llguidance, in Markdown.
//!
//! `compare [steps] [compile] [artifacts]`, all where none is named. What each part measures and how is in
//! `benches/README.md`.

mod artifacts;
mod compile;
mod steps;

use std::io::{self, Write};

use grammarc_benches::inputs::{Case, maskbench, spread};
use grammarc_benches::ours::{Ours, Text};
use grammarc_benches::peer::{self, Cut, Peer};
use grammarc_benches::{inputs, machine};
use tokenizers::Tokenizer;

/// Schemas, and instances, of one run.
const COUNT: usize = 100;
/// Times that everything is measured; the median counts.
const ROUNDS: usize = 5;

/// The engines and what they are measured with.
struct Bench {
    ours: Ours,
    /// As its users run it.
    canonical: Peer,
    /// Without forced tokens.
    plain: Peer,
    tokenizer: Tokenizer,
    /// Schemas that both engines compile.
    cases: Vec<Case>,
}

impl Bench {
    fn new() -> Option<Self> {
        let ours = Ours::llama()?;
        let tokenizer = inputs::tokenizer()?;
        let cut = Cut::Canonical(Box::new(tokenizer.clone()));
        let canonical = Peer::new(ours.artifact(), cut);
        let plain = Peer::new(ours.artifact(), Cut::Never);
        let all = maskbench();
        let taken = |case: &&Case| {
            let text = case.schema.to_string();
            ours.grammar(Text::JsonSchema(&text)).is_ok()
                && canonical.matcher(peer::Text::JsonSchema(&text)).is_ok()
        };
        let cases = spread(&all, COUNT * 2).filter(taken).take(COUNT).cloned().collect();
        Some(Self { ours, canonical, plain, tokenizer, cases })
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let Some(bench) = Bench::new() else {
        return writeln!(out, "no Llama 3.1 tokenizer or no MaskBench; set GRAMMARC_DATA");
    };
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let wants = |part: &str| wanted.is_empty() || wanted.iter().any(|name| name == part);
    for line in machine::describe() {
        writeln!(out, "- {line}")?;
    }
    if wants("steps") {
        steps::run(&bench, &mut out)?;
    }
    if wants("compile") {
        compile::run(&bench, &mut out)?;
    }
    if wants("artifacts") {
        artifacts::run(&bench, &mut out)?;
    }
    Ok(())
}
