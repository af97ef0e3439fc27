//! `grammarc maskbench`: judges a folder of schemas with valid and invalid instances, as MaskBench has them.
//!
//! Each file holds a `schema` and `tests`, each with `data` and `valid`. Instances are written as Python's `json.dumps`
//! writes them, split into tokens by the tokenizer itself, and led through the masks. Schemas are compiled one after
//! the other, so that the times are those of one compilation.

mod case;
mod dumps;
mod judge;
mod tokens;
mod totals;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use grammarc_artifacts::VocabularyArtifact;
use grammarc_compiler::compile::Compiler;
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, TextForm};
use grammarc_compiler::vocabulary::{self, VocabularyOptions};

use crate::args::ThreadArgs;
use crate::cmd::compile::LimitArgs;
use crate::failure::{Failure, Problem};
use crate::output::Output;
use crate::progress::Progress;
use crate::text_form::TextFormArgs;
use crate::vocabularies;

use judge::Judge;
use tokens::Tokens;
pub(crate) use totals::{Percentiles, Totals, Wrong};

/// Arguments of `maskbench`.
#[derive(Debug, Args)]
pub(crate) struct MaskbenchArgs {
    /// Folder of .json files, each with a `schema` and `tests` of `data` and `valid`
    folder: PathBuf,

    /// Tokenizer: a folder with a tokenizer.json, or that file
    #[arg(long, value_name = "TOKENIZER")]
    tokenizer: String,

    /// File for one JSON object a line and schema: its id, compile time, report, verdicts and mask times
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,

    /// Only schemas whose id has this in it
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Every Nth schema only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    step: u16,

    // Without flags, the text form is what the instances are written in.
    #[command(flatten)]
    text: TextFormArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

pub(crate) fn run(args: MaskbenchArgs, output: &mut Output) -> Result<u8, Failure> {
    args.threads.start()?;
    let mut paths = case::files(&args.folder)?;
    let wanted = |path: &PathBuf| match &args.only {
        Some(text) => path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(text)),
        None => true,
    };
    paths.retain(wanted);
    let progress = Progress::new(output);
    progress.phase(format!("importing {}", args.tokenizer));
    let judge = args.judge(&progress)?;
    let mut lines = match &args.json {
        None => None,
        Some(path) => Some(BufWriter::new(File::create(path).map_err(|e| unwritten(path, e))?)),
    };
    let mut totals = Totals::default();
    for path in paths.iter().step_by(args.step.into()) {
        let case = case::read(path)?;
        progress.phase(format!("{} ({} of {})", case.id, totals.schemas + 1, paths.len()));
        let judged = judge.judge(&case);
        if let (Some(lines), Some(path)) = (&mut lines, &args.json) {
            serde_json::to_writer(&mut *lines, &judged)
                .map_err(|error| unwritten(path, error.into()))?;
            writeln!(lines).map_err(|error| unwritten(path, error))?;
        }
        totals.add(judged);
    }
    if let (Some(mut lines), Some(path)) = (lines, &args.json) {
        lines.flush().map_err(|error| unwritten(path, error))?;
    }
    drop(progress);
    totals.finish();
    let code = u8::from(!totals.wrong.is_empty());
    output.answer(&totals)?;
    Ok(code)
}

fn unwritten(path: &std::path::Path, source: std::io::Error) -> Problem {
    Problem::WriteFile { name: path.display().to_string(), source }
}

impl MaskbenchArgs {
    fn judge(&self, progress: &Progress) -> Result<Judge, Failure> {
        let table = vocabulary::import(&self.tokenizer, &VocabularyOptions::new())?;
        progress.phase(format!("computing the shared masks of {}", table.name));
        let bytes = vocabularies::bytes(&table, &self.tokenizer)?;
        let artifact = VocabularyArtifact::from_buffer(bytes)
            .map_err(|error| vocabularies::damaged(self.tokenizer.as_ref(), error))?;
        let mut schema_options =
            JsonSchemaOptions { text: TextForm::DUMPS, ..JsonSchemaOptions::default() };
        self.text.apply(&mut schema_options);
        Ok(Judge {
            tokens: Tokens::open(&self.tokenizer, artifact.clone())?,
            compiler: Compiler::new(artifact),
            schema_options,
            compile_options: self.limits.options().without_token_digests(),
        })
    }
}
