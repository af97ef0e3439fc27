//! Verdicts for which a source may be refused although it compiles: keywords that, by the report, are not kept as they
//! stand.
//!
//! The report of an artifact is that of its source, so that the question can be asked of either: before a compilation, and
//! of an artifact that somebody else has compiled. The source says where the keyword stands and which format it names.

use std::fmt;
use std::str::FromStr;

use indexmap::IndexMap;
use serde::Deserialize;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::report::{Report, ReportEntry, Verdict};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_json_schema as json_schema;
use grammarc_json_schema::document::{Document, Json, NodeId};
use grammarc_json_schema::{is_unknown_keyword, unknown_help};

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

    fn applies(self, entry: &ReportEntry<'_>) -> bool {
        match self {
            Self::Approximate => entry.verdict == Verdict::Approximate,
            Self::Narrower => entry.verdict == Verdict::Narrower,
            Self::UnknownFormat => {
                entry.keyword == "format" && entry.verdict == Verdict::Annotation
            }
            Self::UnknownKeyword => {
                is_unknown_keyword(entry.reason) && !entry.keyword.starts_with("x-")
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

/// Returns one error for each denied kind of keyword and its reason, at the first such place. Linear in the report, and in the
/// source if something is denied.
pub fn denied(source: &Source, report: &Report, deny: &[Deny]) -> Vec<Diagnostic> {
    let applies = |entry: &ReportEntry<'_>| deny.iter().any(|what| what.applies(entry));
    if deny.is_empty() || !report.entries().any(|entry| applies(&entry)) {
        return Vec::new();
    }
    // A source of another language has no place for a pointer.
    let parsed = Document::parse(source, json_schema::CODES, &Budget::unlimited());
    let document = parsed.ok().map(|(document, _)| document);
    let find = |pointer: &str| {
        let is_inside = pointer.is_empty() || pointer.starts_with('/');
        let document = document.as_ref().filter(|_| is_inside)?;
        document.walk(document.root(), pointer)
    };
    let text_of = |node: Option<NodeId>| match node.zip(document.as_ref()) {
        Some((node, document)) => match document.json(node) {
            Json::String(text) => Some(text.to_string()),
            _ => None,
        },
        None => None,
    };
    let mut places: IndexMap<(Deny, String), Vec<Denied>> = IndexMap::new();
    for entry in report.entries() {
        let Some(&what) = deny.iter().find(|what| what.applies(&entry)) else { continue };
        let verdict = match what {
            Deny::Approximate => "approximate",
            Deny::Narrower => "narrower",
            Deny::UnknownFormat | Deny::UnknownKeyword => "an annotation",
        };
        let node = find(entry.pointer);
        let format = text_of(node).filter(|_| what == Deny::UnknownFormat);
        let named = format.as_ref().map_or(String::new(), |format| format!(" {format:?}"));
        let message = format!("{}{named} is {verdict}: {}", entry.keyword, entry.reason);
        let (pointer, keyword) = (entry.pointer.into(), entry.keyword.into());
        places.entry((what, message)).or_default().push(Denied { pointer, node, keyword, format });
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
                let named: Vec<&str> = others.iter().take(2).map(|place| &*place.pointer).collect();
                format!("{message} ({} places, {} among them)", places.len(), named.join(" and "))
            }
        };
        let meant = match what {
            Deny::UnknownFormat => {
                first.format.as_deref().and_then(|name| unknown_help("format", Some(name)))
            }
            Deny::UnknownKeyword => unknown_help(&first.keyword, None),
            Deny::Approximate | Deny::Narrower => None,
        };
        let help = meant
            .unwrap_or_else(|| format!("rewrite this part of the source, or do not deny {what}"));
        let error = Diagnostic::error(code, message).with_pointer(&*first.pointer).with_help(help);
        match first.node.zip(document.as_ref()) {
            Some((node, document)) => error.with_label(document.key_span(node), ""),
            None => error,
        }
    });
    errors.collect()
}

/// The place of a keyword that is denied.
struct Denied {
    pointer: Box<str>,
    /// The keyword's value, if the source is JSON.
    node: Option<NodeId>,
    keyword: Box<str>,
    /// The format that the keyword names, for `format`.
    format: Option<String>,
}
