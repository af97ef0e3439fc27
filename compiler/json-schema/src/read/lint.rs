//! Warnings about schemas that probably constrain less than intended: unknown keywords and formats, misspelt names in
//! `required`, and schemas inside the wrapper of an API.
//!
//! By the specification an unknown keyword constrains nothing, so a misspelt `propertys` accepts everything. The object
//! that an API takes, `{"name": …, "schema": …}`, is itself a schema without keywords. Both compile. Extensions that
//! begin with `x-` cause no warning, nor do formats that resemble none of JSON Schema.
//!
//! Cost: one look-up for each keyword occurrence and each name in `required`, and a comparison of each unknown name
//! with the known ones.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;
use grammarc_grammar::suggest::nearest;

use super::keyword::{KEYWORDS, UNKNOWN, UNKNOWN_FORMAT};
use super::required::misspelt;
use crate::document::{Document, Json, NodeId};
use crate::source::occurrence::Occurrence;
use crate::values::formats;

/// Advice on `nullable` outside of OpenAPI 3.0.
pub(crate) const NULLABLE: &str = "give `--dialect openapi-3.0`, without a `$schema` in the source; or add \"null\" to the `type`";

/// Most places of an unknown name that one warning shows. Further places only add to the number of occurrences.
const MOST_PLACES: usize = 3;
/// Most warnings of one kind. Further unknown names get none.
const MOST_NAMES: usize = 20;

/// The keys under which APIs take a schema, each with the name of the API object.
const WRAPPERS: [(&str, &str); 7] = [
    ("schema", "an OpenAI response format"),
    ("json_schema", "an OpenAI response format"),
    ("inputSchema", "an MCP tool"),
    ("input_schema", "an Anthropic tool"),
    ("outputSchema", "an MCP tool"),
    ("parameters", "an OpenAI function"),
    ("function", "an OpenAI tool"),
];

/// Returns the warnings about a document, in no particular order.
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
    found.extend(unknown_formats(document, occurrences));
    let required = occurrences.iter().map(|occurrence| occurrence.value);
    let required = required.filter(|&value| document.key(value) == "required");
    found.extend(misspelt(document, required).into_iter().take(MOST_NAMES));
    found
}

/// Adds the places of an unknown keyword or format to a warning, at most [`MOST_PLACES`] of them.
fn at_places(document: &Document<'_>, warning: Diagnostic, places: &[NodeId]) -> Diagnostic {
    let warning = warning.with_pointer(document.pointer(places[0]));
    places
        .iter()
        .take(MOST_PLACES)
        .fold(warning, |warning, &place| warning.with_label(document.key_span(place), ""))
}

/// Returns how often an unknown keyword or format occurs, in words. Empty for one occurrence.
fn times(places: &[NodeId]) -> String {
    match places.len() {
        1 => String::new(),
        count => format!(", {count} times"),
    }
}

/// Returns the warning about an unknown keyword `name` of a schema, with the places of its occurrences.
fn unknown_keyword(document: &Document<'_>, name: &str, places: &[NodeId]) -> Diagnostic {
    let times = times(places);
    let text = format!("`{name}` is not a keyword of any draft and constrains nothing{times}");
    let help = near_keyword(name).unwrap_or_else(|| {
        "names of your own begin with `x-`; `--deny unknown-keyword` refuses them".to_owned()
    });
    let warning = Diagnostic::warning("json-schema::unknown-keyword", text).with_help(help);
    at_places(document, warning, places)
}

/// Returns advice on a keyword that no draft defines, or `None` if no keyword has a similar name.
fn near_keyword(name: &str) -> Option<String> {
    let near = nearest(name, KEYWORDS.iter().map(|keyword| keyword.name))?;
    Some(format!("did you mean `{near}`?"))
}

/// Returns advice on a keyword without effect, or on the format with the name `format`. Returns `None` if there is
/// none.
pub fn unknown_help(keyword: &str, format: Option<&str>) -> Option<String> {
    match (keyword, format) {
        (_, Some(name)) => formats::meant(name),
        ("nullable", None) => Some(NULLABLE.to_owned()),
        (_, None) => {
            near_keyword(keyword).filter(|_| KEYWORDS.iter().all(|known| known.name != keyword))
        }
    }
}

/// Returns warnings about formats that no draft defines and that resemble a defined format.
fn unknown_formats(document: &Document<'_>, occurrences: &[Occurrence]) -> Vec<Diagnostic> {
    let mut names: IndexMap<&str, Vec<NodeId>, FxBuildHasher> = IndexMap::default();
    for occurrence in occurrences.iter().filter(|occurrence| occurrence.reason == UNKNOWN_FORMAT) {
        if let Json::String(name) = document.json(occurrence.value) {
            names.entry(name).or_default().push(occurrence.value);
        }
    }
    let warnings = names.into_iter().filter_map(|(name, places)| {
        let help = formats::meant(name)?;
        let times = times(&places);
        let text = format!("`{name}` is not a format of any draft and constrains nothing{times}");
        let warning = Diagnostic::warning("json-schema::unknown-format", text).with_help(help);
        Some(at_places(document, warning, &places))
    });
    warnings.take(MOST_NAMES).collect()
}

/// Returns a warning if the root has keys, none of them constrains anything, and the cause is known.
fn constrains_nothing(document: &Document<'_>, occurrences: &[Occurrence]) -> Option<Diagnostic> {
    let root = document.root();
    let Json::Object(members) = document.json(root) else { return None };
    let at_root = || occurrences.iter().filter(|o| document.parent(o.value) == Some(root));
    if at_root().any(|occurrence| occurrence.verdict != Verdict::Annotation) {
        return None;
    }
    let (text, help) = if let Some(text) = api_description(document) {
        let holder =
            if members.get("definitions").is_some() { "definitions" } else { "components/schemas" };
        let help = format!(
            "add `\"$ref\": \"#/{holder}/NAME\"` to its outermost object to compile one of its schemas"
        );
        (text, help)
    } else if let Some((key, what)) = wrapper(document) {
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

/// Returns the text of a warning if the root is an OpenAPI, Swagger or AsyncAPI document, which contains schemas and is
/// none itself.
fn api_description(document: &Document<'_>) -> Option<String> {
    let root = document.root();
    let name = ["openapi", "swagger", "asyncapi"].into_iter().find(|name| {
        let version = document.get(root, name).map(|version| document.json(version));
        matches!(version, Some(Json::String(_)))
    })?;
    let has = |key| document.get(root, key).is_some();
    (has("info") || has("paths") || has("components")).then(|| {
        format!("this constrains nothing: it is a whole document of `{name}`, which holds schemas and is none")
    })
}

/// Returns the key under which an API object holds a schema, and the name of that API object. Returns `None` if the
/// root is none.
fn wrapper(document: &Document<'_>) -> Option<(&'static str, &'static str)> {
    WRAPPERS.into_iter().find(|(key, _)| {
        let value = document.get(document.root(), key).map(|node| document.json(node));
        matches!(value, Some(Json::Object(_)))
    })
}

/// Returns advice on a root `type` that belongs to an API object and not to JSON. Returns `None` if the root is no API
/// object.
pub(crate) fn wrapped_type(document: &Document<'_>, node: NodeId) -> Option<String> {
    if document.parent(node) != Some(document.root()) {
        return None;
    }
    let (key, what) = wrapper(document)?;
    Some(format!("this looks like {what}: compile the schema under `{key}` by itself"))
}
