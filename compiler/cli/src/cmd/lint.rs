//! `grammarc lint`: reports how providers and engines treat a JSON Schema or a list of tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use grammarc_artifacts::write;
use grammarc_compiler::diagnostics::{Diagnostic, Source};
use grammarc_compiler::frontend::json_schema::relation::RelationOptions;
use grammarc_compiler::frontend::json_schema::witness::{WitnessOptions, witnesses};
use grammarc_portable::{
    Finding, Pack, Severity, Tool, check, check_request, notes, pack, packs, sarif, tools,
};
use serde::Serialize;
use serde_json::Value;

use crate::failure::{Failure, Problem};
use crate::input::read_source;
use crate::output::Output;

/// Arguments of `lint`.
#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// JSON Schema, or a list of tools as OpenAI, Anthropic or MCP write it; `-` is standard input
    source: PathBuf,
    /// Providers and engines, by name, separated by commas; `all` is every one
    ///
    /// Without it, only notes that hold everywhere are shown.
    #[arg(long = "for", value_name = "TARGET", value_delimiter = ',')]
    targets: Vec<String>,
    /// A file with a pack of rules, which replaces the built-in pack of its target or adds a target. May be given several
    /// times
    #[arg(long, value_name = "FILE")]
    pack: Vec<PathBuf>,
    /// The least severity that exits with 1
    #[arg(long, value_name = "SEVERITY", value_enum, default_value = "error")]
    fail_on: FailOn,
    /// Write the findings as SARIF 2.1.0 to a file
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Also find keywords, branches and values without effect; takes one comparison for each keyword
    #[arg(long)]
    exact: bool,
}

/// The least severity of findings that gives exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// The target refuses the request
    Error,
    /// The target accepts the request, and its output differs from what the schema says
    Loss,
    /// No source says what the target does
    Uncertain,
}

/// The findings about a schema or a list of tools.
#[derive(Debug, Serialize)]
pub(crate) struct Linted {
    pub(crate) file: String,
    pub(crate) targets: Vec<String>,
    pub(crate) findings: Vec<Finding>,
    /// JSON pointers to keywords without effect. Empty without `--exact`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) silent: Vec<String>,
    /// JSON pointers to branches and `enum` values without effect. Empty without `--exact`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) dead: Vec<String>,
}

/// Reads packs of rules from files. [`pack_of`] prefers them to the built-in packs.
pub(crate) fn own_packs(paths: &[PathBuf]) -> Result<Vec<Arc<Pack>>, Failure> {
    let of = |path: &PathBuf| {
        let source = read_source(path)?;
        Pack::parse(&source.text).map(Arc::new).map_err(|error| {
            let diagnostic = Diagnostic::error("portable::pack", error.to_string());
            Failure::Refused { source, diagnostics: vec![diagnostic] }
        })
    };
    paths.iter().map(of).collect()
}

/// Returns the pack of a target by its name or an alias, first from `own`, then from the built-in packs.
pub(crate) fn pack_of(name: &str, own: &[Arc<Pack>]) -> Result<Arc<Pack>, Failure> {
    let is_named =
        |pack: &&Arc<Pack>| pack.target == name || pack.aliases.iter().any(|alias| alias == name);
    match own.iter().find(is_named) {
        Some(own) => Ok(Arc::clone(own)),
        None => pack(name).map_err(|error| {
            Failure::Tool(Problem::Flag { flag: "for", problem: error.to_string() })
        }),
    }
}

/// Parses a source as JSON. Fails with a diagnostic if it is not JSON.
pub(crate) fn parsed(source: &Source) -> Result<Value, Failure> {
    serde_json::from_str(&source.text).map_err(|error| {
        let diagnostic = Diagnostic::error("portable::syntax", format!("no JSON: {error}"));
        Failure::Refused { source: source.clone(), diagnostics: vec![diagnostic] }
    })
}

/// Checks a schema or a list of tools. Returns exit code 1 if a finding has the severity `fail_on` or a higher one.
pub(crate) fn run(args: LintArgs, output: &mut Output) -> Result<u8, Failure> {
    let source = read_source(&args.source)?;
    let own = own_packs(&args.pack)?;
    let mut targets: Vec<Arc<Pack>> = Vec::new();
    for name in &args.targets {
        match name.as_str() {
            "all" => targets.extend(packs().iter().cloned()),
            name => targets.push(pack_of(name, &own)?),
        }
    }
    if args.targets.is_empty() {
        targets.extend(own);
    }
    let list = tools(&source.text);
    let schema = parsed(&source)?;
    let of_tools: Vec<(String, Value)> = list
        .into_iter()
        .flatten()
        .map(|(name, text)| (name, serde_json::from_str(&text).unwrap_or_default()))
        .collect();
    let mut findings = if of_tools.is_empty() { notes(&schema) } else { Vec::new() };
    for pack in &targets {
        findings.extend(match of_tools.is_empty() {
            true => check(&schema, pack),
            false => {
                let tools = of_tools.iter().map(|(name, schema)| Tool { name, schema });
                check_request(&tools.collect::<Vec<_>>(), pack, &RelationOptions::default())
            }
        });
    }
    let mut linted = Linted {
        file: source.name.to_string(),
        targets: targets.iter().map(|pack| pack.target.clone()).collect(),
        findings,
        silent: Vec::new(),
        dead: Vec::new(),
    };
    if args.exact && of_tools.is_empty() {
        let options = WitnessOptions { shortest: false, ..WitnessOptions::default() };
        let found = witnesses(&source, &options);
        let found = found
            .map_err(|diagnostics| Failure::Refused { source: source.clone(), diagnostics })?;
        (linted.silent, linted.dead) = (found.silent, found.dead);
    }
    if let Some(path) = &args.sarif {
        let text = format!("{:#}\n", sarif(&source, &linted.findings));
        let written = write::replace(path, text.as_bytes());
        written.map_err(|error| crate::vocabularies::damaged(path, error))?;
    }
    let least = match args.fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Loss => Severity::Loss,
        FailOn::Uncertain => Severity::Uncertain,
    };
    let code = u8::from(linted.findings.iter().any(|finding| finding.severity >= least));
    output.answer(&linted)?;
    Ok(code)
}

/// Whether a path names standard output.
pub(crate) fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}
