//! Converts the tool calls of a request to the client's form: arguments in tags become JSON, and
//! inputs of custom tools become texts.
//!
//! ```text
//! events ─► arguments as JSON (where the style has tags) ─► the input out of {"input": "…"} ─► events
//! ```
//!
//! A custom tool takes a text as its input. If any text is allowed, the model writes it as the only
//! member of a JSON object, as models are used to. If the text has a grammar or pattern, the model
//! writes it directly in place of the arguments. So nothing is escaped, and the splitter knows from
//! the grammar where the text ends.

use std::sync::Arc;

use grammarc_calls::arguments::ArgumentsStage;
use grammarc_calls::{Part, TagArguments};
use grammarc_generate::Event;
use grammarc_json::{Change, PartialJson};
use serde_json::Value;

/// Name of the member that contains the text of a custom tool.
pub(crate) const INPUT: &str = "input";

/// How the reply to a request writes tool calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    pub(crate) tags: Option<TagArguments>,
    /// For each custom tool, its name, and whether the model writes its text as `{"input": text}`.
    pub(crate) custom: Arc<[(String, bool)]>,
    /// The functions of the request. Empty unless their schemas may be loosened.
    pub(crate) functions: Arc<[Value]>,
}

impl Calls {
    /// Whether a name is that of a custom tool.
    pub(crate) fn is_custom(&self, name: &str) -> bool {
        self.custom.iter().any(|(custom, _)| custom == name)
    }

    /// Creates the conversion stage for one output.
    pub(crate) fn stage(&self) -> Stage {
        let tags = self.tags.as_ref().map(TagArguments::stage);
        Stage { tags, custom: Arc::clone(&self.custom), input: None }
    }
}

/// The conversion of the tool calls in one output from the model's form to the client's.
pub(crate) struct Stage {
    tags: Option<ArgumentsStage>,
    custom: Arc<[(String, bool)]>,
    /// The arguments of the call in progress. `None` unless they contain the text of a custom tool.
    input: Option<PartialJson>,
}

impl Stage {
    /// Converts one event to the events to send.
    pub(crate) fn events(&mut self, event: Event) -> Vec<Event> {
        let events = self.converted(event);
        events.into_iter().filter_map(|event| self.event(event)).collect()
    }

    /// Converts the arguments in an event to JSON.
    fn converted(&mut self, event: Event) -> Vec<Event> {
        let Some(tags) = &mut self.tags else { return vec![event] };
        let mut parts = Vec::new();
        let last = match Part::try_from(event) {
            Ok(part) => {
                tags.push(part, &mut parts);
                None
            }
            Err(event) => {
                if matches!(&event, Event::Finished(end) if !end.finish.is_cut()) {
                    tags.finish(&mut parts);
                }
                Some(event)
            }
        };
        parts.into_iter().map(Event::from).chain(last).collect()
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
                // The grammar guarantees that the arguments are an object.
                let changes = input.push(&delta).unwrap_or_default();
                let delta: String = changes.iter().filter_map(text).collect();
                (!delta.is_empty()).then_some(Event::Arguments { index, delta })
            }
            (event, _) => Some(event),
        }
    }
}

/// Returns the text that a change adds to the member `input`. `None` for other changes.
fn text(change: &Change) -> Option<&str> {
    let is_input = |pointer: &str| pointer.strip_prefix('/') == Some(INPUT);
    match change {
        Change::Added { pointer, value } if is_input(pointer) => value.as_str(),
        Change::Grew { pointer, delta } if is_input(pointer) => Some(delta),
        _ => None,
    }
}
