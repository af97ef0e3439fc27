//! The resources of a document that were entered so far, by number and by URI.

use std::sync::Arc;

use referencing::{Draft as LibraryDraft, Uri};
use rustc_hash::FxHashMap;

use super::scope::{Anchor, ResourceId};
use crate::document::NodeId;
use crate::source::dialect::Dialect;

/// A schema with a URI of its own.
#[derive(Debug)]
pub(super) struct Resource {
    pub(super) uri: Arc<Uri<String>>,
    /// Its outermost schema.
    pub(super) node: NodeId,
    /// The rules by which the library reads it.
    pub(super) draft: LibraryDraft,
    pub(super) dialect: Dialect,
    /// Its dynamic anchors.
    pub(super) anchors: Vec<Anchor>,
}

/// The resources so far. The document is the first.
pub(super) struct ResourceTable {
    all: Vec<Resource>,
    /// A resource may have several URIs.
    by_uri: FxHashMap<Arc<Uri<String>>, ResourceId>,
}

impl ResourceTable {
    /// Returns the table of a document that has no identifiers.
    pub(super) fn new(document: Resource) -> Self {
        Self { all: vec![document], by_uri: FxHashMap::default() }
    }

    /// Removes all resources.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.by_uri.clear();
    }

    /// Returns a resource by number.
    pub(super) fn get(&self, id: ResourceId) -> &Resource {
        &self.all[id.0 as usize]
    }

    /// Returns the document, if it was added.
    pub(super) fn document(&self) -> Option<&Resource> {
        self.all.first()
    }

    /// Returns the resource with an outermost schema. O(resources).
    pub(super) fn at(&self, outermost: NodeId) -> Option<ResourceId> {
        let at = self.all.iter().position(|resource| resource.node == outermost)?;
        u32::try_from(at).ok().map(ResourceId)
    }

    /// Returns the resource with a URI.
    pub(super) fn with_uri(&self, uri: &Arc<Uri<String>>) -> Option<ResourceId> {
        self.by_uri.get(uri).copied()
    }

    /// Returns the number of the resource that is added next. `None` if there are too many.
    pub(super) fn next_id(&self) -> Option<ResourceId> {
        u32::try_from(self.all.len()).ok().map(ResourceId)
    }

    /// Adds a resource with the next number.
    pub(super) fn push(&mut self, resource: Resource) {
        self.all.push(resource);
    }

    /// Gives a resource another URI.
    pub(super) fn name(&mut self, uri: Arc<Uri<String>>, id: ResourceId) {
        self.by_uri.insert(uri, id);
    }
}
