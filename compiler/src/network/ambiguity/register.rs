//! Registers of which the source is known and not the value.

/// A register by its source, and how it changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Register {
    /// There is none, or it is zero.
    None,
    /// A countdown, and how often it was lowered.
    Count { source: u32, lowered: u32 },
    /// Marks to come, and those of them that were met.
    Marks { source: u32, met: u32 },
    /// The items of a distinct rule.
    Items { source: u32 },
    /// A node of a packed set, whose address is known.
    Node(u32),
}

impl Register {
    /// The number of its source, if it has one.
    pub(super) fn source(self) -> Option<u32> {
        match self {
            Self::None | Self::Node(_) => None,
            Self::Count { source, .. } | Self::Marks { source, .. } | Self::Items { source } => {
                Some(source)
            }
        }
    }
}
