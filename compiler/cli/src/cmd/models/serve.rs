//! `grammarc serve`: a model behind OpenAI's protocol.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use grammarc_generate::prompts::PromptManager;
use grammarc_server::{ServeError, ServerOptions, serve_loading};
use serde::Serialize;
use tracing_subscriber::EnvFilter;

use super::open::OpenArgs;
use crate::cmd::outputs;
use crate::failure::{Failure, Problem};
use crate::output::Output;

/// The environment's variable with keys, one a line.
const KEYS: &str = "GRAMMARC_API_KEYS";

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    open: OpenArgs,
    /// Address and port to listen on; an address other than 127.0.0.1 is open to other machines
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The model's name in replies [default: the file's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Outputs that are generated side by side
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,
    /// Tokens of an output where a request does not say
    #[arg(long, value_name = "N", default_value_t = 1024)]
    max_tokens: usize,
    /// How the model writes calls of tools
    #[arg(long, value_name = "STYLE", default_value = "qwen_3")]
    tool_style: String,
    /// The tags of the model's reasoning, such as <think> </think>
    #[arg(long, num_args = 2, value_names = ["OPEN", "CLOSE"])]
    reasoning: Option<Vec<String>>,
    /// Longest time of a request in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    deadline: u64,
    /// Prompts that are served by name: a JSON object of texts, with `template-index` and `template.<id>` among them
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// Lines of the log, as RUST_LOG has them: off, warn, info (a line a request), debug, or levels by target [default:
    /// RUST_LOG, else info]
    #[arg(long, value_name = "LEVEL")]
    log: Option<String>,
    /// A key that clients present; without one, and none in GRAMMARC_API_KEYS, all are let in
    #[arg(long, value_name = "KEY")]
    api_key: Vec<String>,
}

/// The news that the server listens, and its model is there.
#[derive(Debug, Serialize)]
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    pub(crate) model: String,
}

/// Waits until somebody ends the process: by an interrupt, or as service managers do.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                // Without an interrupt to wait for, the process ends as it may.
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Writes the log to standard error, at the level that was asked for.
fn log(level: Option<String>) -> Result<(), Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::Tool(Problem::Option { option: "--log", problem: error.to_string() })
    };
    let set = std::env::var(EnvFilter::DEFAULT_ENV).ok().filter(|set| !set.is_empty());
    let level = level.or(set).unwrap_or_else(|| "info".to_owned());
    let filter = EnvFilter::try_new(level).map_err(|error| wrong(&error))?;
    let is_terminal = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(is_terminal);
    log.with_writer(std::io::stderr).try_init().map_err(|error| wrong(&error))
}

/// The prompts of a file.
fn prompts(path: &Path) -> Result<PromptManager, Failure> {
    let wrong = |problem: String| Failure::Tool(Problem::Option { option: "--prompts", problem });
    let config = serde_json::from_str(&outputs::text(path)?);
    let config =
        config.map_err(|error| wrong(format!("it is no JSON object of texts: {error}")))?;
    PromptManager::load(&config).map_err(|error| wrong(error.to_string()))
}

/// Serves until it is interrupted.
pub(crate) fn run(args: ServeArgs, output: &mut Output) -> Result<u8, Failure> {
    log(args.log)?;
    let prompts = args.prompts.as_deref().map(prompts).transpose()?.map(Arc::new);
    let mut keys = args.api_key;
    let set = std::env::var(KEYS).unwrap_or_default();
    keys.extend(set.lines().map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned));
    args.open.path()?;
    let options = ServerOptions {
        address: args.listen,
        model: args.name.unwrap_or_else(|| args.open.name()),
        keys,
        max_tokens: args.max_tokens,
        tool_style: args.tool_style,
        prompts,
        reasoning: args
            .reasoning
            .and_then(|tags| tags.try_into().ok())
            .map(|[open, close]: [String; 2]| (open, close)),
        deadline: Some(Duration::from_secs(args.deadline)),
        ..ServerOptions::default()
    };
    let failed = |error: std::io::Error| {
        Failure::Tool(Problem::Option { option: "--listen", problem: error.to_string() })
    };
    let runtime = tokio::runtime::Runtime::new().map_err(failed)?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(options.address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let listening = Listening { address, model: options.model.clone() };
        let open = args.open;
        let parallel = args.parallel.into();
        let load = move || {
            let backend = open.open(parallel)?;
            options.check(&backend).map_err(|error| {
                Failure::Tool(Problem::Option { option: "--tool-style", problem: error.reason })
            })?;
            Ok((backend, options))
        };
        serve_loading(listener, load, || output.answer(&listening), interrupted()).await.map_err(
            |error| match error {
                ServeError::Listener(error) => failed(error),
                ServeError::Load(failure) => failure,
            },
        )
    });
    // An interrupted server does not wait for a model that is loading.
    runtime.shutdown_background();
    served.map(|()| 0)
}
