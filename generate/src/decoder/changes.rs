//! Changes in the value of a JSON text while it comes.

use grammarc_json::{Change, JsonSchema, PartialJson};

use crate::output::Event;

/// The value of an output's text so far.
pub(super) struct Changes {
    /// None once the text is no JSON: then nothing more is told.
    partial: Option<PartialJson>,
}

impl Changes {
    pub(super) fn new(schema: Option<JsonSchema>) -> Self {
        Self { partial: Some(PartialJson::new(schema)) }
    }

    /// Tells behind each text of some events what it has changed.
    pub(super) fn tell(&mut self, events: Vec<Event>, told: &mut Vec<Event>) {
        for event in events {
            let changes = match &event {
                Event::Text(text) => self.read(text),
                _ => Vec::new(),
            };
            told.push(event);
            if !changes.is_empty() {
                told.push(Event::Changed(changes));
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

    /// Tells of a value that only the end of the text shows: a number that stands alone.
    pub(super) fn finish(&mut self, told: &mut Vec<Event>) {
        let Some(partial) = self.partial.take().filter(|partial| partial.value().is_none()) else {
            return;
        };
        if let Ok(value) = partial.finish() {
            let pointer = String::new();
            told.push(Event::Changed(vec![Change::Added { pointer, value }]));
        }
    }
}
