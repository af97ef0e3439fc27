//! `grammarc serve`: serves a model over HTTP in OpenAI's protocol.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use grammarc_agents::prompts::PromptManager;
use grammarc_compiler::frontend::structural_tag::OnRefused;
use grammarc_server::{ListenOptions, Listener, ServeError, ServerOptions, serve_loading};
use serde::Serialize;
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;

use super::open::OpenArgs;
use crate::cmd::outputs;
use crate::failure::{Failure, Problem};
use crate::output::Output;

/// Environment variable that lists the keys that clients may present, one on each line.
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
    /// Number of outputs that are generated at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,
    /// Maximum number of tokens of an output whose request does not set it
    #[arg(long, value_name = "N", default_value_t = 1024)]
    max_tokens: usize,
    /// Notation in which the model writes tool calls
    #[arg(long, value_name = "STYLE", default_value = "qwen_3")]
    tool_style: String,
    /// What happens if a tool of a request does not compile: the whole `request` is refused; or `exclude` leaves out the
    /// tool; or `loosen` does not enforce the parts of its schema that do not compile
    #[arg(long, value_name = "WHAT", default_value = "request", value_parser = ["request", "exclude", "loosen"])]
    on_refused: String,
    /// A folder of artifacts, with its subfolders; requests may name an artifact in it by its digest, in place of a source
    #[arg(long, value_name = "FOLDER")]
    artifacts: Vec<PathBuf>,
    /// The tags of the model's reasoning, such as <think> </think>
    #[arg(long, num_args = 2, value_names = ["OPEN", "CLOSE"])]
    reasoning: Option<Vec<String>>,
    /// Reject keys that a schema does not declare, in objects with `properties` and without
    /// `additionalProperties`
    #[arg(long)]
    closed: bool,
    /// Time limit of a request in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    deadline: u64,
    /// Prompts that are served by name: a JSON object with `templates`, or a table with `template-index` and `template.<id>`
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,
    /// Level of the log, as in RUST_LOG: off, warn, info (a line for each request), debug, or
    /// levels by target [default: RUST_LOG, else info]
    #[arg(long, value_name = "LEVEL")]
    log: Option<String>,
    /// A key that clients have to present; without one, and if GRAMMARC_API_KEYS is not set, every
    /// client is accepted
    #[arg(long, value_name = "KEY")]
    api_key: Vec<String>,
    /// A host name that the server answers to, besides localhost and addresses; * for any. Behind a
    /// proxy, the name that clients use
    #[arg(long, value_name = "NAME")]
    allowed_host: Vec<String>,
    /// Maximum number of connections; at most three quarters of the file descriptors that the
    /// process may have
    #[arg(long, value_name = "N", default_value_t = ListenOptions::default().connections)]
    connections: usize,
    /// Maximum number of connections of one address; behind a proxy, all clients have the proxy's
    /// address
    #[arg(long, value_name = "N", default_value_t = ListenOptions::default().connections_of_address)]
    connections_per_address: usize,
    /// Time in seconds for requests in progress to finish after a signal; a second signal ends the
    /// server at once
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    drain: u64,
}

/// The message that the model is loaded and the server listens.
#[derive(Debug, Serialize)]
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    pub(crate) model: String,
}

/// Waits for a signal to end the process: an interrupt (Ctrl-C), or SIGTERM on Unix.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                // If Ctrl-C cannot be awaited, this wait ends at once, which counts as a signal.
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Starts a task that counts the signals to end the process. Returns the receiver of the count.
fn interruptions() -> watch::Receiver<u32> {
    let (count, counted) = watch::channel(0);
    tokio::spawn(async move {
        while !count.is_closed() {
            interrupted().await;
            count.send_modify(|count| *count += 1);
        }
    });
    counted
}

/// Waits until at least `count` signals to end the process have arrived.
async fn signals(mut counted: watch::Receiver<u32>, count: u32) {
    // The counting task runs as long as the runtime, so waiting does not fail.
    drop(counted.wait_for(|found| *found >= count).await);
}

/// Collects the API keys of the arguments and of the environment variable. An empty key, or a
/// variable without any key, is an error, because it would let every client in.
fn keys(given: Vec<String>) -> Result<Vec<String>, Failure> {
    let wrong = |option: &'static str, problem: &str| {
        Err(Failure::Tool(Problem::Option { option, problem: problem.to_owned() }))
    };
    if given.iter().any(|key| key.trim().is_empty()) {
        return wrong("--api-key", "a key is empty; leave the option out to let everybody in");
    }
    let Ok(set) = std::env::var(KEYS) else { return Ok(given) };
    let set = set.lines().map(str::trim).filter(|key| !key.is_empty());
    let keys: Vec<String> = given.into_iter().chain(set.map(str::to_owned)).collect();
    if keys.is_empty() {
        return wrong(KEYS, "it is set and has no key; unset it to let everybody in");
    }
    Ok(keys)
}

/// Starts writing the log to standard error, at the requested level: `--log`, else `RUST_LOG`, else
/// `info`. Fails if the level is invalid.
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

/// Reads the named prompts of a JSON file. Fails if the file is invalid.
fn prompts(path: &Path) -> Result<PromptManager, Failure> {
    let wrong = |problem: String| Failure::Tool(Problem::Option { option: "--prompts", problem });
    PromptManager::from_json(&outputs::text(path)?).map_err(|error| wrong(error.to_string()))
}

/// Runs the server until a signal ends it.
pub(crate) fn run(args: ServeArgs, output: &mut Output) -> Result<u8, Failure> {
    log(args.log)?;
    let prompts = args.prompts.as_deref().map(prompts).transpose()?.map(Arc::new);
    let keys = keys(args.api_key)?;
    args.open.path()?;
    let options = ServerOptions {
        model: args.name.unwrap_or_else(|| args.open.name()),
        keys,
        allowed_hosts: args.allowed_host,
        max_tokens: args.max_tokens,
        tool_style: args.tool_style,
        on_refused: OnRefused::NAMED
            .into_iter()
            .find(|(name, _)| *name == args.on_refused)
            .map_or_else(OnRefused::default, |(_, value)| value),
        artifacts: args.artifacts,
        closed: args.closed,
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
        let socket = tokio::net::TcpListener::bind(args.listen).await.map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        let listener = Listener {
            socket,
            options: ListenOptions {
                connections: args.connections,
                connections_of_address: args.connections_per_address,
                drain_time: Duration::from_secs(args.drain),
                ..ListenOptions::default()
            },
        };
        let listening = Listening { address, model: options.model.clone() };
        let open = args.open;
        let parallel = args.parallel.into();
        let load = move || {
            let backend = open.open(parallel)?;
            options.check(&backend).map_err(|error| {
                let option = if error.option == "keys" { "--api-key" } else { "--tool-style" };
                Failure::Tool(Problem::Option { option, problem: error.reason })
            })?;
            Ok((backend, options))
        };
        let interruptions = interruptions();
        let first = signals(interruptions.clone(), 1);
        let ready = || output.answer(&listening);
        let served = tokio::select! {
            served = serve_loading(listener, load, ready, first) => served,
            () = signals(interruptions, 2) => Ok(()),
        };
        served.map_err(|error| match error {
            ServeError::Listener(error) => failed(error),
            ServeError::Load(failure) => failure,
        })
    });
    // The interrupted server does not wait for a model that is still loading.
    runtime.shutdown_background();
    served.map(|()| 0)
}
