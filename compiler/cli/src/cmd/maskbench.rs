//! `grammarc maskbench`: judges a folder of schemas with valid and invalid instances, as MaskBench has them.
//!
//! Schemas are compiled one after the other, so that the times are those of one compilation.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use grammarc::maskbench::{self, Judge, Judged, MaskbenchError, Totals};
use grammarc_compiler::frontend::json_schema::{JsonSchemaOptions, KeyOrder, TextForm};
use grammarc_compiler::vocabulary::{self, VocabularyOptions};

use crate::args::ThreadArgs;
use crate::cmd::compile::LimitArgs;
use crate::failure::{Failure, Problem};
use crate::output::Output;
use crate::progress::Progress;
use crate::text_form::TextFormArgs;
use crate::vocabularies;

/// Arguments of `maskbench`.
///
/// Instances are written as Python's `json.dumps` writes them, and split into tokens by the tokenizer itself. Unless
/// flags say otherwise, that is the text form of the schemas too: spaced, numbers in any form, keys in any order.
#[derive(Debug, Args)]
pub(crate) struct MaskbenchArgs {
    /// Folder of .json files, each with a `schema` and `tests` of `data` and `valid`
    folder: PathBuf,

    /// Tokenizer: a folder with a tokenizer.json, or that file
    #[arg(long, value_name = "TOKENIZER")]
    tokenizer: PathBuf,

    /// File for one JSON object a line and schema: its id, compile time, report, verdicts and mask times
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,

    /// Only schemas whose id has this in it
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Every Nth schema only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    step: u16,

    #[command(flatten)]
    text: TextFormArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

pub(crate) fn run(args: MaskbenchArgs, output: &mut Output) -> Result<u8, Failure> {
    let mut paths = maskbench::files(&args.folder).map_err(Problem::Maskbench)?;
    if let Some(text) = &args.only {
        paths.retain(|path| path.file_stem().is_some_and(|id| id.to_string_lossy().contains(text)));
    }
    let paths: Vec<_> = paths.iter().step_by(args.step.into()).collect();
    let progress = Progress::new(output);
    let judge = args.judge(&progress)?;
    let mut lines = args.json.as_deref().map(Lines::create).transpose()?;
    let mut totals = Totals::default();
    for path in &paths {
        let case = maskbench::read(path).map_err(Problem::Maskbench)?;
        progress.phase(format!("{} ({} of {})", case.id, totals.schemas + 1, paths.len()));
        let judged = judge.judge(&case);
        if let Some(lines) = &mut lines {
            lines.write(&judged)?;
        }
        totals.add(judged);
    }
    if let Some(lines) = lines {
        lines.finish()?;
    }
    drop(progress);
    totals.finish();
    let code = u8::from(!totals.wrong.is_empty());
    output.answer(&totals)?;
    Ok(code)
}

impl MaskbenchArgs {
    fn judge(&self, progress: &Progress) -> Result<Judge, Failure> {
        let spec = self.tokenizer.to_string_lossy();
        progress.phase(format!("importing {spec}"));
        let table = vocabulary::import(&spec, &VocabularyOptions::new())?;
        progress.phase(format!("computing the shared masks of {}", table.name));
        let vocabulary = vocabularies::in_memory(&table, &spec, self.threads.count())?;
        let mut schemas = JsonSchemaOptions {
            text: TextForm::DUMPS,
            key_order: KeyOrder::Any,
            ..JsonSchemaOptions::default()
        };
        self.text.apply(&mut schemas)?;
        let limits = self.limits.clone();
        let judge = Judge::new(vocabulary, &self.tokenizer, schemas, limits.options());
        let judge = judge.map_err(Problem::Maskbench)?;
        Ok(judge.on_threads(self.threads.count()).within(move || limits.budget()))
    }
}

/// The file with a line for each schema.
struct Lines<'p> {
    path: &'p Path,
    file: BufWriter<File>,
}

impl<'p> Lines<'p> {
    fn create(path: &'p Path) -> Result<Self, Problem> {
        let file = File::create(path).map_err(|source| unwritten(path, source))?;
        Ok(Self { path, file: BufWriter::new(file) })
    }

    fn write(&mut self, judged: &Judged) -> Result<(), Problem> {
        let written = serde_json::to_writer(&mut self.file, judged).map_err(io::Error::from);
        let written = written.and_then(|()| writeln!(self.file));
        written.map_err(|source| unwritten(self.path, source))
    }

    fn finish(mut self) -> Result<(), Problem> {
        self.file.flush().map_err(|source| unwritten(self.path, source))
    }
}

fn unwritten(path: &Path, source: io::Error) -> Problem {
    MaskbenchError::Write { path: path.to_owned(), source }.into()
}
