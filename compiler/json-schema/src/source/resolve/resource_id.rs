//! Numbers of resources.

/// Number of a resource: a schema with a URI of its own. 0 is the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ResourceId(pub(super) u32);
