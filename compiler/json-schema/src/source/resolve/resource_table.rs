//! The resources that were entered so far, by number and by URI.

use std::sync::Arc;

use referencing::{Draft as LibraryDraft, Uri};
use rustc_hash::FxHashMap;

use super::scope::{Anchor, ResourceId};
use crate::document::NodeId;
use crate::source::dialect::Dialect;

/// A resource: a schema with a URI of its own.
#[derive(Debug)]
pub(super) struct Resource {
    /// The absolute URI of the resource.
    pub(super) uri: Arc<Uri<String>>,
    /// The place of the resource's outermost schema.
    pub(super) node: NodeId,
    /// The draft by whose rules the reference library reads the resource.
    pub(super) draft: LibraryDraft,
    /// The dialect, which decides which keywords have an effect.
    pub(super) dialect: Dialect,
    /// The dynamic anchors (`$dynamicAnchor`, `$recursiveAnchor`) of the resource.
    pub(super) anchors: Vec<Anchor>,
}

/// The resources (schemas with a URI of their own) that were entered so far. The first is the document.
pub(super) struct ResourceTable {
    /// The resources; the index of a resource is its number.
    all: Vec<Resource>,
    /// Maps each URI to its resource. A resource may have several URIs.
    by_uri: FxHashMap<Arc<Uri<String>>, ResourceId>,
}

impl ResourceTable {
    /// Creates the table of a document without identifiers, which is the only resource.
    pub(super) fn new(document: Resource) -> Self {
        Self { all: vec![document], by_uri: FxHashMap::default() }
    }

    /// Removes all resources from the table.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.by_uri.clear();
    }

    /// Returns the resource (schema with a URI of its own) with this number.
    pub(super) fn get(&self, id: ResourceId) -> &Resource {
        &self.all[id.0 as usize]
    }

    /// Returns the resource of the whole document, or `None` if it was not added yet.
    pub(super) fn document(&self) -> Option<&Resource> {
        self.all.first()
    }

    /// Returns the resource whose outermost schema is at this place, or `None`. Cost: linear in the resources.
    pub(super) fn at(&self, outermost: NodeId) -> Option<ResourceId> {
        let at = self.all.iter().position(|resource| resource.node == outermost)?;
        u32::try_from(at).ok().map(ResourceId)
    }

    /// Returns the resource with a URI, or `None` if no resource was entered under it.
    pub(super) fn with_uri(&self, uri: &Arc<Uri<String>>) -> Option<ResourceId> {
        self.by_uri.get(uri).copied()
    }

    /// Returns the number of the resource that is added next, or `None` if there are too many.
    pub(super) fn next_id(&self) -> Option<ResourceId> {
        u32::try_from(self.all.len()).ok().map(ResourceId)
    }

    /// Adds a resource with the next number.
    pub(super) fn push(&mut self, resource: Resource) {
        self.all.push(resource);
    }

    /// Records one more URI under which a resource is found.
    pub(super) fn name(&mut self, uri: Arc<Uri<String>>, id: ResourceId) {
        self.by_uri.insert(uri, id);
    }
}
