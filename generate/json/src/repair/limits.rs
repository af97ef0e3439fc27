//! The limits and options of a repair.

use std::time::Duration;

/// The limits of one repair. If one is exceeded, the repair fails with
/// [`RepairError::Limit`](super::RepairError::Limit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepairLimits {
    /// Maximum length of the text, in bytes.
    pub bytes: usize,
    /// Maximum depth of nested containers in the result. `serde_json`, which parses the result,
    /// also limits the depth to 128.
    pub depth: usize,
    /// Maximum number of search nodes. A node is a position in the text with a position in the
    /// grammar. Each node takes some hundred bytes of memory.
    pub nodes: usize,
    /// Maximum number of search steps: one for each byte that a reading scans or the grammar
    /// accepts. A step takes about ten nanoseconds. Steps, unlike time, are the same on every
    /// machine, and so is the result.
    pub steps: u64,
    /// Time limit of the search. With a time limit, the result depends on the machine and its load,
    /// so there is none by default.
    pub deadline: Option<Duration>,
}

impl Default for RepairLimits {
    /// Returns the limits 1 MiB, 128 levels, 20,000 nodes and 8,000,000 steps, without a time
    /// limit.
    fn default() -> Self {
        Self { bytes: 1 << 20, depth: 128, nodes: 20_000, steps: 8_000_000, deadline: None }
    }
}

/// The options of a repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairOptions {
    /// The limits of the repair.
    pub limits: RepairLimits,
    /// What to do with a string that the end of the text leaves open.
    pub strings: OpenStrings,
    /// Whether the text is known to be truncated, for example by a limit on tokens. A number at its
    /// end is then incomplete.
    pub cut: bool,
    /// Whether to convert scalars to the type that the schema requires (`"5"` to `5`, `5` to
    /// `"5"`). Also converts `NaN`, `Infinity` and `undefined` to `null`. These edits are never
    /// certain. Texts that parse are converted, too.
    pub coerce: bool,
}

/// What a repair does with a string that the end of the text leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenStrings {
    /// Keeps the string, up to its last complete character.
    #[default]
    Keep,
    /// Drops the string, and its key if it is the value of a member.
    Drop,
}

/// The limit of a repair that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The length of the text in bytes.
    Bytes,
    /// The number of search nodes.
    Nodes,
    /// The number of search steps.
    Steps,
    /// The time limit of the search.
    Time,
}
