//! What single rewritings give or take, with a value that only one side allows.
//!
//! The schema at a place before and after is compared, each with the definitions of its document. The first
//! [`MOST_WITNESSES`] losses get a question of [`TIME`] each, the others none.

use std::time::Duration;

use grammarc_grammar::diagnostics::Source;
use grammarc_json_schema::relation::{RelationOptions, Side, relate};
use serde_json::Value;

use super::options::{Gives, Lost, LowerOptions};
use crate::places::alone::alone;

/// Most losses for which a value is looked for.
const MOST_WITNESSES: usize = 16;
/// Time limit of the questions about one loss.
const TIME: Duration = Duration::from_millis(100);

/// The losses of a schema.
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

    /// Adds a loss. `roots` are the documents before and after, `claimed` the effect by the kind of rewriting.
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

    /// Returns the losses. None if the whole is equal to the source: what a place lost, others imply.
    pub(super) fn found(self, is_equal: bool) -> Vec<Lost> {
        if is_equal { Vec::new() } else { self.found }
    }
}
