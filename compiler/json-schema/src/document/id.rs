//! Numbers of values.

/// Number of a value within its document, in the order of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Index for tables with one entry per value.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}
