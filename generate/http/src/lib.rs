//! A backend over HTTP: any server in OpenAI's protocol.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`options`] | where the server is, and what a request may take |
//! | `request` | the body of a request; parameters that the protocol does not have are refused |
//! | `reply` | the events of a reply, streamed or whole |
//! | [`error`] | why there is no output |
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

/// Capacity of the channel between the thread that reads a reply and the caller.
const WAITING: usize = 64;

/// A server in OpenAI's protocol. `Send` and `Sync`; generations run side by side, a thread for each.
#[derive(Clone, Debug)]
pub struct HttpBackend {
    agent: Agent,
    options: HttpOptions,
}

impl HttpBackend {
    /// A server by its options. Nothing is sent yet.
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
                // Nobody waits for an error of a generation that was called off.
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
