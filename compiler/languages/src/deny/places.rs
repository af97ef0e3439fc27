//! Finds denied keywords in a report, and their places in the source.

use indexmap::IndexMap;

use super::Deny;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::report::{Report, ReportEntry, Verdict};
use grammarc_grammar::diagnostics::{Diagnostic, Source};
use grammarc_json_schema as json_schema;
use grammarc_json_schema::document::{Document, Json, NodeId};
use grammarc_json_schema::{is_unknown_keyword, unknown_help};

impl Deny {
    /// Whether an entry of a report is of this kind, so that it is denied.
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

/// Returns the errors for denied keywords. Keywords of one kind with the same message share an error, which points at
/// the first of them. Cost: linear in the report, and in the source if something is denied.
pub fn denied(source: &Source, report: &Report, deny: &[Deny]) -> Vec<Diagnostic> {
    let applies = |entry: &ReportEntry<'_>| deny.iter().any(|what| what.applies(entry));
    if deny.is_empty() || !report.entries().any(|entry| applies(&entry)) {
        return Vec::new();
    }
    // If the source is not JSON, pointers have no places in it.
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

/// A denied keyword, with its place.
struct Denied {
    pointer: Box<str>,
    /// The value of the keyword in the document. `None` if the source is not JSON.
    node: Option<NodeId>,
    keyword: Box<str>,
    /// The name of the format, if the keyword is an unknown `format`.
    format: Option<String>,
}
