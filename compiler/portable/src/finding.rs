//! Findings of a check: the treatment of a keyword by a target, with severity and certainty.

use serde::Serialize;

/// How a target treats a keyword or a form of schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Treatment {
    /// The target's output always satisfies the keyword.
    Enforced,
    /// The target refuses the request.
    Refused,
    /// The target accepts the keyword, but its output may violate it.
    Ignored,
    /// The target accepts the keyword, but cannot output all values that the keyword allows.
    Narrower,
    /// No document of the target says what it does with the keyword.
    Undocumented,
}

impl Treatment {
    /// All treatments, by name.
    pub(crate) const ALL: [(&'static str, Self); 5] = [
        ("enforced", Self::Enforced),
        ("refused", Self::Refused),
        ("ignored", Self::Ignored),
        ("narrower", Self::Narrower),
        ("undocumented", Self::Undocumented),
    ];

    /// Returns the severity of a finding with this treatment. `None` for an enforced keyword.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Enforced => None,
            Self::Refused => Some(Severity::Error),
            Self::Ignored | Self::Narrower => Some(Severity::Loss),
            Self::Undocumented => Some(Severity::Uncertain),
        }
    }
}

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information: the schema is neither refused nor changed.
    Note,
    /// No document of the target says what it does with the keyword.
    Uncertain,
    /// The target accepts the schema, but its outputs differ from the schema's values.
    Loss,
    /// The target refuses the schema.
    Error,
}

impl Severity {
    /// Returns the name of the severity, such as `loss`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Uncertain => "uncertain",
            Self::Loss => "loss",
            Self::Error => "error",
        }
    }
}

/// How a fact about a target is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// A document of the target, or a package of its vendor, says so.
    Documented,
    /// A recording of the engine shows it.
    Measured,
    /// An issue or another project reports it.
    Reported,
    /// No source says so.
    Unknown,
}

impl Certainty {
    /// All grades of certainty, by name.
    pub(crate) const ALL: [(&'static str, Self); 4] = [
        ("documented", Self::Documented),
        ("measured", Self::Measured),
        ("reported", Self::Reported),
        ("unknown", Self::Unknown),
    ];
}

/// A finding of a check: a place of a schema that a target may not treat as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The name of the target. Empty for a note that holds for all targets.
    pub target: String,
    /// The name of the tool, in a check of a list of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The rule of the target's pack: a keyword, `format/NAME`, or the identifier of a rule.
    pub rule: String,
    /// The JSON pointer to the keyword, or to the schema if no keyword is at fault.
    pub pointer: String,
    /// The keyword. Empty if no keyword is at fault.
    pub keyword: String,
    /// How the target treats the keyword or schema.
    pub treatment: Treatment,
    /// How serious the finding is.
    pub severity: Severity,
    /// How certain the rule is.
    pub certainty: Certainty,
    /// A description of the treatment, in one sentence without a full stop.
    pub message: String,
    /// Advice on how to change the schema. `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// The address of the source of the rule, or its package and file. Empty for notes.
    pub source: String,
    /// The date on which the source was read, as `YYYY-MM-DD`. Empty for notes.
    pub seen: String,
}
