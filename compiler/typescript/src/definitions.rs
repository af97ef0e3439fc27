//! The definitions of a document, by declaration and type arguments.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

/// A declaration with its arguments. Arguments are compared by their schemas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Instance {
    /// Index of the declaration.
    pub(super) declaration: usize,
    /// The texts of the arguments' schemas.
    pub(super) arguments: Vec<String>,
}

/// A definition that is not made yet.
#[derive(Debug)]
pub(super) struct Pending {
    /// Index of the declaration.
    pub(super) declaration: usize,
    /// Index of the environment within the declaration.
    pub(super) env: usize,
    /// The name of the definition.
    pub(super) key: String,
}

/// The names of the definitions, and the worklist of those that are not made yet.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    keys: FxHashMap<Instance, String>,
    taken: FxHashSet<String>,
    /// The definitions that are not made yet, in the order of their first references.
    pub(super) queue: VecDeque<Pending>,
}

impl Definitions {
    /// Returns the name of an instance's definition, if it has one.
    pub(super) fn key(&self, instance: &Instance) -> Option<&str> {
        self.keys.get(instance).map(String::as_str)
    }

    /// Names the definition of an instance: `name`, or `name-1` and so on if that is taken.
    pub(super) fn add(&mut self, instance: Instance, name: &str) -> String {
        let numbered = (1..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let key = names.find(|key| !self.taken.contains(key)).unwrap_or_default();
        self.taken.insert(key.clone());
        self.keys.insert(instance, key.clone());
        key
    }
}

/// Returns the reference to a definition, a fragment of a URI.
pub(super) fn reference(key: &str) -> String {
    format!("#/$defs/{}", encoded(key))
}

/// Returns a name within the fragment of a URI.
fn encoded(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'$' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}
