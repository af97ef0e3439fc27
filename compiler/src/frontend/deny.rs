//! Verdicts for which a source may be refused although it compiles: keywords that, by the report, are not kept as they
//! stand.
//!
//! The report of an artifact is that of its source, so that the question can be asked of either: before a compilation, and
//! of an artifact that somebody else has compiled.

use std::fmt;
use std::str::FromStr;

use indexmap::IndexMap;
use serde::Deserialize;

use super::json_schema::UNKNOWN_KEYWORD;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::report::{Report, ReportEntry, Verdict};

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
    /// Keywords that no draft defines, which constrain nothing.
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

    fn applies(self, entry: &ReportEntry<'_>) -> bool {
        match self {
            Self::Approximate => entry.verdict == Verdict::Approximate,
            Self::Narrower => entry.verdict == Verdict::Narrower,
            Self::UnknownFormat => {
                entry.keyword == "format" && entry.verdict == Verdict::Annotation
            }
            Self::UnknownKeyword => {
                entry.reason == UNKNOWN_KEYWORD && !entry.keyword.starts_with("x-")
            }
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

/// One error for each kind of keyword that is denied and the reason for it, at the first place of it. Linear in the report.
pub fn denied(report: &Report, deny: &[Deny]) -> Vec<Diagnostic> {
    if deny.is_empty() {
        return Vec::new();
    }
    let mut places: IndexMap<(Deny, String), Vec<String>> = IndexMap::new();
    for entry in report.entries() {
        let Some(&what) = deny.iter().find(|what| what.applies(&entry)) else { continue };
        let verdict = match what {
            Deny::Approximate => "approximate",
            Deny::Narrower => "narrower",
            Deny::UnknownFormat | Deny::UnknownKeyword => "an annotation",
        };
        let message = format!("{} is {verdict}: {}", entry.keyword, entry.reason);
        places.entry((what, message)).or_default().push(entry.pointer.into());
    }
    let errors = places.into_iter().map(|((what, message), places)| {
        let code = match what {
            Deny::Approximate => "compile::approximate",
            Deny::Narrower => "compile::narrower",
            Deny::UnknownFormat => "compile::unknown-format",
            Deny::UnknownKeyword => "compile::unknown-keyword",
        };
        let (first, others) = (&places[0], &places[1..]);
        let message = match others {
            [] => message,
            [..] => {
                let named: Vec<&str> = others.iter().take(2).map(String::as_str).collect();
                format!("{message} ({} places, {} among them)", places.len(), named.join(" and "))
            }
        };
        let help = format!("rewrite this part of the source, or do not deny {what}");
        Diagnostic::error(code, message).with_pointer(first).with_help(help)
    });
    errors.collect()
}
