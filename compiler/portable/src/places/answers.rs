//! A cache of answers about pairs of schemas, and the time limit that all questions share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use grammarc_json_schema::relation::RelationOptions;
use rustc_hash::FxHashMap;

/// A cache of answers about branches of unions, with one time limit. All walks over a document or request share it.
#[derive(Clone, Debug)]
pub(crate) struct Answers(Rc<Asked>);

#[derive(Debug)]
struct Asked {
    /// Whether the branches of a union overlap, by the JSON text of the list of branches.
    known: RefCell<FxHashMap<String, bool>>,
    /// Options for reading schemas. The time limit is that of all questions together.
    options: RelationOptions,
    spent: Cell<Duration>,
}

impl Default for Answers {
    fn default() -> Self {
        Self::new(RelationOptions::default())
    }
}

impl Answers {
    /// Creates an empty cache. `options.time` is the time limit of all questions together.
    pub(crate) fn new(options: RelationOptions) -> Self {
        Self(Rc::new(Asked { known: RefCell::default(), options, spent: Cell::default() }))
    }

    /// Returns the cached answer for a text. Calls `ask` and stores its answer if the cache has none.
    pub(crate) fn known(&self, text: String, ask: impl FnOnce() -> bool) -> bool {
        if let Some(&known) = self.0.known.borrow().get(&text) {
            return known;
        }
        let answer = ask();
        self.0.known.borrow_mut().insert(text, answer);
        answer
    }

    /// Runs a question within `limit` and the remaining shared time. `None` if no time remains.
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
