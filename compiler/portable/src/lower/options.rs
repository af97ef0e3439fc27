//! Options, results and errors of lowering.

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_json_schema::relation::RelationOptions;
use serde::Serialize;
use serde_json::Value;

use super::stand_ins::StandIn;
use crate::finding::Finding;

/// Which values a lowered schema may lose or gain where no rewriting is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// The lowered schema may allow fewer values. Each of its values is a value of the source.
    #[default]
    Narrower,
    /// The lowered schema may allow more values. Each value of the source is one of its values.
    Wider,
    /// Both schemas allow the same values.
    Equal,
}

/// Options of [`lower`](super::lower()).
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// The direction for inexact rewritings: fewer values, more values, or neither.
    pub keep: Keep,
    /// Whether optional members become required, with `null` for an absent member. For targets without optional members.
    pub null_for_absent: bool,
    /// Whether a root that is not an object becomes the member `value` of one. For targets whose root has to be an
    /// object.
    pub wrap_root: bool,
    /// Whether to keep keywords whose treatment by the target is undocumented. Otherwise they are rewritten.
    pub keep_undocumented: bool,
    /// Options for reading schemas, with the time limit of each question about them.
    pub relation: RelationOptions,
}

impl Default for LowerOptions {
    fn default() -> Self {
        Self {
            keep: Keep::Narrower,
            null_for_absent: true,
            wrap_root: true,
            keep_undocumented: false,
            relation: RelationOptions::default(),
        }
    }
}

/// The effect of one rewriting on the values of its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gives {
    /// The same values are allowed.
    Equal,
    /// Fewer values are allowed.
    Narrower,
    /// More values are allowed.
    Wider,
    /// The effect is unknown, or some values are gained and others lost.
    Unknown,
}

/// A place whose rewriting was not exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lost {
    /// The JSON pointer to the place, in the document before this rewriting.
    pub pointer: String,
    /// The keyword. Empty for a schema as a whole.
    pub keyword: String,
    /// The effect on the values of the place.
    pub effect: Gives,
    /// A value that only one side allows, as JSON. `None` if none was found.
    pub witness: Option<String>,
}

/// A place that was rewritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rewritten {
    /// The JSON pointer to the place, in the document before this rewriting.
    pub pointer: String,
    /// The keyword. Empty for a schema as a whole.
    pub keyword: String,
    /// The name of the rewriting.
    pub by: &'static str,
    /// Whether the rewriting is exact by construction.
    pub equal: bool,
}

/// A schema in the form that a target takes, and its relation to the source.
#[derive(Clone, Debug, Serialize)]
pub struct Lowered {
    /// The name of the target.
    pub target: String,
    /// How the values of the lowered schema relate to those of the source: `equal`, `narrower`, `wider`, `overlapping`,
    /// `disjoint` or `unknown`. With stand-ins, of the decoded values.
    pub relation: &'static str,
    /// Whether the relation is proved, without an assumption about keywords that are only approximated.
    pub proved: bool,
    /// Whether the relation is as [`LowerOptions::keep`] asks, and the target enforces the schema.
    pub kept: bool,
    /// Always `local`: each place is rewritten by itself, so a schema closer to the source may exist.
    pub minimal: &'static str,
    /// The lowered schema.
    pub schema: Value,
    /// The lowered schema as JSON text. The text of the source if nothing changed.
    pub text: String,
    /// The places of the lowered schema whose values denote other values.
    pub stand_ins: Vec<StandIn>,
    /// A shortest value of the source that the lowered schema refuses, as JSON. The schema is compared before it gets
    /// stand-ins.
    pub missing: Option<String>,
    /// A shortest value of the lowered schema that the source refuses, as JSON. The schema is compared before it gets
    /// stand-ins.
    pub added: Option<String>,
    /// Places whose rewriting was not exact, each with an example if one was found.
    pub lost: Vec<Lost>,
    /// All places that were rewritten, in order.
    pub rewritten: Vec<Rewritten>,
    /// Findings about the lowered schema, none of which is an error.
    pub findings: Vec<Finding>,
    /// The reasons why the relation is unknown.
    pub undecided: Vec<String>,
}

/// An error of [`lower`](super::lower()): the reason why a schema has no lowered form.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LowerError {
    /// The source is not JSON, or has keywords or references that are refused.
    #[error("the schema has errors: {}", first(.0))]
    Source(Vec<Diagnostic>),
    /// No value satisfies the source.
    #[error("no value satisfies the schema, so no target can write one")]
    NoInstances,
    /// The source allows values, but the form that the target takes allows none of them.
    #[error("no value is left in the form that the target takes; another `keep` may leave some")]
    NothingLeft,
    /// A limit on the size of the schema or on time was met. The text names it.
    #[error("the schema is not lowered: {0}")]
    Stopped(String),
    /// No rewriting meets these rules of the target.
    #[error("no rewriting meets the rule `{}` of {}: {}", .0[0].rule, .0[0].target, .0[0].message)]
    NoRewriting(Vec<Finding>),
}

fn first(errors: &[Diagnostic]) -> String {
    errors.first().map_or_else(String::new, |error| error.to_string())
}
