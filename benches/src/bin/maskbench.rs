//! Judges a folder of schemas with valid and invalid instances, in the format of MaskBench.
//!
//! Instances are written like Python's `json.dumps`, and tokenized by the tokenizer itself. Unless options say
//! otherwise, the schemas have the same text form: spaced, numbers in any form, keys in any order. Schemas are
//! compiled one after the other, so the times are those of single compilations.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use grammarc_artifacts::VocabularyArtifact;
use grammarc_benches::maskbench::{Judge, Percentiles, Totals, files, read};
use grammarc_compiler::budget::Budget;
use grammarc_compiler::compile::{CompileOptions, build_vocabulary};
use grammarc_compiler::frontend::json_schema::{TextForm, prelude_grammar};
use grammarc_compiler::frontend::settings::{Language, Settings};
use grammarc_compiler::vocabulary::{self, VocabularyOptions};

/// Default options of the schemas: the text form of `json.dumps`.
const OPTIONS: &str = r#"{"whitespace": "spaced", "numbers": "any", "key-order": "any"}"#;

/// Judges a folder of schemas with valid and invalid instances
#[derive(Debug, Parser)]
#[command(name = "maskbench")]
struct Arguments {
    /// Folder of .json files, each with a `schema` and `tests` of `data` and `valid`
    folder: PathBuf,

    /// Tokenizer: a folder with a tokenizer.json, or that file
    #[arg(long)]
    tokenizer: PathBuf,

    /// File for one JSON object a line and schema: its id, compile time, report, verdicts and mask times
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,

    /// Only schemas whose id has this in it
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Every Nth schema only
    #[arg(long, value_name = "N", default_value_t = NonZero::<usize>::MIN)]
    step: NonZero<usize>,

    /// Options of the schemas as a JSON object
    #[arg(long, value_name = "JSON", default_value = OPTIONS)]
    options: String,

    /// Threads of a compilation [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,

    /// Seconds that a schema may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    time_limit: f64,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::parse();
    let spec = arguments.tokenizer.to_string_lossy();
    let table = vocabulary::import(&spec, &VocabularyOptions::new())?;
    let rules = prelude_grammar(&TextForm::COMMON);
    let built = build_vocabulary(&table, &spec, &rules, arguments.threads)?;
    let vocabulary = VocabularyArtifact::from_buffer(built.to_bytes()?)?;
    let mut settings = Settings::read(Language::JsonSchema, &arguments.options)?;
    let schemas = settings.front_end.schemas().cloned().ok_or("schemas have options")?;
    let limit = Duration::try_from_secs_f64(arguments.time_limit)?;
    let judge = Judge::new(vocabulary, &arguments.tokenizer, schemas, CompileOptions::default())?
        .on_threads(arguments.threads)
        .within(move || Budget::new().time_limit(limit));

    let mut paths = files(&arguments.folder)?;
    if let Some(text) = &arguments.only {
        paths.retain(|path| path.file_stem().is_some_and(|id| id.to_string_lossy().contains(text)));
    }
    let mut lines = match &arguments.json {
        Some(path) => Some(BufWriter::new(File::create(path)?)),
        None => None,
    };
    let mut totals = Totals::default();
    for path in paths.iter().step_by(arguments.step.get()) {
        let judged = judge.judge(&read(path)?);
        if let Some(lines) = &mut lines {
            serde_json::to_writer(&mut *lines, &judged)?;
            writeln!(lines)?;
        }
        totals.add(judged);
    }
    if let Some(mut lines) = lines {
        lines.flush()?;
    }
    totals.finish();
    print(&totals, &mut io::stdout().lock())?;
    Ok(ExitCode::from(u8::from(!totals.wrong.is_empty())))
}

/// Writes the totals for people.
fn print(totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    for refused in &totals.refused {
        let place = refused.pointer.as_deref().unwrap_or_default();
        writeln!(out, "refused  {} {} {place}: {}", refused.id, refused.code, refused.message)?;
    }
    for wrong in &totals.wrong {
        let what = if wrong.valid { "valid and refused" } else { "invalid and accepted" };
        let error = wrong.error.as_ref().map_or(String::new(), |error| format!(", {error}"));
        writeln!(
            out,
            "wrong    {} test {}: {what} after {} of {} tokens{error} {}",
            wrong.id,
            wrong.test,
            wrong.at,
            wrong.tokens,
            wrong.inexact.join(", ")
        )?;
    }
    let accepted = totals.wrong.iter().filter(|wrong| !wrong.valid).count();
    let refused = totals.wrong.len() - accepted;
    writeln!(
        out,
        "{} of {} schemas compiled, {} of them with a keyword that is not exact",
        totals.compiled, totals.schemas, totals.inexact
    )?;
    writeln!(
        out,
        "{} valid instances, {refused} of them refused; {} invalid, {accepted} of them accepted; {} tokens",
        totals.valid, totals.invalid, totals.tokens
    )?;
    writeln!(out, "              p50        p90        p99      p99.9        max")?;
    for (name, figures, scale) in [
        ("compile, ms", &totals.compile_us, 1e-3),
        ("size, KB", &totals.artifact_bytes, 1e-3),
        ("mask, µs", &totals.mask_ns, 1e-3),
        ("fill, µs", &totals.fill_ns, 1e-3),
    ] {
        let Percentiles { p50, p90, p99, p999, max } = figures;
        write!(out, "{name:11}")?;
        for figure in [p50, p90, p99, p999, max] {
            write!(out, " {:>10.3}", figure * scale)?;
        }
        writeln!(out)?;
    }
    Ok(())
}
