//! What a target does with a keyword, and what a check found.

use serde::Serialize;

/// What a target does with a keyword or with a form of schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Treatment {
    /// The output satisfies the keyword.
    Enforced,
    /// The target refuses the request.
    Refused,
    /// The target accepts the keyword, and the output may break it.
    Ignored,
    /// The target accepts the keyword, and the output can be fewer values than the keyword allows.
    Narrower,
    /// No source says what the target does.
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
    /// Information.
    Note,
    /// No source says what the target does.
    Uncertain,
    /// The target accepts the schema, and its output differs from the schema's values.
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

/// One finding of a check: a place of a schema that a target does not treat as the schema says.
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
    /// What the target does with it.
    pub treatment: Treatment,
    /// How serious the finding is.
    pub severity: Severity,
    /// How the rule is known.
    pub certainty: Certainty,
    /// What the target does, in one sentence without a full stop.
    pub message: String,
    /// What to change. `None` if no change is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// The address of the source of the rule, or its package and file. Empty for notes.
    pub source: String,
    /// The date on which the source was read, as `YYYY-MM-DD`. Empty for notes.
    pub seen: String,
}
