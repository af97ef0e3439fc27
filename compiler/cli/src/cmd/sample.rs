//! `grammarc sample`: draws random outputs of a compiled grammar. Only the masks decide; no model
//! is used.

use clap::Args;
use grammarc::sample::{SampleOptions, Sampler};
use serde::{Serialize, Serializer};

use crate::args::ArtifactArgs;
use crate::failure::{Failure, Problem};
use crate::output::Output;
use crate::vocabularies;

/// Arguments of `sample`.
#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    artifact: ArtifactArgs,

    /// Number of outputs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    count: u64,

    /// Seed: equal seeds draw equal outputs, and output i does not depend on how many are drawn
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Number of tokens to draw before the shortest path to an end is taken
    #[arg(long, value_name = "N", default_value_t = SampleOptions::default().max_tokens)]
    max_tokens: usize,

    /// Draw uniformly from the whole mask, instead of preferring short plain tokens and short outputs
    #[arg(long)]
    any: bool,
}

/// The text of one random output. In JSON it is a string, with replacement characters for invalid
/// UTF-8.
#[derive(Debug)]
pub(crate) struct SampleText(pub(crate) Vec<u8>);

impl Serialize for SampleText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf8_lossy(&self.0))
    }
}

pub(crate) fn run(args: SampleArgs, output: &mut Output) -> Result<u8, Failure> {
    let grammar = vocabularies::open_grammar(&args.artifact)?;
    let options = SampleOptions { seed: args.seed, max_tokens: args.max_tokens, uniform: args.any };
    let sampler = Sampler::new(&grammar, options);
    for number in 0..args.count {
        let sample = sampler
            .draw(number)
            .map_err(|source| Failure::Found(Problem::Sample { number, source }))?;
        output.answer(&SampleText(sample.text))?;
    }
    Ok(0)
}
