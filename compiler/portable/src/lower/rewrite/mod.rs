//! Rewritings of one place of a schema, each in its own file.
//!
//! A rewriting gets the document, the pointer to the place and the keyword at fault. It changes the document and says
//! which values that gives or takes, or returns `None` and leaves the document as it is.
//!
//! | file | rewriting |
//! | --- | --- |
//! | `closed` | objects without other members |
//! | `required` | members that every object has |
//! | `root` | an object as the outermost schema |
//! | `numbers` | bounds and multiples as lists of integers |
//! | `lengths` | lengths as patterns |
//! | `formats` | formats as patterns |
//! | `patterns` | anchors, classes and groups of patterns in plain form |
//! | `unions` | `oneOf`, lists of types and keywords beside unions as `anyOf` |
//! | `logic` | conjunctions and `unevaluated*` as one schema |
//! | `references` | references to definitions, copies in place of references |
//! | `tuples` | items by position as items of one schema |
//! | `printed` | the values of a schema in plain keywords, by the compiler |
//! | `names` | constants as lists of scalars and objects |

mod closed;
mod formats;
mod lengths;
mod logic;
mod names;
mod numbers;
mod patterns;
mod printed;
mod references;
mod required;
mod root;
mod tuples;
mod unions;

use std::cell::Cell;

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use super::options::{Gives, Keep, LowerOptions};
use crate::finding::Treatment;
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

/// Applies a rewriting by its name.
pub(crate) fn apply(name: &str, task: &mut Task<'_>) -> Option<Outcome> {
    match name {
        "closed" => closed::rewrite(task),
        "drop" => drop_keyword(task),
        "formats" => formats::rewrite(task),
        "lengths" => lengths::rewrite(task),
        "logic" => logic::rewrite(task),
        "names" => names::rewrite(task),
        "numbers" => numbers::rewrite(task),
        "one-required" => required::one(task),
        "patterns" => patterns::rewrite(task),
        "printed" => printed::rewrite(task),
        "references" => references::rewrite(task),
        "required" => required::rewrite(task),
        "root" => root::rewrite(task),
        "tuples" => tuples::rewrite(task),
        "unions" => unions::rewrite(task),
        _ => None,
    }
}

/// Removes the keyword.
fn drop_keyword(task: &mut Task<'_>) -> Option<Outcome> {
    let keyword = task.keyword.to_owned();
    if keyword.is_empty() || keyword == "type" || keyword == "properties" {
        return None;
    }
    let schema = task.schema()?;
    schema.shift_remove(&keyword)?;
    // These say nothing without the keyword that they belong to.
    let dependents: &[&str] = match &*keyword {
        "if" => &["then", "else"],
        "contains" => &["minContains", "maxContains"],
        _ => &[],
    };
    dependents.iter().for_each(|dependent| {
        schema.shift_remove(*dependent);
    });
    let is_annotation = crate::places::keywords::is_annotation(&keyword);
    Outcome::keyword(if is_annotation { Gives::Equal } else { Gives::Wider })
}
