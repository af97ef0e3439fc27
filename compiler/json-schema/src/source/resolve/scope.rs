//! Dynamic scopes: summaries of the resources entered before a dynamic reference, which determine its target.
//!
//! A dynamic reference leads to the outermost entered resource that has the anchor. So a scope is reduced to a map from
//! each name of a dynamic anchor to the first schema with it. `$recursiveAnchor` is an anchor without a name. The
//! number of scopes is finite even if schemas recur, and paths with equal anchors share one scope. A document without
//! dynamic anchors has only the empty scope.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::document::NodeId;

/// Number of a resource: a schema with a URI of its own. The document has number 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ResourceId(pub(super) u32);

/// Number of a dynamic scope: the dynamic anchors of the resources entered so far. The empty scope has number 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ScopeId(u32);

/// A dynamic anchor of a schema: `$dynamicAnchor`, or `$recursiveAnchor`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Anchor {
    /// The name of the anchor; empty for `$recursiveAnchor`.
    pub(super) name: Box<str>,
    /// The place of the schema that has the anchor.
    pub(super) node: NodeId,
    /// The resource (schema with a URI of its own) that contains the schema.
    pub(super) resource: ResourceId,
}

/// Most dynamic scopes of a document. More are an error, since every schema may be read once for each scope.
pub(super) const MAX_SCOPES: usize = 1_000;

/// All dynamic scopes of a document, each a set of dynamic anchors.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// The dynamic anchors of each dynamic scope, sorted by name; scope `n` has index `n - 1`.
    all: IndexSet<Vec<Anchor>, FxBuildHasher>,
}

impl Scopes {
    /// Returns the dynamic scope inside a resource with these dynamic anchors, entered from the scope `scope`. Returns
    /// `None` if there are more than [`MAX_SCOPES`].
    pub(super) fn inside(&mut self, scope: ScopeId, anchors: &[Anchor]) -> Option<ScopeId> {
        let is_new = |anchor: &&Anchor| self.find(scope, &anchor.name).is_none();
        let new: Vec<_> = anchors.iter().filter(is_new).cloned().collect();
        if new.is_empty() {
            return Some(scope);
        }
        let mut next = self.anchors(scope).to_vec();
        next.extend(new);
        next.sort();
        let (index, _) = self.all.insert_full(next);
        let id = index + 1;
        if id > MAX_SCOPES { None } else { u32::try_from(id).ok().map(ScopeId) }
    }

    /// Returns the outermost dynamic anchor with this name in a dynamic scope, or `None` if there is none.
    pub(super) fn find(&self, scope: ScopeId, name: &str) -> Option<&Anchor> {
        let anchors = self.anchors(scope);
        let at = anchors.binary_search_by(|anchor| (*anchor.name).cmp(name)).ok()?;
        Some(&anchors[at])
    }

    /// Returns the dynamic anchors of a dynamic scope, sorted by name.
    fn anchors(&self, scope: ScopeId) -> &[Anchor] {
        let index = (scope.0 as usize).checked_sub(1);
        index.and_then(|index| self.all.get_index(index)).map_or(&[], Vec::as_slice)
    }
}
