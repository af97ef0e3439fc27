//! The verbs (subcommands): their arguments, their actions, and the data of their answers.

pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod completions;
pub(crate) mod cost;
pub(crate) mod debug;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod facts;
pub(crate) mod inspect;
#[cfg(feature = "outputs")]
pub(crate) mod jsonl;
pub(crate) mod keywords;
pub(crate) mod lint;
pub(crate) mod lower;
#[cfg(feature = "models")]
pub(crate) mod models;
#[cfg(feature = "outputs")]
mod outputs;
#[cfg(feature = "outputs")]
pub(crate) mod repair;
pub(crate) mod sample;
pub(crate) mod view;
pub(crate) mod vocab;
pub(crate) mod witness;

use clap::Subcommand;

use crate::failure::Failure;
use crate::output::Output;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Import a tokenizer and write its vocabulary artifact
    Vocab(vocab::VocabArgs),
    /// Compile a JSON Schema, a GBNF grammar or a regular expression
    Compile(Box<compile::CompileArgs>),
    /// Build a folder of artifacts from a manifest: sources times vocabularies
    Build(build::BuildArgs),
    /// Show what is inside an artifact
    Inspect(inspect::InspectArgs),
    /// Check texts against a compiled grammar
    Check(check::CheckArgs),
    /// Compare two JSON Schemas or lists of tools: what one allows and the other refuses
    Diff(diff::DiffArgs),
    /// Explain where a text is refused, by which keyword, and what may come there
    Explain(Box<explain::ExplainArgs>),
    /// Find instances of a JSON Schema at its edges, and texts just outside
    Witness(witness::WitnessArgs),
    /// Show which parts of a schema take which share of the artifact
    Cost(Box<cost::CostArgs>),
    /// Check a JSON Schema or a list of tools: what providers and engines do with it
    Lint(lint::LintArgs),
    /// Rewrite a JSON Schema so that a provider or engine takes it, and say how both relate
    Lower(lower::LowerArgs),
    /// Write a page that shows the automaton of an artifact
    View(view::ViewArgs),
    /// Draw random outputs of a compiled grammar
    Sample(sample::SampleArgs),
    /// Make JSON of a text that is nearly JSON, and show the edits
    #[cfg(feature = "outputs")]
    Repair(repair::RepairArgs),
    /// Read the items of a text with one JSON value a line
    #[cfg(feature = "outputs")]
    Jsonl(jsonl::JsonlArgs),
    /// Generate with a model, under a schema or a grammar
    #[cfg(feature = "models")]
    Generate(Box<models::generate::GenerateArgs>),
    /// Serve a model in OpenAI's protocol
    #[cfg(feature = "models")]
    Serve(Box<models::serve::ServeArgs>),
    /// Fetch a small model
    #[cfg(feature = "models")]
    Model(models::fetch::ModelArgs),
    /// Show what becomes of each keyword and format of JSON Schema
    Keywords(keywords::KeywordsArgs),
    /// Show what the compiler makes of a source, and what the runtime makes of an artifact
    #[command(subcommand)]
    Debug(debug::DebugCommand),
    /// Write a completion script for a shell
    Completions(completions::CompletionsArgs),
}

/// Runs a verb (subcommand) and returns the exit code. `whole` builds the description of the
/// complete command line.
pub(crate) fn run(
    command: Command,
    whole: fn() -> clap::Command,
    output: &mut Output,
) -> Result<u8, Failure> {
    match command {
        Command::Vocab(args) => vocab::run(args, output),
        Command::Compile(args) => compile::run(*args, output),
        Command::Build(args) => build::run(args, output),
        Command::Inspect(args) => inspect::run(args, output),
        Command::Check(args) => check::run(args, output),
        Command::Diff(args) => diff::run(args, output),
        Command::Explain(args) => explain::run(*args, output),
        Command::Witness(args) => witness::run(args, output),
        Command::Cost(args) => cost::run(*args, output),
        Command::Lint(args) => lint::run(args, output),
        Command::Lower(args) => lower::run(args, output),
        Command::View(args) => view::run(args, output),
        Command::Sample(args) => sample::run(args, output),
        #[cfg(feature = "outputs")]
        Command::Repair(args) => repair::run(args, output),
        #[cfg(feature = "outputs")]
        Command::Jsonl(args) => jsonl::run(args, output),
        #[cfg(feature = "models")]
        Command::Generate(args) => models::generate::run(*args, output),
        #[cfg(feature = "models")]
        Command::Serve(args) => models::serve::run(*args, output),
        #[cfg(feature = "models")]
        Command::Model(args) => models::fetch::run(args, output),
        Command::Keywords(args) => keywords::run(args, output),
        Command::Debug(command) => debug::run(command, output),
        Command::Completions(args) => completions::run(args, whole(), output),
    }
}
