//! The input and the outcome of a rewriting.

use std::cell::Cell;

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use crate::finding::Treatment;
use crate::lower::options::{Gives, Keep, LowerOptions};
use crate::pack::Pack;
use crate::places::Answers;

/// The input of a rewriting: a place of a document, the keyword at fault and the target.
pub(crate) struct Task<'t> {
    /// The document.
    pub(crate) root: &'t mut Value,
    /// The document before this round. References are resolved in it.
    pub(crate) before: &'t Value,
    /// The pointer to the schema.
    pub(crate) pointer: &'t str,
    /// The keyword at fault. Empty if no keyword is.
    pub(crate) keyword: &'t str,
    /// The keyword of the parent schema that holds this place.
    pub(crate) held_by: &'t str,
    /// The keys for which some object allows `null`.
    pub(crate) nullable: &'t FxHashSet<String>,
    /// Number of schemas that the rewriting `printed` has tried.
    pub(crate) tries: &'t Cell<usize>,
    /// The cache of answers about overlapping branches.
    pub(crate) answers: &'t Answers,
    /// The pack of the target.
    pub(crate) pack: &'t Pack,
    /// The options.
    pub(crate) options: &'t LowerOptions,
}

/// The outcome of a rewriting that applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The effect on the values of the place.
    pub(crate) gives: Gives,
    /// Whether other keywords of the place changed, so that other findings about it may no longer hold.
    pub(crate) moved: bool,
}

impl Outcome {
    /// Returns the outcome of a rewriting that changed only the keyword at fault.
    pub(crate) fn keyword(gives: Gives) -> Option<Self> {
        Some(Self { gives, moved: false })
    }

    /// Returns the outcome of a rewriting that changed other keywords too.
    pub(crate) fn schema(gives: Gives) -> Option<Self> {
        Some(Self { gives, moved: true })
    }
}

impl Task<'_> {
    /// Returns a copy of the task with the same document, for replacing single fields.
    pub(crate) fn again(&mut self) -> Task<'_> {
        let Task {
            before, pointer, keyword, held_by, nullable, tries, answers, pack, options, ..
        } = *self;
        let root = &mut *self.root;
        Task { root, before, pointer, keyword, held_by, nullable, tries, answers, pack, options }
    }

    /// Returns the members of the schema at the place. `None` if it is not an object.
    pub(crate) fn schema(&mut self) -> Option<&mut Map<String, Value>> {
        self.root.pointer_mut(self.pointer)?.as_object_mut()
    }

    /// Returns the schema at the place. `None` if the place no longer exists.
    pub(crate) fn value(&mut self) -> Option<&mut Value> {
        self.root.pointer_mut(self.pointer)
    }

    /// Whether the target enforces a keyword in some form.
    pub(crate) fn takes(&self, keyword: &str) -> bool {
        self.pack.keywords.get(keyword).is_some_and(|entry| entry.is == Treatment::Enforced)
    }

    /// Whether the options prefer fewer values to more where no rewriting is exact.
    pub(crate) fn prefers_fewer(&self) -> bool {
        self.options.keep == Keep::Narrower
    }

    /// Whether a refusing rule of the target names this rewriting.
    pub(crate) fn asks_for(&self, name: &str) -> bool {
        self.pack.rules.iter().any(|rule| {
            rule.entry.is == Treatment::Refused && rule.entry.instead.iter().any(|one| one == name)
        })
    }
}
