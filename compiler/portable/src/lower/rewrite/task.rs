//! A place to rewrite, and what a rewriting did.

use std::cell::Cell;

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use crate::finding::Treatment;
use crate::lower::options::{Gives, Keep, LowerOptions};
use crate::pack::Pack;
use crate::places::Answers;

/// A place to rewrite.
pub(crate) struct Task<'t> {
    /// The document.
    pub(crate) root: &'t mut Value,
    /// The document before this round, for references.
    pub(crate) before: &'t Value,
    /// The pointer to the schema.
    pub(crate) pointer: &'t str,
    /// The keyword at fault. Empty if no keyword is.
    pub(crate) keyword: &'t str,
    /// The keyword of the schema around the place that holds it.
    pub(crate) held_by: &'t str,
    /// The keys for which some object allows `null`.
    pub(crate) nullable: &'t FxHashSet<String>,
    /// The number of schemas that were printed.
    pub(crate) tries: &'t Cell<usize>,
    /// Which branches overlap, as far as it was asked.
    pub(crate) answers: &'t Answers,
    /// The pack of the target.
    pub(crate) pack: &'t Pack,
    /// The options.
    pub(crate) options: &'t LowerOptions,
}

/// What a rewriting did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The effect on the values of the place.
    pub(crate) gives: Gives,
    /// Whether other keywords of the place changed, so that other findings about it may no longer hold.
    pub(crate) moved: bool,
}

impl Outcome {
    /// Only the keyword at fault changed.
    pub(crate) fn keyword(gives: Gives) -> Option<Self> {
        Some(Self { gives, moved: false })
    }

    /// The schema changed.
    pub(crate) fn schema(gives: Gives) -> Option<Self> {
        Some(Self { gives, moved: true })
    }
}

impl Task<'_> {
    /// Returns the same task, to be changed in part.
    pub(crate) fn again(&mut self) -> Task<'_> {
        let Task {
            before, pointer, keyword, held_by, nullable, tries, answers, pack, options, ..
        } = *self;
        let root = &mut *self.root;
        Task { root, before, pointer, keyword, held_by, nullable, tries, answers, pack, options }
    }

    /// Returns the schema as an object.
    pub(crate) fn schema(&mut self) -> Option<&mut Map<String, Value>> {
        self.root.pointer_mut(self.pointer)?.as_object_mut()
    }

    /// Returns the schema, whatever it is.
    pub(crate) fn value(&mut self) -> Option<&mut Value> {
        self.root.pointer_mut(self.pointer)
    }

    /// Whether the target enforces a keyword in some form.
    pub(crate) fn takes(&self, keyword: &str) -> bool {
        self.pack.keywords.get(keyword).is_some_and(|entry| entry.is == Treatment::Enforced)
    }

    /// Whether fewer values are better than more.
    pub(crate) fn prefers_fewer(&self) -> bool {
        self.options.keep == Keep::Narrower
    }

    /// Whether some rule of the target asks for a rewriting.
    pub(crate) fn asks_for(&self, name: &str) -> bool {
        self.pack.rules.iter().any(|rule| {
            rule.entry.is == Treatment::Refused && rule.entry.instead.iter().any(|one| one == name)
        })
    }
}
