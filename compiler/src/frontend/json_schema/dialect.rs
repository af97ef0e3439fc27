//! Dialects: the drafts of JSON Schema and how a document names its own.

use crate::diagnostics::Diagnostic;

use super::document::{Document, Json, NodeId};

/// A draft of JSON Schema, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Draft {
    /// Draft 4 of 2013.
    Draft4,
    /// Draft 6 of 2017.
    Draft6,
    /// Draft 7 of 2018.
    Draft7,
    /// 2019-09.
    Draft201909,
    /// 2020-12.
    Draft202012,
}

impl Draft {
    /// The draft of a meta-schema URI.
    fn from_uri(uri: &str) -> Option<Self> {
        let uri = uri.trim_end_matches('#');
        let path = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://"))?;
        match path {
            "json-schema.org/draft-04/schema" => Some(Self::Draft4),
            "json-schema.org/draft-06/schema" => Some(Self::Draft6),
            "json-schema.org/draft-07/schema" => Some(Self::Draft7),
            "json-schema.org/draft/2019-09/schema" => Some(Self::Draft201909),
            "json-schema.org/draft/2020-12/schema" | "json-schema.org/schema" => {
                Some(Self::Draft202012)
            }
            _ => None,
        }
    }
}

/// The dialect of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// The draft whose rules hold.
    pub(crate) draft: Draft,
    /// Whether `$schema` says so. Where it does not, older drafts' spellings are understood as well.
    pub(crate) declared: bool,
}

impl Dialect {
    /// Reads `$schema` at the root. A URI that is not a draft's counts as absent, with a warning.
    pub(crate) fn of(document: &Document, findings: &mut Vec<Diagnostic>) -> Self {
        let undeclared = Self { draft: Draft::Draft202012, declared: false };
        let Some(node) = document.get(document.root(), "$schema") else { return undeclared };
        match Self::named(document, node) {
            Some(draft) => Self { draft, declared: true },
            None => {
                let warning = Diagnostic::warning(
                    "json-schema::unknown-dialect",
                    "`$schema` names no known draft; read as draft 2020-12",
                );
                findings.push(document.place(warning, node));
                undeclared
            }
        }
    }

    /// The draft that a `$schema` value names.
    pub(crate) fn named(document: &Document, node: NodeId) -> Option<Draft> {
        match document.json(node) {
            Json::String(uri) => Draft::from_uri(uri),
            _ => None,
        }
    }

    /// Whether the keyword siblings of a `$ref` count.
    pub(crate) fn siblings_of_ref(self) -> bool {
        self.draft >= Draft::Draft201909
    }

    /// Whether `prefixItems` is a keyword.
    pub(crate) fn prefix_items(self) -> bool {
        !self.declared || self.draft >= Draft::Draft202012
    }

    /// Whether `minContains` and `maxContains` are keywords.
    pub(crate) fn counts_contains(self) -> bool {
        !self.declared || self.draft >= Draft::Draft201909
    }

    /// Whether an array of schemas under `items` describes a tuple.
    pub(crate) fn tuple_items(self) -> bool {
        !self.declared || self.draft <= Draft::Draft201909
    }
}
