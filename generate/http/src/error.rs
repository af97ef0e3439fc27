//! Errors of a server.

/// Length of the part of a reply that an error shows, in bytes.
pub(crate) const SHOWN: usize = 200;

/// An error of a server, or of the connection to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The server was not reached, or the reply did not come in time.
    #[error("the server was not reached: {0}")]
    Transport(Box<ureq::Error>),
    /// The server refused the request.
    #[error("the server answered with status {status}: {begin}")]
    Status {
        /// The status.
        status: u16,
        /// The message of an error in OpenAI's form; else the first bytes of the reply.
        begin: String,
    },
    /// The reply does not follow OpenAI's protocol.
    #[error(
        "the server's reply (status {status}) is not of OpenAI's protocol: {problem}; it begins with {begin:?}"
    )]
    Protocol {
        /// The status.
        status: u16,
        /// The fault.
        problem: String,
        /// The first bytes of the wrong part.
        begin: String,
    },
    /// The reply is larger than [`HttpOptions::max_bytes`](crate::HttpOptions::max_bytes).
    #[error("the server's reply has more than {limit} bytes")]
    TooLarge {
        /// The limit.
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

/// Returns the first characters of a reply.
pub(crate) fn begin(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(SHOWN)]).into_owned()
}
