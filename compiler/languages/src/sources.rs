//! Named sources, which other sources refer to.
//!
//! A grammar may refer by name to a source of another language. The library reads no files, so the caller hands over
//! these sources, as with schemas and their references. Language and options are kept by name, as in bindings and
//! project files. So this table depends on no front end.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::{Map, Value};

use grammarc_grammar::diagnostics::Source;

/// Sources that others may refer to. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sources {
    by_name: Arc<BTreeMap<String, NamedSource>>,
}

/// A source with its language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSource {
    /// The language's name: see [`Language::named`](super::settings::Language::named).
    pub language: String,
    /// Options of the language by name: see [`Settings::read`](super::settings::Settings::read).
    pub options: Map<String, Value>,
    /// The source.
    pub source: Source,
}

/// The keys of options count in the given order, which decides the key order of a schema among them.
impl Hash for NamedSource {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { language, options, source } = self;
        (language, source).hash(state);
        Value::Object(options.clone()).to_string().hash(state);
    }
}

impl Sources {
    /// Adds a source under a name, in place of one that had it.
    pub fn add(&mut self, name: impl Into<String>, source: NamedSource) {
        Arc::make_mut(&mut self.by_name).insert(name.into(), source);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Returns the source of a name.
    #[cfg(feature = "gbnf")]
    pub(crate) fn get(&self, name: &str) -> Option<&NamedSource> {
        self.by_name.get(name)
    }

    /// Returns all sources, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &NamedSource)> {
        self.by_name.iter().map(|(name, source)| (name.as_str(), source))
    }
}
