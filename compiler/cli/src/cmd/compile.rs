//! `grammarc compile`: compiles a source for a vocabulary to a grammar artifact.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use grammarc_artifacts::{GrammarArtifact, VocabularyArtifact, dump, write};
use grammarc_compiler::budget::{self, Budget};
use grammarc_compiler::cache::{Cache, CacheOptions, Content, KeepError, Key, Layer};
use grammarc_compiler::compile::{CompileOptions, Compiler};
use grammarc_compiler::controls::ControlTokens;
use grammarc_compiler::diagnostics::Diagnostic;
use grammarc_compiler::ir::Lowered;
use grammarc_compiler::masks::MaskLimits;
use grammarc_compiler::network::NetworkLimits;
use serde::Serialize;

use crate::args::{ThreadArgs, VocabularyArgs};
use crate::cmd::facts::Facts;
use crate::failure::{Failure, Problem};
use crate::frontend::{Request, SourceArgs, built_in};
use crate::output::{Output, Tally};
use crate::progress::Progress;
use crate::vocabularies::{self, Chosen, damaged};

/// Arguments of `compile`.
#[derive(Debug, Args)]
pub(crate) struct CompileArgs {
    #[command(flatten)]
    source: SourceArgs,

    #[command(flatten)]
    vocabulary: VocabularyArgs,

    /// Grammar artifact to write [default: the source's name with the extension .gmask]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Embed the vocabulary in the artifact, which then opens by itself
    ///
    /// Without this an artifact is opened with the vocabulary artifact, and many grammars share one.
    #[arg(long)]
    standalone: bool,

    /// Folder that keeps artifacts
    ///
    /// A source that was compiled before, for the same vocabulary and with the same options, is taken from there: it is
    /// not read again, and what was found in it is not repeated. The folder is made where it does not exist; any file in
    /// it may be deleted at any time.
    ///
    /// Artifacts that `grammarc build` made in the folders that the environment variable GRAMMARC_ARTIFACTS lists are taken
    /// first, with this option or without.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// Maximum size of the folder in MiB; beyond it, the artifacts unused for the longest time are
    /// deleted [default: 4096]
    #[arg(long, value_name = "MIB", requires = "cache")]
    cache_limit: Option<u64>,

    /// Leave out the places of states in the source, which explain refused tokens: some hundredths of the artifact
    #[arg(long)]
    no_places: bool,

    /// Also print all facts behind the report
    ///
    /// These are every approximate and narrower keyword with its reason, the sizes of the automata, masks and sections, and
    /// the bounds on the cost of a step.
    #[arg(short, long)]
    verbose: bool,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

/// Bounds on a compilation. The defaults are far above what real sources need.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Time limit in seconds [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,

    /// Limit on the memory for tables and automata, in MiB, as estimated [default: 1024]
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<usize>,

    /// Maximum number of states of all rules together [default: 1000000]
    #[arg(long, value_name = "N")]
    max_states: Option<usize>,

    /// Maximum number of states of one rule [default: 200000]
    #[arg(long, value_name = "N")]
    max_rule_states: Option<usize>,

    /// Maximum number of rules [default: 200000]
    #[arg(long, value_name = "N")]
    max_rules: Option<usize>,

    /// Maximum number of pairs of a state to return to after a call and a way to leave the called
    /// rule [default: 2000000]
    #[arg(long, value_name = "N")]
    max_pairs: Option<usize>,

    /// Maximum number of dense mask rows (one bit for each token) [default: 16384]
    #[arg(long, value_name = "N")]
    max_rows: Option<usize>,
}

/// The grammar artifact that was compiled, with the facts for the report.
#[derive(Debug, Serialize)]
pub(crate) struct CompiledFile {
    pub(crate) path: PathBuf,
    /// Whether the artifact was found in the cache.
    pub(crate) cached: bool,
    pub(crate) vocabulary_file: VocabularyFile,
    pub(crate) seconds: Seconds,
    #[serde(flatten)]
    pub(crate) facts: Facts,
    /// Length in bytes of the artifact without its vocabulary. `None` if the artifact does not
    /// embed the vocabulary.
    #[serde(skip)]
    pub(crate) without_vocabulary: Option<u64>,
    /// Counts of the warnings and notes that were shown.
    #[serde(skip)]
    pub(crate) shown: Tally,
    /// Whether the report for people lists all facts (`--verbose`).
    #[serde(skip)]
    pub(crate) verbose: bool,
}

/// The vocabulary artifact that the grammar was compiled for.
#[derive(Debug, Serialize)]
pub(crate) struct VocabularyFile {
    pub(crate) path: PathBuf,
    /// Whether this run of the command wrote the vocabulary artifact.
    pub(crate) built: bool,
}

/// Wall times of the steps, in seconds.
#[derive(Debug, Serialize)]
pub(crate) struct Seconds {
    pub(crate) vocabulary: f64,
    /// Time from the source text to the artifact with all masks.
    pub(crate) compile: f64,
    pub(crate) total: f64,
}

pub(crate) fn run(args: CompileArgs, output: &mut Output) -> Result<u8, Failure> {
    let started = Instant::now();
    let path = args.output_path()?;
    let progress = Progress::new(output);

    progress.phase("reading the source");
    let request = args.source.read()?;
    let budget = args.limits.budget();
    let cache = args.cache()?;
    let layers = Layer::from_environment().map_err(Problem::Layer)?;
    // A rejected source should not wait for a vocabulary. With a cache or layer, the source may not
    // have to be compiled at all.
    let waits = cache.is_some()
        || !layers.is_empty()
        || request.front_end.depends_on_vocabulary(&request.source);
    let lowered = match waits {
        true => None,
        false => Some(lower(&request, &ControlTokens::default(), &budget, output)?),
    };
    let reading = started.elapsed();

    let opening = Instant::now();
    let Chosen { artifact: vocabulary, path: vocabulary_path, built } =
        vocabularies::choose(&args.vocabulary, &path, &progress, output, args.threads.count())?;
    let opening = opening.elapsed();

    progress.phase(format!("compiling {}", request.source.name));
    let compiling = Instant::now();
    // The time spent on the vocabulary does not count against the time limit of the source.
    let budget = args.limits.budget_after(reading);
    let mut options = args.limits.options().places(!args.no_places);
    for (key, value) in &request.options {
        options = options.record(*key, value);
    }
    let entry = cache.map(|cache| {
        let key = Key::new(&vocabulary, &request.front_end, &request.source, &options);
        (cache, key)
    });
    let found = in_layers(&layers, &request, &vocabulary)?;
    let kept = || entry.as_ref().and_then(|(cache, key)| cache.get(key, &vocabulary));
    let found = found.or_else(kept);
    let cached = found.is_some();
    let artifact = match found {
        Some(artifact) => artifact,
        None => {
            let lowered = match lowered {
                Some(lowered) => lowered,
                None => {
                    let controls = request.front_end.controls(&request.source, &vocabulary);
                    lower(&request, &controls, &budget, output)?
                }
            };
            let compiler = Compiler::on_threads(vocabulary, args.threads.count());
            let artifact = compile(&compiler, &request, &lowered, &options, &budget, output)?;
            if let Some((cache, key)) = &entry {
                keep(cache, key, &artifact, &request, output)?;
            }
            artifact
        }
    };
    let without_vocabulary = args.standalone.then(|| artifact.container().buffer().len() as u64);
    let buffer = match args.standalone {
        true => artifact.to_standalone().map_err(|error| damaged(&path, error))?,
        false => artifact.container().buffer().clone(),
    };
    write::replace(&path, &buffer).map_err(|error| damaged(&path, error))?;
    let inspection = dump::inspect(buffer).map_err(|error| damaged(&path, error))?;
    let compiling = reading + compiling.elapsed();
    drop(progress);

    output.answer(&CompiledFile {
        path,
        cached,
        vocabulary_file: VocabularyFile { path: vocabulary_path, built },
        seconds: Seconds {
            vocabulary: opening.as_secs_f64(),
            compile: compiling.as_secs_f64(),
            total: started.elapsed().as_secs_f64(),
        },
        facts: Facts::new(inspection),
        without_vocabulary,
        shown: output.shown().clone(),
        verbose: args.verbose,
    })?;
    Ok(0)
}

/// Returns the artifact for the request from the first layer (output folder of `grammarc build`)
/// that has it. Fails if the artifact's report contains a denied keyword.
fn in_layers(
    layers: &[Layer],
    request: &Request,
    vocabulary: &VocabularyArtifact,
) -> Result<Option<GrammarArtifact>, Failure> {
    if layers.is_empty() {
        return Ok(None);
    }
    let content = Content::new(vocabulary, &request.front_end, &request.source.text);
    let found = layers.iter().find_map(|layer| layer.get(&content, vocabulary));
    if let Some(artifact) = &found {
        request.check_report(&artifact.meta().report)?;
    }
    Ok(found)
}

/// Stores an artifact in the cache. Fails if the folder cannot be written.
fn keep(
    cache: &Cache,
    key: &Key,
    artifact: &GrammarArtifact,
    request: &Request,
    output: &mut Output,
) -> Result<(), Failure> {
    match cache.put(key, artifact.container().buffer()) {
        Ok(()) => Ok(()),
        Err(KeepError::Write(error)) => {
            Err(damaged(cache.folder().unwrap_or(Path::new("")), error).into())
        }
        Err(error @ KeepError::TooLarge { .. }) => {
            let warning = Diagnostic::warning("cache::too-large", error.to_string());
            output.diagnostics(&request.source, &[warning.with_help("raise --cache-limit")])
        }
    }
}

/// Returns the grammar of the source and shows the source's warnings and notes. Fails if the source
/// has errors.
fn lower(
    request: &Request,
    controls: &ControlTokens,
    budget: &Budget,
    output: &mut Output,
) -> Result<Lowered, Failure> {
    let lowered = request.lower_for(controls, budget)?;
    output.diagnostics(&lowered.source, &lowered.findings)?;
    Ok(lowered)
}

/// Compiles a grammar to an artifact, and opens the artifact from its bytes as a later reader will.
fn compile(
    compiler: &Compiler,
    request: &Request,
    lowered: &Lowered,
    options: &CompileOptions,
    budget: &Budget,
    output: &mut Output,
) -> Result<GrammarArtifact, Failure> {
    let source = &request.source;
    let refused = |diagnostics| Failure::Refused { source: source.clone(), diagnostics };
    let compiled = compiler.compile_lowered(&request.with(options), lowered, budget);
    let compiled = compiled.map_err(refused)?;
    output.diagnostics(source, &compiled.findings)?;
    let buffer = compiled.to_buffer(compiler);
    let buffer = buffer.map_err(|error| refused(vec![error.to_diagnostic()]))?;
    // An artifact that cannot be opened is not written.
    let artifact = GrammarArtifact::from_buffer(buffer, compiler.vocabulary());
    Ok(artifact.map_err(|error| damaged(Path::new(&*source.name), error))?)
}

impl CompileArgs {
    /// Opens the folder of the cache. `None` if no cache was requested. The command needs one
    /// artifact, so the cache keeps none in memory.
    fn cache(&self) -> Result<Option<Cache>, Problem> {
        let Some(folder) = &self.cache else { return Ok(None) };
        let mut options = CacheOptions::new().folder(folder).memory_entries(0);
        if let Some(limit) = self.cache_limit {
            options = options.folder_bytes(limit.saturating_mul(1 << 20));
        }
        Cache::open(options).map(Some).map_err(|error| damaged(folder, error))
    }

    fn output_path(&self) -> Result<PathBuf, Problem> {
        match &self.output {
            Some(path) => Ok(path.clone()),
            None if self.source.source == Path::new("-") => Err(Problem::Option {
                option: "-o",
                problem: "is needed for a source from standard input".to_owned(),
            }),
            None => {
                let source = &self.source.source;
                let name = built_in(source).map_or(source.as_path(), Path::new);
                Ok(name.with_extension("gmask"))
            }
        }
    }
}

impl LimitArgs {
    pub(crate) fn options(&self) -> CompileOptions {
        let network = NetworkLimits::default();
        let masks = MaskLimits::default();
        CompileOptions::default()
            .network_limits(NetworkLimits {
                rule_states: self.max_rule_states.unwrap_or(network.rule_states),
                states: self.max_states.unwrap_or(network.states),
                rules: self.max_rules.unwrap_or(network.rules),
                ..network
            })
            .mask_limits(MaskLimits {
                pairs: self.max_pairs.unwrap_or(masks.pairs),
                rows: self.max_rows.unwrap_or(masks.rows),
            })
    }

    /// Returns the budget (time and memory) of a compilation that begins now.
    pub(crate) fn budget(&self) -> Budget {
        self.budget_after(Duration::ZERO)
    }

    /// Returns the budget of a compilation that has already spent the time `taken`.
    fn budget_after(&self, taken: Duration) -> Budget {
        let time = self.time_limit.unwrap_or(budget::TIME);
        let memory = self.memory_limit.map_or(budget::MEMORY, |mib| mib.saturating_mul(1 << 20));
        Budget::new().time_limit(time).already_taken(taken).memory_limit(memory)
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
