//! Refuses sources by the report of their grammar: keywords that the grammar does not enforce exactly, or at all.
//!
//! A source can be checked before its compilation. An artifact contains the report of its source, so it can be checked
//! too. The source gives the place of a keyword and the name of a format.
//!
//! Tests: `compiler/cli/tests/cli/{compile,sources}.rs` and `compiler/build/tests/build/incremental.rs`.

#[cfg(feature = "json-schema")]
mod places;

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

#[cfg(feature = "json-schema")]
pub use places::denied;

/// A kind of keyword that makes a source refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deny {
    /// Keywords for which the grammar accepts more than the keyword allows.
    Approximate,
    /// Keywords for which the grammar accepts less than the keyword allows.
    Narrower,
    /// The keyword `format` with an unknown name, which constrains nothing.
    UnknownFormat,
    /// Keywords that no draft, or only another dialect, defines; they constrain nothing.
    UnknownKeyword,
}

impl Deny {
    /// All kinds of keywords that can be denied.
    pub const ALL: [Self; 4] =
        [Self::Approximate, Self::Narrower, Self::UnknownFormat, Self::UnknownKeyword];

    /// Returns the name of the kind, as in options and on the command line.
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

/// The error for a name that is no kind of [`Deny`].
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

/// Returns one error for each denied keyword of a source. Without JSON Schema in this build, no language has keywords,
/// so there are none.
#[cfg(not(feature = "json-schema"))]
pub fn denied(
    _: &grammarc_grammar::diagnostics::Source,
    _: &grammarc_grammar::diagnostics::report::Report,
    _: &[Deny],
) -> Vec<grammarc_grammar::diagnostics::Diagnostic> {
    Vec::new()
}
