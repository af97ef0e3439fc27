//! Schemas that the user gives for references to other documents.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;

use crate::document::MAX_DEPTH;

/// Schemas that the user gives by URI, for references to other documents. Nothing is ever fetched. A reference is an
/// error unless its URI is given here, belongs to the document, or is a published meta-schema. Cloning is O(1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Resources {
    /// Maps each absolute URI in normal form, without a fragment, to its schema.
    by_uri: Arc<BTreeMap<String, Resource>>,
}

/// A schema with the digest of its text. The order of its keys is significant, because it affects the accepted texts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Resource {
    /// The schema as a JSON value.
    schema: Value,
    /// The BLAKE3 digest of the schema's JSON text, for hashing.
    digest: [u8; 32],
}

impl Hash for Resource {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

/// The reason why a schema cannot be added to [`Resources`].
#[derive(Debug, Error)]
pub enum ResourceError {
    /// The name is not a URI reference.
    #[error("{uri:?} is not a URI: {problem}")]
    Uri {
        /// The name that was given.
        uri: String,
        /// The problem with the name, in words.
        problem: String,
    },
    /// The schema nests more than [`MAX_DEPTH`] levels of containers.
    #[error("the schema {uri:?} nests more than {MAX_DEPTH} levels deep")]
    Depth {
        /// The name that was given.
        uri: String,
    },
}

impl Resources {
    /// Adds a schema under a URI, and also under its absolute `$id` (or `id`) unless that URI is taken. Relative URIs,
    /// such as file names, serve documents without an identifier.
    ///
    /// # Errors
    ///
    /// The name is not a URI, or the schema nests too deep.
    pub fn add(&mut self, uri: &str, schema: Value) -> Result<(), ResourceError> {
        let key =
            normal(uri).map_err(|problem| ResourceError::Uri { uri: uri.to_owned(), problem })?;
        if depth(&schema, MAX_DEPTH).is_none() {
            return Err(ResourceError::Depth { uri: uri.to_owned() });
        }
        let digest = *blake3::hash(schema.to_string().as_bytes()).as_bytes();
        let by_uri = Arc::make_mut(&mut self.by_uri);
        let own = ["$id", "id"].into_iter().find_map(|key| schema.get(key)?.as_str());
        if let Some(own) = own.filter(|own| own.contains(':')).and_then(|own| normal(own).ok())
            && own != key
        {
            let resource = || Resource { schema: schema.clone(), digest };
            by_uri.entry(own).or_insert_with(resource);
        }
        by_uri.insert(key, Resource { schema, digest });
        Ok(())
    }

    /// Returns whether no schema has been added.
    pub fn is_empty(&self) -> bool {
        self.by_uri.is_empty()
    }

    /// Returns the schema of an absolute URI in normal form without a fragment, or `None`.
    pub(crate) fn get(&self, uri: &str) -> Option<&Value> {
        Some(&self.by_uri.get(uri)?.schema)
    }

    /// Returns the schema of a URI in any form, or `None`.
    pub(crate) fn named(&self, uri: &str) -> Option<&Value> {
        if self.is_empty() { None } else { self.get(&normal(uri).ok()?) }
    }
}

/// Returns an absolute URI in normal form, without its fragment. Fails with the reason if the text is no URI.
fn normal(uri: &str) -> Result<String, String> {
    let mut uri = referencing::uri::from_str(uri).map_err(|error| error.to_string())?;
    uri.set_fragment(None);
    Ok(uri.into_string())
}

/// Returns how many more levels of containers `limit` allows inside a value's deepest container. Returns `None` if the
/// value nests deeper.
fn depth(value: &Value, limit: usize) -> Option<usize> {
    let below = |limit: usize| limit.checked_sub(1);
    match value {
        Value::Array(items) => items
            .iter()
            .try_fold(below(limit)?, |least, item| Some(least.min(depth(item, limit - 1)?))),
        Value::Object(members) => members
            .values()
            .try_fold(below(limit)?, |least, item| Some(least.min(depth(item, limit - 1)?))),
        _ => Some(limit),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_normal_and_identifiers_count() {
        let mut resources = Resources::default();
        resources.add("HTTP://Example.com/a/../b#", json!({"$id": "urn:x:y"})).unwrap();
        resources.add("file.json", json!(true)).unwrap();
        assert!(resources.get("http://example.com/b").is_some());
        assert!(resources.get("urn:x:y").is_some());
        assert!(resources.named("./file.json#").is_some());
        assert!(matches!(resources.add("a b", json!({})), Err(ResourceError::Uri { .. })));
    }

    #[test]
    fn depth_is_limited() {
        let nested = |levels| (0..levels).fold(json!(true), |inner, _| json!([inner]));
        let mut resources = Resources::default();
        assert!(resources.add("a", nested(MAX_DEPTH)).is_ok());
        assert!(matches!(
            resources.add("b", nested(MAX_DEPTH + 1)),
            Err(ResourceError::Depth { .. })
        ));
    }
}
