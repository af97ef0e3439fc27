//! Named sources, which other sources refer to by name.
//!
//! A grammar may refer by name to a source of another language. The library reads no files, so the caller passes these
//! sources along. Language and options are stored by name, as in bindings and project files, so this table depends on
//! no front end.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::{Map, Value};

use grammarc_grammar::diagnostics::Source;

/// A table of sources that other sources may refer to by name. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sources {
    by_name: Arc<BTreeMap<String, NamedSource>>,
}

/// A source with its language and options, to which other sources may refer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSource {
    /// The name of the language: see [`Language::named`](super::settings::Language::named).
    pub language: String,
    /// The options of the language by name: see [`Settings::read`](super::settings::Settings::read).
    pub options: Map<String, Value>,
    /// The text of the source, with its name for diagnostics.
    pub source: Source,
}

/// Hashes options in the given order. The order matters: options may contain schemas, whose key order affects the
/// grammar.
impl Hash for NamedSource {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { language, options, source } = self;
        (language, source).hash(state);
        Value::Object(options.clone()).to_string().hash(state);
    }
}

impl Sources {
    /// Adds a source under a name. A source that had the name is replaced.
    pub fn add(&mut self, name: impl Into<String>, source: NamedSource) {
        Arc::make_mut(&mut self.by_name).insert(name.into(), source);
    }

    /// Whether the table has no sources.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Returns the source of this name. `None` if there is none.
    #[cfg(feature = "gbnf")]
    pub(crate) fn get(&self, name: &str) -> Option<&NamedSource> {
        self.by_name.get(name)
    }

    /// Returns all names with their sources, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &NamedSource)> {
        self.by_name.iter().map(|(name, source)| (name.as_str(), source))
    }
}
