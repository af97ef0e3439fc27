//! The address of a server, and limits on requests.

use std::time::Duration;

/// The address of a server in OpenAI's protocol, with the key, the model and limits on requests.
#[derive(Clone)]
pub struct HttpOptions {
    /// The address through `/v1`, without a slash at its end.
    pub url: String,
    /// The key that is sent as `Authorization: Bearer`.
    pub key: Option<String>,
    /// The model's name.
    pub model: String,
    /// Time limit of connecting.
    pub connect_timeout: Duration,
    /// Time limit of a whole request.
    pub timeout: Duration,
    /// Maximum length of a reply, in bytes.
    pub max_bytes: usize,
    /// Send the schema of JSON mode as `response_format`, for servers that constrain by it. Turn it off for servers that
    /// refuse the field.
    pub response_format: bool,
    /// Name of the field for the maximum number of tokens: `max_tokens`, or `max_completion_tokens` for OpenAI's own
    /// models.
    pub max_tokens_field: &'static str,
}

impl HttpOptions {
    /// Returns options for an address through `/v1`, with ten seconds to connect, ten minutes for a request and 16
    /// MiB for a reply.
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

/// Leaves out the key.
impl std::fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpOptions")
            .field("url", &self.url)
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}
