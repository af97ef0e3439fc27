//! The calls of a request in the form of its client: tags as JSON, and the inputs of custom tools as texts.
//!
//! ```text
//! events ─► arguments as JSON (where the style has tags) ─► the input out of {"input": "…"} ─► events
//! ```
//!
//! A custom tool takes a text. Any text is written as the one member of an object, as models know it; a text of a grammar or
//! a pattern stands in place of the arguments as it is, so nothing of it is escaped, and the splitter knows where it ends.

use std::sync::Arc;

use grammarc_generate::Event;
use grammarc_generate::arguments::{ArgumentsStage, TagArguments};
use grammarc_json::{Change, PartialJson};

/// The member with the text of a custom tool.
pub(crate) const INPUT: &str = "input";

/// The form of a request's calls in the reply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    pub(crate) tags: Option<TagArguments>,
    /// Names of custom tools. The flag says whether the tool's text is wrapped as `{"input": text}`.
    pub(crate) custom: Arc<[(String, bool)]>,
}

impl Calls {
    /// Whether a tool is a custom tool.
    pub(crate) fn is_custom(&self, name: &str) -> bool {
        self.custom.iter().any(|(custom, _)| custom == name)
    }

    /// Returns the stage for one output.
    pub(crate) fn stage(&self) -> Stage {
        let tags = self.tags.as_ref().map(TagArguments::stage);
        Stage { tags, custom: Arc::clone(&self.custom), input: None }
    }
}

/// The calls of one output.
pub(crate) struct Stage {
    tags: Option<ArgumentsStage>,
    custom: Arc<[(String, bool)]>,
    /// The arguments of the open call, if they contain a custom tool's text.
    input: Option<PartialJson>,
}

impl Stage {
    /// Converts one event.
    pub(crate) fn events(&mut self, event: Event) -> Vec<Event> {
        let events = match &mut self.tags {
            Some(tags) => tags.events(event),
            None => vec![event],
        };
        events.into_iter().filter_map(|event| self.event(event)).collect()
    }

    fn event(&mut self, event: Event) -> Option<Event> {
        match (event, &mut self.input) {
            (Event::Call { index, name }, _) => {
                let holds_text =
                    self.custom.iter().any(|(custom, object)| *custom == name && *object);
                self.input = holds_text.then(|| PartialJson::new(None));
                Some(Event::Call { index, name })
            }
            (Event::Arguments { index, delta }, Some(input)) => {
                // The grammar has written the object.
                let changes = input.push(&delta).unwrap_or_default();
                let delta: String = changes.iter().filter_map(text).collect();
                (!delta.is_empty()).then_some(Event::Arguments { index, delta })
            }
            (event, _) => Some(event),
        }
    }
}

/// Returns the text that a change adds.
fn text(change: &Change) -> Option<&str> {
    let is_input = |pointer: &str| pointer.strip_prefix('/') == Some(INPUT);
    match change {
        Change::Added { pointer, value } if is_input(pointer) => value.as_str(),
        Change::Grew { pointer, delta } if is_input(pointer) => Some(delta),
        _ => None,
    }
}
