//! Items of the stream of one output.

use crate::error::GenerateError;
use crate::output::Event;

/// An item of an output's stream: events, and at last an error if there is one.
pub type StreamItem = Result<Event, GenerateError>;
