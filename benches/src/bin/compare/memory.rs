//! Peak memory of compiling.
//!
//! Each schema is compiled by a process of its own, which opens the vocabulary, compiles, and prints its peak
//! resident memory. The baseline is a process that compiles the schema `true`. So nothing depends on what an
//! allocator keeps from an earlier schema.

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use grammarc_artifacts::VocabularyArtifact;
use grammarc_benches::ours::{Ours, Text};
use grammarc_benches::table::{Samples, Table};
use grammarc_compiler::compile::CompileOptions;

use crate::Bench;
use crate::report::Report;

/// The schema of the baseline process.
const NOTHING: &str = "true";

pub(crate) fn run(bench: &Bench, report: &mut Report) -> io::Result<()> {
    writeln!(report, "\n## Memory\n")?;
    let folder = tempfile::tempdir()?;
    let vocabulary = folder.path().join("vocabulary.gvocab");
    let bytes = bench.ours.artifact().container().buffer();
    grammarc_artifacts::write::replace(&vocabulary, bytes).map_err(io::Error::other)?;
    let peak = |schema: &str| peak_of(&vocabulary, folder.path(), schema);
    let Some(least) = peak(NOTHING)? else {
        return writeln!(report, "not measured: the system does not say");
    };
    let (mut whole, mut own) = (Samples::default(), Samples::default());
    for case in &bench.cases {
        let Some(most) = peak(&case.schema.to_string())? else { continue };
        whole.push(most);
        own.push((most - least).max(0.0));
    }
    writeln!(
        report,
        "{} schemas, each compiled by a process of its own on one thread; MB resident at most\n",
        whole.len()
    )?;
    let mut table = Table::new("peak memory");
    table.row("the process, with the mapped vocabulary", &whole);
    table.row("more than a process that compiles `true`", &own);
    write!(report, "{table}")
}

/// Peak resident memory of a process, in megabytes. `None` if the system does not report it.
fn peak_of(vocabulary: &Path, folder: &Path, schema: &str) -> io::Result<Option<f64>> {
    let path = folder.join("schema.json");
    grammarc_artifacts::write::replace(&path, schema.as_bytes()).map_err(io::Error::other)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--alone").args([vocabulary, &path]);
    let output = command.output()?;
    if !output.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse().ok())
}

/// Compiles a schema and prints the most megabytes that this process had resident, or nothing.
pub(crate) fn alone(vocabulary: &Path, schema: &Path) -> io::Result<()> {
    let vocabulary = VocabularyArtifact::open(vocabulary).map_err(io::Error::other)?;
    let ours = Ours::new(vocabulary, 1);
    let text = std::fs::read_to_string(schema)?;
    let compiled = ours.compile(Text::JsonSchema(&text), &CompileOptions::default());
    compiled
        .and_then(|compiled| compiled.to_buffer(&ours.compiler).map_err(|error| error.to_string()))
        .map_err(io::Error::other)?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    match kib {
        Some(kib) => writeln!(io::stdout(), "{}", kib * 1024.0 / 1e6),
        None => Ok(()),
    }
}
