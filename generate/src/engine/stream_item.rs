//! Items of the stream of one output.

use crate::error::GenerateError;
use crate::output::Event;

/// An item of an output's stream: an event, or an error as the last item.
pub type StreamItem = Result<Event, GenerateError>;
