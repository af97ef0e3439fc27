//! Sources by name, among the options of languages that refer to them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::sources::{NamedSource, Sources};
use grammarc_grammar::diagnostics::Source;

/// A source that others refer to by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceSettings {
    language: String,
    text: String,
    #[serde(default)]
    options: Map<String, Value>,
}

/// Returns the sources that were given by name.
pub(super) fn sources(given: BTreeMap<String, SourceSettings>) -> Sources {
    let mut sources = Sources::default();
    for (name, SourceSettings { language, text, options }) in given {
        let source = Source::new(name.as_str(), text);
        sources.add(name, NamedSource { language, options, source });
    }
    sources
}

/// Returns the names of the sources as an artifact records them.
pub(super) fn recorded(sources: &Sources) -> Option<(&'static str, String)> {
    let names: Vec<&str> = sources.iter().map(|(name, _)| name).collect();
    (!names.is_empty()).then(|| ("sources", names.join(" ")))
}
