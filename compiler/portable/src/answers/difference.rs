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

/// What a change of a schema has to preserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compatible {
    /// What was sent before is still accepted: the new schema allows all values of the old one.
    Input,
    /// What comes now was allowed before: the old schema allows all values of the new one.
    Output,
    /// Both: the old and the new schema allow the same values.
    Both,
}

impl Compatible {
    /// The values, each with its name.
    pub const NAMED: [(&'static str, Self); 3] =
        [("input", Self::Input), ("output", Self::Output), ("both", Self::Both)];

    /// Returns the value of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Whether a relation of the old to the new schema preserves this. `None` if that was not decided.
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

/// Two sources that cannot be compared.
#[derive(Clone, Debug)]
pub enum DiffError {
    /// One is a schema, and the other a list of tools.
    Kinds,
    /// A schema has errors.
    Refused {
        /// The schema, named by its tool in a list.
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

/// Most time of a list of tools, in times of one question.
const MOST_TIMES: u32 = 30;

/// Compares two schemas or two lists of tools. For lists, there is one difference for each tool: first those of the old list
/// in its order, then the new ones. Tools are undecided once thirty times the time of one question is spent.
///
/// # Errors
///
/// [`DiffError`]: the sources are of different kinds, or a schema has errors.
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
    /// `equal`, `within`, `contains`, `overlapping`, `disjoint`, `unknown`; for a tool also `added`
    /// and `removed`.
    pub relation: &'static str,
    /// Whether the change preserves what was asked for. `None` if that was not decided.
    pub compatible: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The values of the old schema alone. `None` for a tool that only one list has.
    pub left_only: Option<SideValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The values of the new schema alone.
    pub right_only: Option<SideValue>,
    /// The keywords in which the documents differ.
    pub changes: Vec<ChangeValue>,
    /// Why a relation was not decided.
    pub undecided: Vec<ReasonValue>,
    /// Keywords of both documents that the compiler only approximates. The answer assumes that each means what the
    /// compiler made of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assuming: Vec<ReasonValue>,
}

/// The values that one schema allows and the other does not.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SideValue {
    /// There are none. It is proved if no keyword is assumed to be exact.
    Empty {
        /// `true`.
        empty: bool,
        /// Whether no keyword is assumed to be exact.
        proved: bool,
    },
    /// A shortest one.
    Witness {
        /// The value.
        witness: Value,
        /// The value as JSON.
        text: String,
    },
    /// It was not decided whether there are any.
    Unknown {
        /// `true`.
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

/// Why a question was not decided, in the form in which it is written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReasonValue {
    /// `left` or `right`. `None` for a keyword of neither document.
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
    /// Returns that of a tool for which no time was left.
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
