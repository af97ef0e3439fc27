//! Packs: what each target does with each keyword, as data.
//!
//! The packs of this crate are the files of `packs/`, and that of grammarc itself is computed from the compiler's table
//! of support. [`Pack::parse`] reads a pack of the user's own. Every rule has a source with an address, a date and a
//! certainty.
//!
//! | file | content |
//! | --- | --- |
//! | `dates` | the day of a date |
//! | `read` | parses and checks a pack; errors carry a pointer into the pack |
//! | `known` | the packs of this crate, by name and alias |
//! | `own` | the pack of grammarc |
//!
//! Cost: a pack is parsed once, on first use. Tests: `tests/packs.rs`, every rule by its own examples.

mod dates;
mod known;
mod own;
mod read;

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::finding::{Certainty, Treatment};
use crate::predicates::Where;

pub use known::{UnknownTarget, pack, packs};

/// The number of days after which a review of a pack is old.
const MOST_DAYS: i64 = 180;

/// What one target does with schemas.
#[derive(Clone, Debug)]
pub struct Pack {
    /// The name of the target.
    pub target: String,
    /// Other names of the target.
    pub aliases: Vec<String>,
    /// What the target is, in a few words.
    pub about: String,
    /// The date of the last review of the pack, as `YYYY-MM-DD`.
    pub reviewed: String,
    /// Whether schemas count together for one request.
    pub unit: Unit,
    /// Whether rules hold for definitions without a reference to them too.
    pub(crate) reads_all_definitions: bool,
    /// The sources of the rules, by the name that rules use.
    pub sources: IndexMap<String, SourceOf>,
    /// What the target does with each keyword. A rule about the keyword comes before.
    pub(crate) keywords: IndexMap<String, Entry>,
    /// What the target does with each format. `*` is every other name.
    pub(crate) formats: IndexMap<String, Entry>,
    /// What the target does with keywords that neither the pack nor any draft knows.
    pub(crate) unknown: Entry,
    /// Rules about keywords in some form, and about schemas as a whole.
    pub(crate) rules: Vec<Rule>,
}

/// What a target counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Each schema by itself.
    Schema,
    /// All schemas of a request.
    Request,
}

/// The source of rules: a page or a file of a package, and when it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceOf {
    /// The address of the page, or the package with its version and file.
    pub address: String,
    /// The date on which it was read, as `YYYY-MM-DD`.
    pub seen: String,
    /// How the rules of this source are known.
    pub certainty: Certainty,
}

/// What a target does with a keyword.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// What the target does.
    pub(crate) is: Treatment,
    /// The name of the source.
    pub(crate) by: String,
    /// What the finding says. Empty for the usual sentence.
    pub(crate) say: String,
    /// The names of the rewritings that `lower` tries, in order. Empty for those of the keyword.
    pub(crate) instead: Vec<String>,
    /// Whether the target does not read schemas inside the keyword.
    pub(crate) unread: bool,
}

/// A rule about a keyword in some form, or about a schema as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The identifier of the rule.
    pub(crate) id: String,
    /// The keyword that the rule is about. `None` for a rule about a schema as a whole.
    pub(crate) keyword: Option<String>,
    /// The schemas that meet the rule.
    pub(crate) meets: Where,
    /// What is counted and how many there may be. `None` for a rule that counts nothing.
    pub(crate) limit: Option<Limit>,
    /// What the target does with a schema that meets the rule.
    pub(crate) entry: Entry,
    /// What to change. Empty for the usual advice.
    pub(crate) change: String,
    /// A schema that meets the rule, and one that does not.
    pub(crate) examples: [Value; 2],
}

/// A limit on a count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The name of the count.
    pub(crate) count: String,
    /// The greatest count that is allowed.
    pub(crate) most: u64,
    /// Whether all schemas of a request count together.
    pub(crate) over: Unit,
}

/// A pack whose last review is old.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OldPack {
    /// The name of the target.
    pub target: String,
    /// The date of the last review, as `YYYY-MM-DD`.
    pub reviewed: String,
    /// The number of days since then.
    pub days: i64,
}

impl std::fmt::Display for OldPack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { target, reviewed, days } = self;
        write!(
            f,
            "the rules of `{target}` were reviewed on {reviewed}, {days} days ago, and may be out of date"
        )
    }
}

impl Pack {
    /// Returns the age of the pack if its review is more than 180 days before `today`, a date as `YYYY-MM-DD`.
    pub fn old(&self, today: &str) -> Option<OldPack> {
        let days = dates::day(today)? - dates::day(&self.reviewed)?;
        let (target, reviewed) = (self.target.clone(), self.reviewed.clone());
        (days > MOST_DAYS).then_some(OldPack { target, reviewed, days })
    }

    /// Returns the entry of a format: its own, or that of all other names.
    pub(crate) fn format(&self, name: &str) -> Option<&Entry> {
        self.formats.get(name).or_else(|| self.formats.get("*"))
    }

    /// Returns the examples of each rule: its identifier, a schema that meets it, and one that does not.
    pub fn examples(&self) -> impl Iterator<Item = (&str, &Value, &Value)> {
        self.rules.iter().map(|rule| (&*rule.id, &rule.examples[0], &rule.examples[1]))
    }

    /// Whether the pack has an entry or a rule for a keyword.
    pub fn knows(&self, keyword: &str) -> bool {
        let has_rule = |rule: &Rule| rule.keyword.as_deref() == Some(keyword);
        self.keywords.contains_key(keyword) || self.rules.iter().any(has_rule)
    }
}
