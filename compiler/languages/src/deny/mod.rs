//! Verdicts for which a source may be refused although it compiles: keywords that, by the report, are not kept as they
//! stand.
//!
//! The report of an artifact is that of its source, so that the question can be asked of either: before a compilation, and
//! of an artifact that somebody else has compiled. The source says where the keyword stands and which format it names.

#[cfg(feature = "json-schema")]
mod places;

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

#[cfg(feature = "json-schema")]
pub use places::denied;

/// Keywords that a source must not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deny {
    /// Of which the grammar accepts more than they say.
    Approximate,
    /// Of which the grammar accepts less than they say.
    Narrower,
    /// `format` with a name that is not known, which constrains nothing.
    UnknownFormat,
    /// Keywords that no draft or only another dialect defines, which constrain nothing.
    UnknownKeyword,
}

impl Deny {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Approximate, Self::Narrower, Self::UnknownFormat, Self::UnknownKeyword];

    /// Its name as an argument.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approximate => "approximate",
            Self::Narrower => "narrower",
            Self::UnknownFormat => "unknown-format",
            Self::UnknownKeyword => "unknown-keyword",
        }
    }
}

impl fmt::Display for Deny {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of [`Deny`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected approximate, narrower, unknown-format or unknown-keyword, and found {0:?}")]
pub struct UnknownDeny(pub String);

impl FromStr for Deny {
    type Err = UnknownDeny;

    fn from_str(name: &str) -> Result<Self, UnknownDeny> {
        let found = Self::ALL.into_iter().find(|what| what.name() == name);
        found.ok_or_else(|| UnknownDeny(name.to_owned()))
    }
}

/// Returns the errors of a source for keywords that are denied. Only schemas have keywords, and no language of this build
/// reads them.
#[cfg(not(feature = "json-schema"))]
pub fn denied(
    _: &grammarc_grammar::diagnostics::Source,
    _: &grammarc_grammar::diagnostics::report::Report,
    _: &[Deny],
) -> Vec<grammarc_grammar::diagnostics::Diagnostic> {
    Vec::new()
}
