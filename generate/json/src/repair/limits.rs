//! Limits of one repair.

use std::time::Duration;

/// Limits of one repair. A repair that exceeds one is refused with [`RepairError::Limit`](super::RepairError::Limit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairLimits {
    /// Maximum length of the text, in bytes.
    pub bytes: usize,
    /// Maximum depth of the result. `serde_json`, which parses it, has a limit of 128 as well.
    pub depth: usize,
    /// Maximum number of search nodes: text positions times grammar positions. The memory of a repair is some hundred
    /// bytes each.
    pub nodes: usize,
    /// Maximum number of search steps: one for each byte that a reading scans or the grammar accepts. A step takes
    /// some ten nanoseconds. Unlike a time, steps are the same on every machine, and so is the result.
    pub steps: u64,
    /// Time limit of the search. With a deadline the result depends on the machine and its load, so there is none by
    /// default.
    pub deadline: Option<Duration>,
}

impl Default for RepairLimits {
    /// Returns 1 MiB, 128 levels, 20,000 nodes, 8,000,000 steps, no deadline.
    fn default() -> Self {
        Self { bytes: 1 << 20, depth: 128, nodes: 20_000, steps: 8_000_000, deadline: None }
    }
}

/// The options of a repair, besides its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairOptions {
    /// The limits.
    pub limits: RepairLimits,
    /// The treatment of a string that is open at the end of the text.
    pub strings: OpenStrings,
    /// Whether the text is known to be truncated, such as by a limit on tokens. A number at its end is then
    /// incomplete.
    pub cut: bool,
    /// Converts scalars to the type that the schema demands (`"5"` to `5`, `5` to `"5"`), and `NaN`, `Infinity` and
    /// `undefined` to `null`. The edits are never certain. Texts that parse are converted as well.
    pub coerce: bool,
}

/// The treatment of a string that is open at the end of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenStrings {
    /// Keeps the string up to its last complete character.
    #[default]
    Keep,
    /// Drops the string, with its key.
    Drop,
}

/// The limit that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Length of the text.
    Bytes,
    /// Nodes of the search.
    Nodes,
    /// Steps of the search.
    Steps,
    /// Deadline of the search.
    Time,
}
