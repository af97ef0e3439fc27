//! Registers with a known source and an unknown value.

/// A register by its source and its updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Register {
    /// No register, or zero.
    None,
    /// A countdown, and how often it was decremented.
    Count { source: u32, decremented: u32 },
    /// Missing required keys, and those of them that were written since.
    RequiredKeys { source: u32, written: u32 },
    /// The items of a distinct rule.
    Items { source: u32 },
    /// A node of a packed set, by its address.
    Node(u32),
}

impl Register {
    /// Returns the source, if the register has one.
    pub(super) fn source(self) -> Option<u32> {
        match self {
            Self::None | Self::Node(_) => None,
            Self::Count { source, .. }
            | Self::RequiredKeys { source, .. }
            | Self::Items { source } => Some(source),
        }
    }
}
