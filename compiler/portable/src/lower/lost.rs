//! The values that a single rewriting adds or removes, with an example of such a value.
//!
//! The schema of a place is compared before and after the rewriting, each with the definitions of its document. Only
//! the first [`MOST_WITNESSES`] losses are compared, within [`TIME`] each.

use std::time::Duration;

use grammarc_grammar::diagnostics::Source;
use grammarc_json_schema::relation::{RelationOptions, Side, relate};
use serde_json::Value;

use super::options::{Gives, Lost, LowerOptions};
use crate::places::alone::alone;

/// Most losses for which an example is searched. Later losses have none.
const MOST_WITNESSES: usize = 16;
/// Time limit of the comparison for one loss. Beyond it, the loss has no example.
const TIME: Duration = Duration::from_millis(100);

/// Collects the losses of a schema, within the limit on comparisons.
pub(super) struct Losses {
    options: RelationOptions,
    asked: usize,
    found: Vec<Lost>,
}

impl Losses {
    /// Creates an empty list.
    pub(super) fn new(options: &LowerOptions) -> Self {
        let relation = &options.relation;
        let options = RelationOptions { time: TIME.min(relation.time), ..relation.clone() };
        Self { options, asked: 0, found: Vec::new() }
    }

    /// Adds a loss, unless a comparison shows that no value changed. `roots` are the documents before and after the
    /// rewriting, `claimed` is the effect that the rewriting reports.
    pub(super) fn add(
        &mut self,
        roots: (&Value, &Value),
        pointer: &str,
        keyword: &str,
        claimed: Gives,
    ) {
        let (mut effect, mut witness) = (claimed, None);
        let parts = roots.0.pointer(pointer).zip(roots.1.pointer(pointer));
        if let Some((before, after)) = parts.filter(|_| self.asked < MOST_WITNESSES) {
            self.asked += 1;
            let source = |root, part| Source::new("<part>", alone(root, part).to_string());
            let sides = (source(roots.0, before), source(roots.1, after));
            if let Ok(compared) = relate(&sides.0, &sides.1, &self.options) {
                match (&compared.left_only, &compared.right_only) {
                    (Side::Empty { .. }, Side::Empty { .. }) => return,
                    (Side::Witness { text }, Side::Empty { .. }) => {
                        (effect, witness) = (Gives::Narrower, Some(text))
                    }
                    (Side::Empty { .. }, Side::Witness { text }) => {
                        (effect, witness) = (Gives::Wider, Some(text))
                    }
                    (Side::Witness { text }, Side::Witness { .. }) => {
                        (effect, witness) = (Gives::Unknown, Some(text))
                    }
                    (Side::Witness { text }, _) | (_, Side::Witness { text }) => {
                        witness = Some(text)
                    }
                    _ => {}
                }
                let witness = witness.cloned();
                self.push(pointer, keyword, effect, witness);
                return;
            }
        }
        self.push(pointer, keyword, effect, witness.cloned());
    }

    fn push(&mut self, pointer: &str, keyword: &str, effect: Gives, witness: Option<String>) {
        let (pointer, keyword) = (pointer.to_owned(), keyword.to_owned());
        self.found.push(Lost { pointer, keyword, effect, witness });
    }

    /// Returns the losses. Empty if the lowered schema is equal to the source, because other keywords then imply what a
    /// place lost.
    pub(super) fn found(self, is_equal: bool) -> Vec<Lost> {
        if is_equal { Vec::new() } else { self.found }
    }
}
