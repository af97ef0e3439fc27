//! Keywords that a source must not have: what a caller refuses that the front end would take and report.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::diagnostics::Diagnostic;
use crate::diagnostics::report::{ReportEntry, Verdict};
use crate::ir::Lowered;

use super::super::json_schema::UNKNOWN_KEYWORD;

/// Keywords that a source must not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deny {
    /// Keywords of which the grammar accepts more than they say.
    Approximate,
    /// Keywords of which the grammar accepts less than they say.
    Narrower,
    /// `format` with a name that is not known, which constrains nothing.
    UnknownFormat,
    /// Keywords that no draft defines, which constrain nothing.
    UnknownKeyword,
}

impl Deny {
    /// Its name as an option.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approximate => "approximate",
            Self::Narrower => "narrower",
            Self::UnknownFormat => "unknown-format",
            Self::UnknownKeyword => "unknown-keyword",
        }
    }

    /// Code of its diagnostics.
    fn code(self) -> &'static str {
        match self {
            Self::Approximate => "compile::approximate",
            Self::Narrower => "compile::narrower",
            Self::UnknownFormat => "compile::unknown-format",
            Self::UnknownKeyword => "compile::unknown-keyword",
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

/// One error for each kind of keyword that is denied and the reason for it, at the first place of it. O(report).
pub fn refusals(lowered: &Lowered, deny: &[Deny]) -> Vec<Diagnostic> {
    if deny.is_empty() {
        return Vec::new();
    }
    let mut places: IndexMap<(Deny, String), Vec<String>> = IndexMap::new();
    for entry in lowered.report.entries() {
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
        let (first, others) = (&places[0], &places[1..]);
        let message = match others {
            [] => message,
            [..] => {
                let named: Vec<&str> = others.iter().take(2).map(String::as_str).collect();
                format!("{message} ({} places, {} among them)", places.len(), named.join(" and "))
            }
        };
        let help = format!("rewrite this part of the source, or do not deny {}", what.name());
        Diagnostic::error(what.code(), message).with_pointer(first).with_help(help)
    });
    errors.collect()
}
