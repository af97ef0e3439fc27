//! Answers to questions about pairs of schemas, and the time that these questions take together.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use grammarc_json_schema::relation::RelationOptions;
use rustc_hash::FxHashMap;

/// Answers to questions about branches of unions, shared by the walks over one document or request.
#[derive(Clone, Debug)]
pub(crate) struct Answers(Rc<Asked>);

#[derive(Debug)]
struct Asked {
    /// Whether branches overlap, by their text.
    known: RefCell<FxHashMap<String, bool>>,
    /// How schemas are read, and the time of all questions together.
    options: RelationOptions,
    spent: Cell<Duration>,
}

impl Default for Answers {
    fn default() -> Self {
        Self::new(RelationOptions::default())
    }
}

impl Answers {
    /// Creates an empty list. `options.time` is the time of all questions together.
    pub(crate) fn new(options: RelationOptions) -> Self {
        Self(Rc::new(Asked { known: RefCell::default(), options, spent: Cell::default() }))
    }

    /// Returns the answer for a text, and asks for it if there is none yet.
    pub(crate) fn known(&self, text: String, ask: impl FnOnce() -> bool) -> bool {
        if let Some(&known) = self.0.known.borrow().get(&text) {
            return known;
        }
        let answer = ask();
        self.0.known.borrow_mut().insert(text, answer);
        answer
    }

    /// Asks a question within a time limit, and within what is left of the time of all. `None` if nothing is left.
    pub(crate) fn ask<T>(
        &self,
        limit: Duration,
        ask: impl FnOnce(&RelationOptions) -> T,
    ) -> Option<T> {
        let Asked { options, spent, .. } = &*self.0;
        let left = options.time.saturating_sub(spent.get());
        if left.is_zero() {
            return None;
        }
        let begin = Instant::now();
        let answer = ask(&RelationOptions { time: limit.min(left), ..options.clone() });
        spent.set(spent.get() + begin.elapsed());
        Some(answer)
    }
}
