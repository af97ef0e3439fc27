//! Errors of requests to a server.

/// Number of bytes of a reply that an error message shows.
pub(crate) const SHOWN: usize = 200;

/// A request to a server failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The server was not reached, or the reply did not arrive in time.
    #[error("the server was not reached: {0}")]
    Transport(Box<ureq::Error>),
    /// The server answered with a status that is not a success, or with an error object.
    #[error("the server answered with status {status}: {begin}")]
    Status {
        /// The HTTP status code.
        status: u16,
        /// The message of the error object in the reply. If there is none, the first bytes of the
        /// reply.
        begin: String,
    },
    /// The reply does not follow OpenAI's protocol.
    #[error(
        "the server's reply (status {status}) is not of OpenAI's protocol: {problem}; it begins with {begin:?}"
    )]
    Protocol {
        /// The HTTP status code.
        status: u16,
        /// Description of the violation.
        problem: String,
        /// The first bytes of the part of the reply that violates the protocol.
        begin: String,
    },
    /// The reply is larger than [`HttpOptions::max_bytes`](crate::HttpOptions::max_bytes).
    #[error("the server's reply has more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The connection broke during the reply.
    #[error("the server's reply broke off: {0}")]
    Broken(std::io::Error),
}

impl From<ureq::Error> for HttpError {
    fn from(error: ureq::Error) -> Self {
        Self::Transport(Box::new(error))
    }
}

/// Returns the first bytes of a reply as text, at most [`SHOWN`].
pub(crate) fn begin(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(SHOWN)]).into_owned()
}
