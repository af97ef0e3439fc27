//! Bounds on one repair.

use std::time::Duration;

/// How much one repair may take. A repair that would take more is refused with
/// [`RepairError::Limit`](super::RepairError::Limit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairLimits {
    /// Length of the text, in bytes.
    pub bytes: usize,
    /// Levels of containers in the result; `serde_json`, which reads it, has a bound of 128 as well.
    pub depth: usize,
    /// Places of the search: a text position with a grammar position. The memory of a repair is some hundred bytes each.
    pub nodes: usize,
    /// Steps of the search: one for each byte that a reading looks at or the grammar is handed. The time of a repair is
    /// some ten nanoseconds each; unlike a time, they are the same on every machine, and so is the result.
    pub steps: u64,
    /// Time of the search, for callers that would rather have no result than a late one. With a deadline the result
    /// depends on the machine and on what else it does, so there is none by default.
    pub deadline: Option<Duration>,
}

impl Default for RepairLimits {
    /// 1 MiB, 128 levels, 20,000 places, 8,000,000 steps, no deadline.
    fn default() -> Self {
        Self { bytes: 1 << 20, depth: 128, nodes: 20_000, steps: 8_000_000, deadline: None }
    }
}

/// The options of a repair, besides its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairOptions {
    /// Bounds.
    pub limits: RepairLimits,
    /// The treatment of a string that is open at the end of the text.
    pub strings: OpenStrings,
    /// The text is known to be cut, such as a generation that met its limit on tokens: a number at its end is then not
    /// whole.
    pub cut: bool,
    /// A scalar of another type than the schema wants becomes one of the type (`"5"` becomes `5`, and `5` becomes `"5"`), and
    /// `NaN`, `Infinity` and `undefined` become `null`: as edits that are never certain, in texts that parse as well.
    pub coerce: bool,
}

/// The treatment of a string that is open at the end of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenStrings {
    /// It is kept up to its last whole character.
    #[default]
    Keep,
    /// It is dropped, with its key.
    Drop,
}

/// The limit that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The text is longer.
    Bytes,
    /// The search has more places.
    Nodes,
    /// The search takes more steps.
    Steps,
    /// The search takes longer than its deadline.
    Time,
}
