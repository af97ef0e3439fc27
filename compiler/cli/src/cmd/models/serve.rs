//! `grammarc serve`: a model behind OpenAI's protocol.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use grammarc_server::ServerOptions;
use serde::Serialize;

use super::open::OpenArgs;
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
    /// A key that clients present; without one, and none in GRAMMARC_API_KEYS, all are let in
    #[arg(long, value_name = "KEY")]
    api_key: Vec<String>,
}

/// That the server listens.
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

/// Serves until it is interrupted.
pub(crate) fn run(args: ServeArgs, output: &mut Output) -> Result<u8, Failure> {
    let mut keys = args.api_key;
    let set = std::env::var(KEYS).unwrap_or_default();
    keys.extend(set.lines().map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned));
    let backend = args.open.open(args.parallel.into())?;
    let options = ServerOptions {
        address: args.listen,
        model: args.name.unwrap_or_else(|| args.open.name()),
        keys,
        max_tokens: args.max_tokens,
        tool_style: args.tool_style,
        reasoning: args
            .reasoning
            .and_then(|tags| tags.try_into().ok())
            .map(|[open, close]: [String; 2]| (open, close)),
        deadline: Some(Duration::from_secs(args.deadline)),
        ..ServerOptions::default()
    };
    options.check(&backend).map_err(|error| {
        Failure::Tool(Problem::Option { option: "--tool-style", problem: error.reason })
    })?;
    let failed = |error: std::io::Error| {
        Failure::Tool(Problem::Option { option: "--listen", problem: error.to_string() })
    };
    let runtime = tokio::runtime::Runtime::new().map_err(failed)?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(options.address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        output.answer(&Listening { address, model: options.model.clone() })?;
        grammarc_server::serve(listener, backend, options, interrupted()).await.map_err(failed)
    })?;
    Ok(0)
}
