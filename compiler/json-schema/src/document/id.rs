//! Numbers of the JSON values of a document.

/// Number of a JSON value within its document, in the order of the text. It identifies both the value and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Returns the index of the value in tables with one entry per value.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}
