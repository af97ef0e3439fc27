//! The address of a server, and limits on requests.

use std::time::Duration;

/// The address of a server that speaks OpenAI's protocol, with the key, the model's name and limits
/// on requests.
#[derive(Clone)]
pub struct HttpOptions {
    /// Base URL of the server including `/v1`, without a final slash.
    pub url: String,
    /// API key that is sent as `Authorization: Bearer`. `None` sends no key.
    pub key: Option<String>,
    /// Name of the model, which is sent with each request.
    pub model: String,
    /// Time limit for connecting to the server.
    pub connect_timeout: Duration,
    /// Time limit for a whole request.
    pub timeout: Duration,
    /// Maximum length of a reply in bytes. A longer reply is an error.
    pub max_bytes: usize,
    /// Whether to send the schema of JSON mode as `response_format`, for servers that constrain the
    /// output by it. Set false for servers that reject the field.
    pub response_format: bool,
    /// Name of the request field for the maximum number of tokens: `max_tokens`, or
    /// `max_completion_tokens` for OpenAI's own models.
    pub max_tokens_field: &'static str,
}

impl HttpOptions {
    /// Creates options for a base URL that includes `/v1`. The defaults are ten seconds to connect,
    /// ten minutes for a request and 16 MiB for a reply.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into().trim_end_matches('/').to_owned(),
            key: None,
            model: "model".to_owned(),
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(600),
            max_bytes: 16 << 20,
            response_format: true,
            max_tokens_field: "max_tokens",
        }
    }
}

/// Omits the API key.
impl std::fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpOptions")
            .field("url", &self.url)
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}
