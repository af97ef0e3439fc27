//! Dynamic scopes: they determine the target of a dynamic reference from the resources entered before it.
//!
//! A dynamic reference leads to the outermost entered resource that has the anchor. So a scope is reduced to this:
//! for each name of a dynamic anchor, the first node with it. `$recursiveAnchor` is an anchor without a name. The
//! number of scopes is finite even if schemas recur, and paths with equal anchors have one scope. A document without
//! dynamic anchors has only the empty scope.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::document::NodeId;

/// Number of a resource: a schema with a URI of its own. 0 is the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ResourceId(pub(super) u32);

/// Number of a scope; 0 is the empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ScopeId(u32);

/// A dynamic anchor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Anchor {
    /// Its name; empty for `$recursiveAnchor`.
    pub(super) name: Box<str>,
    /// The schema that has it.
    pub(super) node: NodeId,
    /// The resource of that schema.
    pub(super) resource: ResourceId,
}

/// Most scopes. Each may read every schema once more.
pub(super) const MAX_SCOPES: usize = 1_000;

/// All scopes, each sorted by name.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    all: IndexSet<Vec<Anchor>, FxBuildHasher>,
}

impl Scopes {
    /// Returns the scope inside a resource with these anchors. `None` if there are too many scopes.
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

    /// Returns the first anchor of this name in the scope.
    pub(super) fn find(&self, scope: ScopeId, name: &str) -> Option<&Anchor> {
        let anchors = self.anchors(scope);
        let at = anchors.binary_search_by(|anchor| (*anchor.name).cmp(name)).ok()?;
        Some(&anchors[at])
    }

    fn anchors(&self, scope: ScopeId) -> &[Anchor] {
        let index = (scope.0 as usize).checked_sub(1);
        index.and_then(|index| self.all.get_index(index)).map_or(&[], Vec::as_slice)
    }
}
