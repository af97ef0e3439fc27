//! Finds the changes of a JSON value while its text is generated.

use grammarc_json::{Change, JsonSchema, PartialJson};

use crate::output::Event;

/// The JSON value of an output's text so far.
pub(super) struct Changes {
    /// The incrementally parsed value. `None` if the text is not JSON, so that no further changes
    /// are sent.
    partial: Option<PartialJson>,
}

impl Changes {
    /// Creates the state for an empty text. With a schema, parts of the value are validated when
    /// they are complete.
    pub(super) fn new(schema: Option<JsonSchema>) -> Self {
        Self { partial: Some(PartialJson::new(schema)) }
    }

    /// Appends events to `sent`, and after each text the changes that the text makes in the value.
    pub(super) fn add(&mut self, events: Vec<Event>, sent: &mut Vec<Event>) {
        for event in events {
            let changes = match &event {
                Event::Text(text) => self.read(text),
                _ => Vec::new(),
            };
            sent.push(event);
            if !changes.is_empty() {
                sent.push(Event::Changed(changes));
            }
        }
    }

    fn read(&mut self, text: &str) -> Vec<Change> {
        match self.partial.as_mut().map(|partial| partial.push(text)) {
            Some(Ok(changes)) => changes.to_vec(),
            Some(Err(_)) => {
                self.partial = None;
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// Appends the change for a value that only the end of the text completes: a number at the top
    /// level.
    pub(super) fn finish(&mut self, sent: &mut Vec<Event>) {
        let Some(partial) = self.partial.take().filter(|partial| partial.value().is_none()) else {
            return;
        };
        if let Ok(value) = partial.finish() {
            let pointer = String::new();
            sent.push(Event::Changed(vec![Change::Added { pointer, value }]));
        }
    }
}
