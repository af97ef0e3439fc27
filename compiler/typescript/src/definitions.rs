//! The definitions of the schema document. Each declaration with its type arguments has one.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

/// An instance of a declaration: the declaration with its type arguments, which are compared by
/// their schemas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Instance {
    /// The index of the declaration.
    pub(super) declaration: usize,
    /// For each type argument, the text of its schema.
    pub(super) arguments: Vec<String>,
}

/// A definition that has a name but no schema yet.
#[derive(Debug)]
pub(super) struct Pending {
    /// The index of the declaration.
    pub(super) declaration: usize,
    /// The index of the environment that has the arguments of the declaration's type parameters.
    pub(super) env: usize,
    /// The name of the definition in `$defs`.
    pub(super) key: String,
}

/// The names of all definitions, and the worklist of definitions without a schema.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    keys: FxHashMap<Instance, String>,
    taken: FxHashSet<String>,
    /// The definitions without a schema, in the order of the first references to them.
    pub(super) queue: VecDeque<Pending>,
}

impl Definitions {
    /// Returns the name of an instance's definition. `None` if it has none yet.
    pub(super) fn key(&self, instance: &Instance) -> Option<&str> {
        self.keys.get(instance).map(String::as_str)
    }

    /// Names the definition of an instance: `name`, or `name-1` and so on if that name is taken.
    pub(super) fn add(&mut self, instance: Instance, name: &str) -> String {
        let numbered = (1..).map(|number| format!("{name}-{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(numbered);
        let key = names.find(|key| !self.taken.contains(key)).unwrap_or_default();
        self.taken.insert(key.clone());
        self.keys.insert(instance, key.clone());
        key
    }
}

/// Returns the value of `$ref` for a definition: a URI fragment.
pub(super) fn reference(key: &str) -> String {
    format!("#/$defs/{}", encoded(key))
}

/// Encodes a name for the fragment of a URI: other bytes than letters, digits, `-`, `_` and `$`
/// become `%XX`.
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
