//! Verdicts for which a source is refused although it compiles: keywords that the grammar does not keep exactly.
//!
//! An artifact has the report of its source. So a source can be checked before its compilation, and an artifact of
//! unknown origin afterwards. The source gives the place of a keyword and the name of a format.
//!
//! Tests: `compiler/cli/tests/cli/{compile,sources}.rs` and `compiler/build/tests/build/incremental.rs`.

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
    /// Keywords for which the grammar accepts more than they allow.
    Approximate,
    /// Keywords for which the grammar accepts less than they allow.
    Narrower,
    /// `format` with an unknown name, which constrains nothing.
    UnknownFormat,
    /// Keywords of no draft or of another dialect, which constrain nothing.
    UnknownKeyword,
}

impl Deny {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Approximate, Self::Narrower, Self::UnknownFormat, Self::UnknownKeyword];

    /// Returns the name as an argument.
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

/// Returns the errors of a source for keywords that are denied. Only schemas have keywords, and no language of this
/// build reads them.
#[cfg(not(feature = "json-schema"))]
pub fn denied(
    _: &grammarc_grammar::diagnostics::Source,
    _: &grammarc_grammar::diagnostics::report::Report,
    _: &[Deny],
) -> Vec<grammarc_grammar::diagnostics::Diagnostic> {
    Vec::new()
}
