//! State that all requests share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use async_channel::Receiver;
use grammarc_generate::engine::Told;
use grammarc_generate::{GenerateParams, Grammar, Local, Prompt};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::calls::Calls;
use crate::error::ApiError;
use crate::log::Record;
use crate::options::ServerOptions;

/// The server's state.
pub(crate) struct App {
    pub(crate) backend: Local,
    pub(crate) options: ServerOptions,
    compiling: Semaphore,
    requests: AtomicU64,
    /// Grammars that were compiled by `/v1/grammars`, by their ids, the latest last.
    grammars: std::sync::Mutex<Vec<(String, Grammar)>>,
}

/// Grammars that are kept by id.
const KEPT_GRAMMARS: usize = 1024;

/// Outputs of one request that are under way.
pub(crate) struct Started {
    pub(crate) receivers: Vec<Receiver<Told>>,
    pub(crate) prompt_tokens: usize,
    /// When each has to have a token.
    pub(crate) deadline: Option<Instant>,
    /// How their calls are told.
    pub(crate) calls: Calls,
    /// The record of the request for the log.
    pub(crate) record: Record,
}

impl Started {
    /// The same, told of in a record, with calls as they are to be told.
    pub(crate) fn with(self, record: Record, calls: &Calls) -> Self {
        record.add_prompt(self.prompt_tokens);
        Self { calls: calls.clone(), record, ..self }
    }
}

impl App {
    pub(crate) fn new(backend: Local, options: ServerOptions) -> Self {
        let compiling = Semaphore::new(options.compilations.max(1));
        Self {
            backend,
            options,
            compiling,
            requests: AtomicU64::new(0),
            grammars: std::sync::Mutex::default(),
        }
    }

    /// A number for a request, and the seconds since 1970.
    pub(crate) fn request(&self) -> (u64, u64) {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        (number, now.map_or(0, |now| now.as_secs()))
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Keeps a grammar under an id.
    pub(crate) fn keep(&self, id: String, grammar: Grammar) {
        let mut kept = self.grammars.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        kept.retain(|(other, _)| *other != id);
        if kept.len() == KEPT_GRAMMARS {
            kept.remove(0);
        }
        kept.push((id, grammar));
    }

    /// The grammar of an id.
    pub(crate) fn kept(&self, id: &str) -> Option<Grammar> {
        let kept = self.grammars.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        kept.iter().find(|(other, _)| other == id).map(|(_, grammar)| grammar.clone())
    }

    /// Runs work that takes a while on a thread of its own, a few at a time.
    pub(crate) async fn compile<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let permit = self.compiling.acquire().await;
        let app = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&app)).await;
        drop(permit);
        done.unwrap_or_else(|_| Err(ApiError::request("the request could not be worked on")))
    }

    /// Encodes a prompt, compiles the grammars, and begins so many outputs.
    pub(crate) async fn start(
        self: &Arc<Self>,
        prompt: Prompt,
        mut params: GenerateParams,
        choices: u32,
        default_tokens: bool,
    ) -> Result<Started, ApiError> {
        self.compile(move |app| {
            let prompt = app.backend.tokens(&prompt)?;
            let prompt_tokens = prompt.tokens.len();
            let room = app.backend.info().context.saturating_sub(prompt_tokens);
            if default_tokens {
                params.max_tokens = params.max_tokens.min(room).max(1);
            }
            params.seed = params.seed.or_else(|| Some(grammarc_generate::fresh_seed()));
            let grammars = app.backend.prepare(&prompt, &params)?;
            let start = |choice| {
                app.backend.start_choice(prompt.clone(), params.clone(), grammars.clone(), choice)
            };
            let receivers = (0..choices).map(start).collect::<Result<_, _>>()?;
            let deadline = params.deadline.and_then(|time| Instant::now().checked_add(time));
            let (calls, record) = (Calls::default(), Record::default());
            Ok(Started { receivers, prompt_tokens, deadline, calls, record })
        })
        .await
    }
}
