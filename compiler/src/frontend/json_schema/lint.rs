//! Warnings about schemas that say less than their author thinks: unknown keywords, and schemas in a wrapper.
//!
//! By the specification a keyword that nobody knows constrains nothing, so a misspelt `propertys` accepts everything; and
//! what is sent to an API, `{"name": …, "schema": …}`, is itself a schema without a single keyword. Both compile. Extensions
//! that begin with `x-` are not warned of.
//!
//! Cost: one look at each keyword that the survey met, and a comparison of each unknown name with the known ones.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::diagnostics::Diagnostic;
use crate::diagnostics::report::Verdict;
use crate::frontend::suggest::nearest;

use super::keyword::{KEYWORDS, UNKNOWN};
use super::occurrence::Occurrence;
use crate::frontend::document::{Document, Json, NodeId};

/// Places of one unknown keyword that a warning points at.
const MOST_PLACES: usize = 3;
/// Most warnings about unknown keywords.
const MOST_NAMES: usize = 20;

/// Keys under which APIs take a schema, and what holds it.
const WRAPPERS: [(&str, &str); 7] = [
    ("schema", "an OpenAI response format"),
    ("json_schema", "an OpenAI response format"),
    ("inputSchema", "an MCP tool"),
    ("input_schema", "an Anthropic tool"),
    ("outputSchema", "an MCP tool"),
    ("parameters", "an OpenAI function"),
    ("function", "an OpenAI tool"),
];

/// The warnings, in no particular order.
pub(crate) fn lint(document: &Document<'_>, occurrences: &[Occurrence]) -> Vec<Diagnostic> {
    let mut unknown: IndexMap<&str, Vec<NodeId>, FxBuildHasher> = IndexMap::default();
    for occurrence in occurrences.iter().filter(|occurrence| occurrence.reason == UNKNOWN) {
        unknown.entry(document.key(occurrence.value)).or_default().push(occurrence.value);
    }
    let mut found = Vec::new();
    if let Some(warning) = constrains_nothing(document, occurrences) {
        found.push(warning);
    }
    let named = unknown.into_iter().filter(|(name, _)| !name.starts_with("x-"));
    found.extend(
        named.take(MOST_NAMES).map(|(name, places)| unknown_keyword(document, name, &places)),
    );
    found
}

fn unknown_keyword(document: &Document<'_>, name: &str, places: &[NodeId]) -> Diagnostic {
    let times = match places.len() {
        1 => String::new(),
        count => format!(", {count} times"),
    };
    let text = format!("`{name}` is not a keyword of any draft and constrains nothing{times}");
    let help = match nearest(name, KEYWORDS.iter().map(|keyword| keyword.name)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            "names of your own begin with `x-`; `--deny unknown-keyword` refuses them".to_owned()
        }
    };
    let warning = Diagnostic::warning("json-schema::unknown-keyword", text).with_help(help);
    let warning = warning.with_pointer(document.pointer(places[0]));
    places
        .iter()
        .take(MOST_PLACES)
        .fold(warning, |warning, &place| warning.with_label(document.key_span(place), ""))
}

/// A warning where the root has keys and none of them constrains anything.
fn constrains_nothing(document: &Document<'_>, occurrences: &[Occurrence]) -> Option<Diagnostic> {
    let root = document.root();
    let Json::Object(members) = document.json(root) else { return None };
    let at_root = || occurrences.iter().filter(|o| document.parent(o.value) == Some(root));
    if at_root().any(|occurrence| occurrence.verdict != Verdict::Annotation) {
        return None;
    }
    let (text, help) = if let Some((key, what)) = wrapper(document) {
        (
            "this constrains nothing: it holds a schema and is none".to_owned(),
            format!("it looks like {what}: compile the schema under `{key}` by itself"),
        )
    } else if at_root().any(|occurrence| occurrence.reason == UNKNOWN) {
        let text = "the schema constrains nothing: it has no keyword that any draft knows";
        (text.to_owned(), "look at the unknown keywords; `type` is the usual beginning".to_owned())
    } else if members.get("$defs").is_some() || members.get("definitions").is_some() {
        let text = "the schema constrains nothing: it has definitions and refers to none";
        (text.to_owned(), "add a reference, such as `\"$ref\": \"#/$defs/NAME\"`".to_owned())
    } else {
        return None;
    };
    let warning = Diagnostic::warning("json-schema::constrains-nothing", text);
    let place = members.values().next().unwrap_or(root);
    Some(warning.with_pointer("").with_label(document.key_span(place), "").with_help(help))
}

/// The key under which an object that is no schema holds one, and what such an object is.
fn wrapper(document: &Document<'_>) -> Option<(&'static str, &'static str)> {
    WRAPPERS.into_iter().find(|(key, _)| {
        let value = document.get(document.root(), key).map(|node| document.json(node));
        matches!(value, Some(Json::Object(_)))
    })
}

/// Advice on a root `type` that is not one of JSON's but of an API's wrapper.
pub(crate) fn wrapped_type(document: &Document<'_>, node: NodeId) -> Option<String> {
    if document.parent(node) != Some(document.root()) {
        return None;
    }
    let (key, what) = wrapper(document)?;
    Some(format!("this looks like {what}: compile the schema under `{key}` by itself"))
}
