//! Differences of two schemas or two lists of tools, as data that serializes to JSON.

use std::fmt;
use std::sync::atomic::Ordering;
use std::time::Instant;

use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_json_schema::relation::{
    Change, Compared, Reason, RelationOptions, Side, Which, compare,
};
use serde::Serialize;
use serde_json::Value;

use super::tools::tools;

/// The compatibility that a change of a schema must preserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compatible {
    /// Input compatibility: the new schema allows every value that the old one allows. Existing senders stay valid.
    Input,
    /// Output compatibility: the old schema allows every value that the new one allows. Existing readers stay valid.
    Output,
    /// Input and output compatibility: both schemas allow the same values.
    Both,
}

impl Compatible {
    /// All variants, each with its name.
    pub const NAMED: [(&'static str, Self); 3] =
        [("input", Self::Input), ("output", Self::Output), ("both", Self::Both)];

    /// Returns the variant with a name. `None` for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Whether two compared schemas are compatible in this sense. `None` if undecided.
    fn holds(self, compared: &Compared) -> Option<bool> {
        let is_empty = |side: &Side| match side {
            Side::Empty { .. } => Some(true),
            Side::Witness { .. } => Some(false),
            Side::Unknown(_) => None,
        };
        let (input, output) = (is_empty(&compared.left_only), is_empty(&compared.right_only));
        match self {
            Self::Input => input,
            Self::Output => output,
            Self::Both => match (input, output) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (input, output) => Some(input? && output?),
            },
        }
    }
}

/// An error of [`differences`]: two sources cannot be compared.
#[derive(Clone, Debug)]
pub enum DiffError {
    /// One source is a schema, the other a list of tools.
    Kinds,
    /// A schema has errors.
    Refused {
        /// The schema with errors. Its name is that of its tool, if it comes from a list.
        source: Source,
        /// Its errors, at least one.
        errors: Vec<Diagnostic>,
    },
}

impl fmt::Display for DiffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kinds => f.write_str("one source is a schema, and the other a list of tools"),
            Self::Refused { source, errors } => match errors.first() {
                Some(error) => write!(f, "{}: {error}", source.name),
                None => write!(f, "{}: it has errors", source.name),
            },
        }
    }
}

impl std::error::Error for DiffError {}

/// Time limit for a list of tools, as a multiple of the limit of one comparison. Tools beyond it are undecided.
const MOST_TIMES: u32 = 30;

/// Compares two schemas, or two lists of tools. Lists give one difference for each tool: first the tools of the old
/// list in order, then those of the new list alone. A list may take thirty times the time limit of one comparison.
/// Later tools are undecided.
///
/// # Errors
///
/// Returns a [`DiffError`] if the sources are of different kinds, or if a schema has errors.
pub fn differences(
    old: &Source,
    new: &Source,
    compatible: Compatible,
    options: &RelationOptions,
) -> Result<Vec<Difference>, DiffError> {
    let related = |old: &Source, new: &Source| {
        compare(old, new, options).map_err(|refused| {
            let source = if refused.side == Which::Left { old } else { new };
            DiffError::Refused { source: source.clone(), errors: refused.errors }
        })
    };
    match (tools(&old.text), tools(&new.text)) {
        (Some(old), Some(mut new)) => {
            let mut all = Vec::with_capacity(old.len());
            let begin = Instant::now();
            let is_spent = || {
                begin.elapsed() > options.time * MOST_TIMES
                    || options.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
            };
            for (name, schema) in old {
                all.push(match new.shift_remove(&name) {
                    Some(_) if is_spent() => Difference::undecided(name),
                    Some(other) => {
                        let [old, new] =
                            [schema, other].map(|schema| Source::new(name.clone(), schema));
                        Difference::new(Some(name), related(&old, &new)?, compatible)
                    }
                    None => Difference::alone(name, "removed", compatible == Compatible::Output),
                });
            }
            let added = |name| Difference::alone(name, "added", compatible == Compatible::Input);
            all.extend(new.into_keys().map(added));
            Ok(all)
        }
        (None, None) => Ok(vec![Difference::new(None, related(old, new)?, compatible)]),
        _ => Err(DiffError::Kinds),
    }
}

/// The difference of two schemas, or of two versions of a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Name of the tool. `None` for schemas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The relation of the old to the new schema: `equal`, `within`, `contains`, `overlapping`, `disjoint` or
    /// `unknown`. A tool of one list alone is `added` or `removed`.
    pub relation: &'static str,
    /// Whether the change is compatible in the requested sense. `None` if undecided.
    pub compatible: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// Values that only the old schema allows. `None` for a tool that only one list has.
    pub left_only: Option<SideValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// Values that only the new schema allows. `None` for a tool that only one list has.
    pub right_only: Option<SideValue>,
    /// The keywords in which the documents differ.
    pub changes: Vec<ChangeValue>,
    /// The reasons why the relation is undecided.
    pub undecided: Vec<ReasonValue>,
    /// Keywords that the compiler only approximates, with the reasons. The relation holds for the approximations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assuming: Vec<ReasonValue>,
}

/// Values that one schema allows and the other refuses: none, an example, or undecided.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SideValue {
    /// No such value exists. This is a proof only if `proved` is set.
    Empty {
        /// Always `true`. The field marks the variant in JSON.
        empty: bool,
        /// Whether the answer is a proof: no keyword had to be approximated.
        proved: bool,
    },
    /// A shortest such value.
    Witness {
        /// The value.
        witness: Value,
        /// The value as JSON.
        text: String,
    },
    /// Whether such a value exists is undecided.
    Unknown {
        /// Always `true`. The field marks the variant in JSON.
        unknown: bool,
    },
}

/// A keyword in which the documents differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeValue {
    /// JSON pointer in the old document. `None` if it lacks the keyword.
    pub left: Option<String>,
    /// JSON pointer in the new document. `None` if it lacks the keyword.
    pub right: Option<String>,
    /// The keyword. Empty for a schema as a whole.
    pub keyword: String,
    /// `none`, `narrower`, `wider`, `different` or `unknown`.
    pub effect: &'static str,
}

/// A reason for an undecided or approximate answer, as serialized.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReasonValue {
    /// The document with the keyword: `left` for the old one, `right` for the new one. `None` if no keyword is the
    /// reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<&'static str>,
    /// JSON pointer to the keyword in its document.
    pub pointer: String,
    /// The reason, in words.
    pub reason: String,
}

impl From<&Side> for SideValue {
    fn from(side: &Side) -> Self {
        match side {
            Side::Empty { assuming } => Self::Empty { empty: true, proved: assuming.is_empty() },
            Side::Witness { text } => {
                let witness = serde_json::from_str(text).unwrap_or_default();
                Self::Witness { witness, text: text.clone() }
            }
            Side::Unknown(_) => Self::Unknown { unknown: true },
        }
    }
}

impl From<Change> for ChangeValue {
    fn from(Change { left, right, keyword, effect }: Change) -> Self {
        Self { left, right, keyword, effect: effect.name() }
    }
}

impl From<&Reason> for ReasonValue {
    fn from(Reason { side, pointer, text }: &Reason) -> Self {
        let (pointer, reason) = (pointer.clone(), text.clone());
        Self { side: side.map(Which::name), pointer, reason }
    }
}

impl Difference {
    /// Returns the undecided difference of a tool that was not compared, because the time was spent.
    fn undecided(tool: String) -> Self {
        let reason = ReasonValue {
            side: None,
            pointer: String::new(),
            reason: "no time is left for this tool".to_owned(),
        };
        Self { compatible: None, undecided: vec![reason], ..Self::alone(tool, "unknown", false) }
    }

    fn new(tool: Option<String>, compared: Compared, compatible: Compatible) -> Self {
        let [mut undecided, mut assuming] = [Vec::new(), Vec::new()];
        for side in [&compared.left_only, &compared.right_only, &compared.both] {
            let (reasons, list) = match side {
                Side::Unknown(reasons) => (reasons, &mut undecided),
                Side::Empty { assuming: reasons } => (reasons, &mut assuming),
                Side::Witness { .. } => continue,
            };
            for reason in reasons.iter().map(ReasonValue::from) {
                if !list.contains(&reason) {
                    list.push(reason);
                }
            }
        }
        Self {
            tool,
            relation: compared.relation.name(),
            compatible: compatible.holds(&compared),
            left_only: Some(SideValue::from(&compared.left_only)),
            right_only: Some(SideValue::from(&compared.right_only)),
            changes: compared.changes.into_iter().map(ChangeValue::from).collect(),
            undecided,
            assuming,
        }
    }

    /// Returns the difference for a tool that only one list has.
    fn alone(tool: String, relation: &'static str, compatible: bool) -> Self {
        Self {
            tool: Some(tool),
            relation,
            compatible: Some(compatible),
            left_only: None,
            right_only: None,
            changes: Vec::new(),
            undecided: Vec::new(),
            assuming: Vec::new(),
        }
    }
}
