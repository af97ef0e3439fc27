//! Packs: how each target treats each keyword, as data.
//!
//! The packs of this crate are the files of `packs/`. The pack of grammarc itself is computed from the compiler's table
//! of support. [`Pack::parse`] reads a user's pack. Every rule has a source with an address, a date and a certainty.
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

/// The number of days after which the review of a pack counts as old.
const MOST_DAYS: i64 = 180;

/// How a target treats schemas: its rules, with their sources.
#[derive(Clone, Debug)]
pub struct Pack {
    /// The name of the target.
    pub target: String,
    /// Other names of the target.
    pub aliases: Vec<String>,
    /// A short description of the target.
    pub about: String,
    /// The date of the last review of the pack, as `YYYY-MM-DD`.
    pub reviewed: String,
    /// Whether limits hold for each schema, or for all schemas of a request together.
    pub unit: Unit,
    /// Whether rules also hold for definitions that no reference uses.
    pub(crate) reads_all_definitions: bool,
    /// The sources, by the names with which rules cite them.
    pub sources: IndexMap<String, SourceOf>,
    /// The target's treatment of each keyword, unless a rule about the keyword matches.
    pub(crate) keywords: IndexMap<String, Entry>,
    /// The target's treatment of each format. `*` denotes all other names.
    pub(crate) formats: IndexMap<String, Entry>,
    /// The target's treatment of keywords that are neither in the pack nor in any draft.
    pub(crate) unknown: Entry,
    /// Rules with conditions, about single keywords or about schemas as a whole.
    pub(crate) rules: Vec<Rule>,
}

/// The scope of a limit.
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
    /// How certain the facts of this source are.
    pub certainty: Certainty,
}

/// A target's treatment of a keyword, with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The treatment.
    pub(crate) is: Treatment,
    /// The name of the source.
    pub(crate) by: String,
    /// The message of the finding. Empty for the default message.
    pub(crate) say: String,
    /// The names of rewritings that `lower` tries first, in order. Those of the keyword follow.
    pub(crate) instead: Vec<String>,
    /// Whether the target ignores the schemas inside the keyword.
    pub(crate) unread: bool,
}

/// A rule with a condition, about a keyword or about a schema as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The identifier of the rule.
    pub(crate) id: String,
    /// The keyword that the rule is about. `None` for a rule about a schema as a whole.
    pub(crate) keyword: Option<String>,
    /// The condition under which the rule applies.
    pub(crate) meets: Where,
    /// The limit on a count. `None` for a rule without a count.
    pub(crate) limit: Option<Limit>,
    /// The treatment of schemas that match the rule.
    pub(crate) entry: Entry,
    /// Advice on how to change the schema. Empty for the default advice.
    pub(crate) change: String,
    /// Two examples: a schema that matches the rule, then one without a match.
    pub(crate) examples: [Value; 2],
}

/// A limit on a count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The name of the count.
    pub(crate) count: String,
    /// The greatest count that is allowed.
    pub(crate) most: u64,
    /// The scope of the count: each schema, or all schemas of a request.
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
    /// Returns the age of the pack if its last review was more than 180 days before `today`. `today` is a date
    /// `YYYY-MM-DD`. `None` if the review is recent, or if a date is malformed.
    pub fn old(&self, today: &str) -> Option<OldPack> {
        let days = dates::day(today)? - dates::day(&self.reviewed)?;
        let (target, reviewed) = (self.target.clone(), self.reviewed.clone());
        (days > MOST_DAYS).then_some(OldPack { target, reviewed, days })
    }

    /// Returns the entry of a format, or the entry `*` for formats without one.
    pub(crate) fn format(&self, name: &str) -> Option<&Entry> {
        self.formats.get(name).or_else(|| self.formats.get("*"))
    }

    /// Returns for each rule its identifier, an example that matches it, and a counterexample.
    pub fn examples(&self) -> impl Iterator<Item = (&str, &Value, &Value)> {
        self.rules.iter().map(|rule| (&*rule.id, &rule.examples[0], &rule.examples[1]))
    }

    /// Whether the pack has an entry or a rule for a keyword.
    pub fn knows(&self, keyword: &str) -> bool {
        let has_rule = |rule: &Rule| rule.keyword.as_deref() == Some(keyword);
        self.keywords.contains_key(keyword) || self.rules.iter().any(has_rule)
    }
}
