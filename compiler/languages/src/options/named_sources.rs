//! Reads and records named sources, an option of languages whose sources refer to others.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::sources::{NamedSource, Sources};
use grammarc_grammar::diagnostics::Source;

/// A named source, as given in the options: its language, text and options.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceSettings {
    language: String,
    text: String,
    #[serde(default)]
    options: Map<String, Value>,
}

/// Returns the table of the named sources that were given in the options.
pub(super) fn sources(given: BTreeMap<String, SourceSettings>) -> Sources {
    let mut sources = Sources::default();
    for (name, SourceSettings { language, text, options }) in given {
        let source = Source::new(name.as_str(), text);
        sources.add(name, NamedSource { language, options, source });
    }
    sources
}

/// Returns the names of the sources, as an artifact records them. `None` if there are no sources.
pub(super) fn recorded(sources: &Sources) -> Option<(&'static str, String)> {
    let names: Vec<&str> = sources.iter().map(|(name, _)| name).collect();
    (!names.is_empty()).then(|| ("sources", names.join(" ")))
}
