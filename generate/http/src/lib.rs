//! A backend over HTTP, for any server that speaks OpenAI's protocol.
//!
//! | module | contents |
//! | --- | --- |
//! | [`options`] | the server's address, and limits on requests |
//! | `request` | builds the body of a request; rejects parameters that the protocol lacks |
//! | `reply` | reads the events of a reply, streamed or whole |
//! | [`error`] | the errors of requests |
//!
//! The server gives no logits. JSON mode therefore validates an output after it was generated: see
//! [`LlmBackend`].
//!
//! Tests: `tests/replies.rs`.

pub mod error;
pub mod options;
mod reply;
mod request;

use std::time::Duration;

use grammarc_generate::backend::{Capabilities, Generation, LlmBackend, Prompt};
use grammarc_generate::local::Received;
use grammarc_generate::{GenerateError, GenerateParams};
use ureq::Agent;

pub use error::HttpError;
pub use options::HttpOptions;

/// Number of events that the channel between the reading thread and the caller holds. If it is
/// full, the thread waits.
const WAITING: usize = 64;

/// A backend that sends prompts to a server in OpenAI's protocol. `Send` and `Sync`. Generations
/// run in parallel, each on its own thread.
#[derive(Clone, Debug)]
pub struct HttpBackend {
    agent: Agent,
    options: HttpOptions,
}

impl HttpBackend {
    /// Creates a backend for the server that the options describe. Sends nothing yet.
    ///
    /// ```no_run
    /// use grammarc_generate::{GenerateParams, LlmBackend};
    /// use grammarc_http::{HttpBackend, HttpOptions};
    ///
    /// let backend = HttpBackend::new(HttpOptions::new("http://127.0.0.1:8080/v1"));
    /// let schema = r#"{"type": "object", "required": ["name"]}"#.parse()?;
    /// let value = backend.generate_json("A person, as JSON.", Some(schema), GenerateParams::default())?;
    /// println!("{}", value["name"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(options: HttpOptions) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(options.connect_timeout))
            .timeout_recv_response(Some(options.timeout))
            .build();
        Self { agent: config.into(), options }
    }

    fn limit_of(&self, params: &GenerateParams) -> Duration {
        params.deadline.map_or(self.options.timeout, |deadline| deadline.min(self.options.timeout))
    }
}

impl LlmBackend for HttpBackend {
    fn capabilities(&self) -> Capabilities {
        Capabilities { logits: false, chat: true, context: 0 }
    }

    fn start(
        &self,
        prompt: Prompt,
        params: GenerateParams,
    ) -> Result<Box<dyn Generation>, GenerateError> {
        let body = request::body(&self.options, prompt, &params)?;
        let mut request = self.agent.post(format!("{}/chat/completions", self.options.url));
        if let Some(key) = &self.options.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let request = request
            .header("content-type", "application/json")
            .config()
            .timeout_global(Some(self.limit_of(&params)))
            .build();
        let most = self.options.max_bytes;
        let (sender, receiver) = async_channel::bounded(WAITING);
        let work = move || {
            let send = |event| sender.send_blocking(Ok(event)).is_ok();
            let read = request
                .send(&body.to_string())
                .map_err(HttpError::from)
                .and_then(|response| reply::read(response, most, send));
            if let Err(error) = read {
                // If the generation was cancelled, nobody receives the error.
                let _ = sender.send_blocking(Err(GenerateError::Backend(Box::new(error))));
            }
        };
        std::thread::Builder::new()
            .name("grammarc http".to_owned())
            .spawn(work)
            .map_err(|error| GenerateError::Backend(Box::new(error)))?;
        Ok(Box::new(Received::new(receiver)))
    }
}
