//! The error of an unresolved reference, with advice.

use referencing::Error;

use grammarc_grammar::diagnostics::Diagnostic;

use super::library;
use crate::document::{Document, Json, NodeId};
use grammarc_grammar::suggest::nearest;

/// The reason why a reference has no target.
pub(super) enum Problem {
    /// The reference names a document by URI that is neither given nor published.
    Missing {
        /// The URI of that document.
        uri: String,
    },
    /// The document exists, but the reference points at no value in it.
    Nowhere,
    /// Another error of the reference library, such as a missing anchor.
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
    /// Returns the error of the reference at `node`, with advice.
    pub(super) fn at(self, document: &Document<'_>, node: NodeId, reference: &str) -> Diagnostic {
        let (text, help) = match &self {
            Self::Missing { uri } => {
                let file = uri.strip_prefix(library::ROOT).unwrap_or(uri);
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
        let help = match near(document, reference) {
            Some(near) => format!("did you mean `{near}`?"),
            None => help.to_owned(),
        };
        document.error("json-schema::unresolved-reference", node, text).with_help(help)
    }
}

/// Keywords that hold schemas for references to name.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Keywords that name a schema for references to it.
const ANCHORS: [&str; 3] = ["$anchor", "$dynamicAnchor", "$id"];

/// Returns a suggestion for a reference without a target. Candidates are a definition or an anchor of the same name, a
/// pointer with similar names, and a definition with a similar name. Returns `None` if nothing is similar.
fn near(document: &Document<'_>, reference: &str) -> Option<String> {
    let (uri, fragment) = reference.split_once('#').unwrap_or(("", reference));
    let last = fragment.rsplit(['/', '#']).next()?;
    let name = referencing::unescape_segment(last).into_owned();
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
    let anchors = anchors(document);
    if anchors.contains(&&*name) {
        return Some(format!("#{name}"));
    }
    // The content of another document is not known.
    if !uri.is_empty() || fragment.contains(':') {
        return None;
    }
    let pointer = fragment.trim_start_matches('/');
    let place = pointer.contains('/').then(|| repaired(document, pointer)).flatten();
    if let Some(place) = place.filter(|place| place != reference) {
        return Some(place);
    }
    let names =
        all.iter().flat_map(|(holder, members)| members.keys().map(move |key| (*holder, key)));
    let names: Vec<(&str, &str)> = names.collect();
    if let Some(near) = nearest(&name, names.iter().map(|(_, key)| *key)) {
        return names.into_iter().find(|(_, key)| *key == near).map(named);
    }
    nearest(&name, anchors).map(|near| format!("#{near}"))
}

/// Most values of a document whose anchors are searched for a suggestion, because each unresolved reference searches
/// again. In larger documents anchors are not suggested.
const MOST_VALUES: usize = 1 << 14;

/// Returns the names of all anchors of a document. Empty if the document has more than [`MOST_VALUES`] values.
fn anchors<'d>(document: &'d Document<'_>) -> Vec<&'d str> {
    let of_schema = |node| match document.json(node) {
        Json::Object(_) => ANCHORS.map(|keyword| document.get(node, keyword)).into_iter().flatten(),
        _ => [None; 3].into_iter().flatten(),
    };
    let nodes = document.nodes().take_while(|_| document.len() <= MOST_VALUES);
    let names = nodes.flat_map(of_schema).filter_map(|at| match document.json(at) {
        Json::String(name) if document.key(at) == "$id" => name.strip_prefix('#'),
        Json::String(name) => Some(&**name),
        _ => None,
    });
    names.collect()
}

/// Returns the pointer with each name that does not exist replaced by the most similar existing name. Returns `None` if
/// some name is similar to no existing one.
fn repaired(document: &Document<'_>, pointer: &str) -> Option<String> {
    let (mut at, mut repaired) = (document.root(), "#".to_owned());
    for segment in pointer.split('/') {
        let key = referencing::unescape_segment(segment);
        let known = match document.json(at) {
            Json::Object(members) if members.get(&key).is_none() => nearest(&key, members.keys())?,
            _ => &*key,
        };
        let step = format!("/{}", known.replace('~', "~0").replace('/', "~1"));
        at = document.walk(at, &step)?;
        repaired.push_str(&step);
    }
    Some(repaired)
}
