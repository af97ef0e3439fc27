//! Bounds on one repair.

use std::time::Duration;

/// How much one repair may take. What goes beyond is refused with [`RepairError::Limit`](super::RepairError::Limit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairLimits {
    /// Length of the text, in bytes.
    pub bytes: usize,
    /// Levels of containers in the result; `serde_json`, which reads it, has a bound of 128 as well.
    pub depth: usize,
    /// Places of the search: a text position with a grammar position. The memory of a repair is some hundred bytes each.
    pub nodes: usize,
    /// Time of the search.
    pub time: Duration,
}

impl Default for RepairLimits {
    /// 1 MiB, 128 levels, 20,000 places, 50 ms.
    fn default() -> Self {
        Self { bytes: 1 << 20, depth: 128, nodes: 20_000, time: Duration::from_millis(50) }
    }
}

/// What a repair does, besides its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairOptions {
    /// Bounds.
    pub limits: RepairLimits,
    /// What becomes of a string that is open at the end of the text.
    pub strings: OpenStrings,
    /// The text is known to be cut, such as a generation that met its limit on tokens: a number at its end is then not
    /// whole.
    pub cut: bool,
}

/// What becomes of a string that is open at the end of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenStrings {
    /// It is kept up to its last whole character.
    #[default]
    Keep,
    /// It is dropped, with its key.
    Drop,
}

/// Which limit was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The text is longer.
    Bytes,
    /// The search has more places.
    Nodes,
    /// The search takes longer.
    Time,
}
