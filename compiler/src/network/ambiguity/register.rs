//! Registers whose values are unknown, and whose sources are known.

/// A register, described by the source of its value and the updates since. A source is a number;
/// equal sources mean equal initial values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Register {
    /// The rule has no register, or its register is zero.
    None,
    /// A countdown of repetitions or increments. `decremented` is how often it was decremented
    /// since the source.
    Count { source: u32, decremented: u32 },
    /// The bit set of the required keys that are still missing. `written` has the bits that were
    /// cleared since the source.
    RequiredKeys { source: u32, written: u32 },
    /// The items so far of a distinct rule (an array whose items must differ).
    Items { source: u32 },
    /// A node of a packed string set (texts as a packed automaton), by its address in bytes.
    Node(u32),
}

impl Register {
    /// Returns the number of the source. Returns `None` if the value of the register is known.
    pub(super) fn source(self) -> Option<u32> {
        match self {
            Self::None | Self::Node(_) => None,
            Self::Count { source, .. }
            | Self::RequiredKeys { source, .. }
            | Self::Items { source } => Some(source),
        }
    }
}
