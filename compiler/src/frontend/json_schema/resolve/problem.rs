//! Why a reference leads nowhere, and what to do about it.

use referencing::Error;

use crate::diagnostics::Diagnostic;

use super::super::document::{Document, NodeId};
use super::library;

/// Why a reference leads nowhere.
pub(super) enum Problem {
    /// No schema has this URI.
    Missing {
        /// The URI.
        uri: String,
    },
    /// The schema has no such place.
    Nowhere,
    /// The library's reason.
    Library(Error),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error {
            Error::PointerToNowhere { .. } | Error::InvalidArrayIndex { .. } => Self::Nowhere,
            other => Self::Library(other),
        }
    }
}

impl Problem {
    /// The error at a reference.
    pub(super) fn at(self, document: &Document<'_>, node: NodeId, reference: &str) -> Diagnostic {
        let (text, help) = match self {
            Self::Missing { uri } => {
                let file = uri.strip_prefix(library::ROOT).unwrap_or(&uri);
                (
                    format!("the reference {reference:?} leads to `{file}`, which is not at hand"),
                    "give that schema with `--registry`, or copy it under `$defs` and refer to it as `#/$defs/NAME`",
                )
            }
            Self::Nowhere => (
                format!("the reference {reference:?} points at nothing"),
                "a reference within a schema is `#` and a JSON pointer, such as `#/$defs/NAME`, or `#` and an anchor",
            ),
            Self::Library(Error::NoSuchAnchor { anchor } | Error::InvalidAnchor { anchor }) => (
                format!(
                    "the reference {reference:?} points at nothing: no schema here has the anchor `{anchor}`"
                ),
                "give the schema the anchor with `$anchor`, or refer to it by JSON pointer, such as `#/$defs/NAME`",
            ),
            Self::Library(error) => (
                format!("the reference {reference:?} cannot be followed: {error}"),
                "a reference is a URI, then `#` and a JSON pointer or an anchor",
            ),
        };
        document.error("json-schema::unresolved-reference", node, text).with_help(help)
    }
}
