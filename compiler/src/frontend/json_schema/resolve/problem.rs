//! Why a reference leads nowhere, and what to do about it.

use referencing::Error;

use crate::diagnostics::Diagnostic;

use super::library;
use crate::frontend::document::{Document, Json, NodeId};
use crate::frontend::suggest::nearest;

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
        if matches!(self, Self::Nowhere)
            && let Some(near) = near(document, reference)
        {
            let text = format!("the reference {reference:?} points at nothing");
            let help = format!("did you mean `{near}`?");
            let error = document.error("json-schema::unresolved-reference", node, text);
            return error.with_help(help);
        }
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

/// Keywords that hold definitions.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The definition at the root that a pointer to nothing may mean: one of the same name elsewhere, or one with a name near
/// it.
fn near(document: &Document<'_>, reference: &str) -> Option<String> {
    let (_, pointer) = reference.split_once('#')?;
    let name = referencing::unescape_segment(pointer.rsplit('/').next()?).into_owned();
    let definitions =
        |holder| match document.get(document.root(), holder).map(|at| document.json(at)) {
            Some(Json::Object(members)) => Some((holder, members)),
            _ => None,
        };
    let all: Vec<_> = DEFINITIONS.into_iter().filter_map(definitions).collect();
    let named = |(holder, name): (&str, &str)| {
        format!("#/{holder}/{}", name.replace('~', "~0").replace('/', "~1"))
    };
    if let Some((holder, _)) = all.iter().find(|(_, members)| members.get(&name).is_some()) {
        return Some(named((holder, &name)));
    }
    let names =
        all.iter().flat_map(|(holder, members)| members.keys().map(move |key| (*holder, key)));
    let names: Vec<(&str, &str)> = names.collect();
    let near = nearest(&name, names.iter().map(|(_, key)| *key))?;
    names.into_iter().find(|(_, key)| *key == near).map(named)
}
