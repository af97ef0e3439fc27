//! The state that all requests of the server share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_channel::Receiver;
use grammarc_bindings::folders::ArtifactFolders;
use grammarc_compiler::frontend::structural_tag::{RefusedTool, refused_tools};
use grammarc_generate::decoder::CompiledGrammars;
use grammarc_generate::engine::{Choice, StreamItem};
use grammarc_generate::fair::Client;
use grammarc_generate::local::PromptTokens;
use grammarc_generate::{GenerateError, GenerateParams, Grammar, Local, Prompt, fresh_seed};
use tokio::time::Instant;

use crate::calls::Calls;
use crate::compiling::Turns;
use crate::error::ApiError;
use crate::log::Record;
use crate::loosened::Loosened;
use crate::metrics::Metrics;
use crate::options::ServerOptions;

/// The state of the server.
pub(crate) struct App {
    pub(crate) backend: Local,
    pub(crate) options: ServerOptions,
    pub(crate) metrics: Arc<Metrics>,
    turns: Arc<Turns>,
    /// Random number of this process, which makes its ids differ from those of earlier processes.
    run: u64,
    requests: AtomicU64,
    /// The grammars that `/v1/grammars` has compiled, and the opened artifacts, as pairs of id and grammar, the latest last.
    grammars: std::sync::Mutex<Vec<(String, Grammar)>>,
    /// The folders of artifacts that requests may name by digest.
    pub(crate) artifacts: ArtifactFolders,
}

/// Minimum time between two searches of the folders of artifacts.
const SEARCH_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum number of grammars that are stored under ids. Beyond it, the oldest is dropped, and its
/// id becomes unknown.
const KEPT_GRAMMARS: usize = 1024;

/// The outputs that a request asks for: the prompt, the parameters and the number.
pub(crate) struct Wanted {
    pub(crate) client: Client,
    pub(crate) prompt: Prompt,
    pub(crate) params: GenerateParams,
    /// Number of outputs.
    pub(crate) choices: u32,
    /// Whether the request does not set `max_tokens`. The server's default is then reduced to what
    /// the model's context has room for.
    pub(crate) default_tokens: bool,
    /// Path of the request's field that constrains the output. `None` without a constraint.
    pub(crate) constrained_by: Option<String>,
}

impl Wanted {
    /// Converts an error that occurs before the outputs start. An error in the grammar names the
    /// field that constrains the output.
    fn error(&self, error: GenerateError) -> ApiError {
        let error = ApiError::from(error);
        match &self.constrained_by {
            Some(field) => error.of_grammar_at(field),
            None => error,
        }
    }
}

/// The outputs of one request that were queued or are being generated.
pub(crate) struct Started {
    pub(crate) receivers: Vec<Receiver<StreamItem>>,
    pub(crate) prompt_tokens: usize,
    /// Time by which each output must have its first token. `None` without a time limit.
    pub(crate) deadline: Option<Instant>,
    /// How the replies write tool calls.
    pub(crate) calls: Calls,
    /// The record of the request, from which its log line is written.
    pub(crate) record: Record,
    pub(crate) metrics: Arc<Metrics>,
    /// Time at which the outputs were queued.
    pub(crate) began: Instant,
    /// The tools that do not compile, and that the grammar therefore leaves out or loosens.
    pub(crate) refused: Vec<RefusedTool>,
    pub(crate) loosened: Loosened,
}

impl Started {
    /// Appends the outputs for another prompt of the same request, and adds its number of prompt
    /// tokens.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.receivers.extend(other.receivers);
        self.prompt_tokens += other.prompt_tokens;
        self
    }

    /// Sets the log record and the form of the tool calls. Adds the number of prompt tokens to the
    /// record.
    pub(crate) fn with(self, record: Record, calls: &Calls) -> Self {
        record.add_prompt(self.prompt_tokens);
        let loosened = Loosened::new(&calls.functions, &self.refused);
        Self { calls: calls.clone(), record, loosened, ..self }
    }
}

impl App {
    pub(crate) fn new(backend: Local, options: ServerOptions) -> Self {
        Self {
            backend,
            turns: Turns::new(options.compilations, options.waiting_compilations),
            artifacts: ArtifactFolders::new(options.artifacts.clone(), SEARCH_INTERVAL),
            options,
            metrics: Arc::new(Metrics::new()),
            run: fresh_seed(),
            requests: AtomicU64::new(0),
            grammars: std::sync::Mutex::default(),
        }
    }

    /// Creates the unique part of the ids of a request. Also returns the current time in seconds
    /// since 1970.
    pub(crate) fn request(&self) -> (String, u64) {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        (format!("{:016x}{number:x}", self.run), now.map_or(0, |now| now.as_secs()))
    }

    /// Returns the number of requests so far that got an id: those that ask for outputs.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Returns the text of tokens. Invalid UTF-8 becomes U+FFFD.
    pub(crate) fn text_of(&self, tokens: &[u32]) -> String {
        let vocabulary = self.backend.vocabulary();
        let bytes = tokens.iter().flat_map(|&token| vocabulary.token_bytes(token)).copied();
        String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
    }

    /// Stores a grammar under an id. If [`KEPT_GRAMMARS`] are stored, drops the oldest.
    pub(crate) fn keep(&self, id: String, grammar: Grammar) {
        let mut kept = self.grammars.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        kept.retain(|(other, _)| *other != id);
        if kept.len() == KEPT_GRAMMARS {
            kept.remove(0);
        }
        kept.push((id, grammar));
    }

    /// Returns the grammar that is stored under an id. `None` if the id is unknown or its grammar
    /// was dropped.
    pub(crate) fn kept(&self, id: &str) -> Option<Grammar> {
        let kept = self.grammars.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        kept.iter().find(|(other, _)| other == id).map(|(_, grammar)| grammar.clone())
    }

    /// Runs a compilation when it is the client's turn. The flag that `work` gets is set if the
    /// request is dropped.
    pub(crate) async fn compile<T: Send + 'static>(
        self: &Arc<Self>,
        client: Client,
        work: impl FnOnce(&Self, &Arc<AtomicBool>) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let turn = self.turns.next(client).await?;
        let app = Arc::clone(self);
        turn.work(move |flag| work(&app, flag)).await
    }

    /// Runs work that takes some milliseconds, outside the threads that serve connections.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let app = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&app)).await;
        done.unwrap_or_else(|_| Err(ApiError::failed("the request could not be worked on")))
    }

    /// Starts the outputs of a request. A request waits for a turn to compile only if its grammar
    /// is not cached.
    pub(crate) async fn start(self: &Arc<Self>, wanted: Wanted) -> Result<Started, ApiError> {
        let (client, ready) = (wanted.client, self.work(|app| app.ready(wanted)).await?);
        let ready = match ready.grammars {
            Some(_) => ready,
            None => {
                let compile = move |app: &Self, flag: &Arc<AtomicBool>| {
                    let params = &ready.wanted.params;
                    let grammars = app.backend.prepare(&ready.prompt, params, Some(flag));
                    let grammars = grammars.map_err(|error| ready.wanted.error(error))?;
                    Ok(Ready { grammars: Some(grammars), ..ready })
                };
                self.compile(client, compile).await?
            }
        };
        self.work(|app| app.begin(ready)).await
    }

    /// Encodes the prompt, and looks up the grammars in the cache.
    fn ready(&self, mut wanted: Wanted) -> Result<Ready, ApiError> {
        let prompt = self.backend.tokens(&wanted.prompt)?;
        let params = &mut wanted.params;
        if wanted.default_tokens {
            let room = self.backend.info().context.saturating_sub(prompt.tokens.len());
            params.max_tokens = params.max_tokens.min(room).max(1);
        }
        params.seed = params.seed.or_else(|| Some(fresh_seed()));
        let grammars = self.backend.prepare_kept(&prompt, params);
        let grammars = grammars.map_err(|error| wanted.error(error))?;
        Ok(Ready { wanted, prompt, grammars })
    }

    /// Queues the outputs in the engine.
    fn begin(&self, ready: Ready) -> Result<Started, ApiError> {
        let Ready { wanted: Wanted { client, params, choices, .. }, prompt, grammars } = ready;
        let (grammars, prompt_tokens) = (grammars.unwrap_or_default(), prompt.tokens.len());
        let start = |number| {
            let (prompt, choice) = (prompt.clone(), Choice { client, number });
            self.backend.start_choice(prompt, params.clone(), grammars.clone(), choice)
        };
        let receivers = (0..choices).map(start).collect::<Result<_, _>>()?;
        let deadline = params.deadline.and_then(|time| Instant::now().checked_add(time));
        let (calls, record) = (Calls::default(), Record::default());
        let (metrics, began) = (Arc::clone(&self.metrics), Instant::now());
        let report = grammars.output.as_ref().map(|grammar| &grammar.artifact().meta().report);
        let refused = report.map(refused_tools).unwrap_or_default();
        for RefusedTool { name, state, pointer, code, message } in &refused {
            let state = state.name();
            tracing::warn!(name, state, pointer, code, message, "a tool does not compile");
        }
        let loosened = Loosened::default();
        Ok(Started {
            receivers,
            prompt_tokens,
            deadline,
            calls,
            record,
            metrics,
            began,
            refused,
            loosened,
        })
    }
}

/// A request whose prompt is encoded, and whose grammars were looked up.
struct Ready {
    wanted: Wanted,
    prompt: PromptTokens,
    /// The compiled grammars. `None` if one has to be compiled.
    grammars: Option<CompiledGrammars>,
}
