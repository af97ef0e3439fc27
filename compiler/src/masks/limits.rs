//! Bounds on the computation of masks, and the error where one is met.

/// Bounds on the computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskLimits {
    /// Pairs of a return state and an exit class.
    pub pairs: usize,
    /// Dense rows of the network's own.
    pub rows: usize,
}

impl Default for MaskLimits {
    fn default() -> Self {
        Self { pairs: 2_000_000, rows: 16_384 }
    }
}

/// Why the masks were not computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MaskError {
    /// A limit was met.
    #[error("{what} would exceed the limit of {limit}")]
    Limit {
        /// Name of the thing counted.
        what: &'static str,
        /// How many are allowed.
        limit: usize,
        /// The own state at which it happened.
        state: u32,
    },
    /// The budget of the compilation is spent.
    #[error("the budget was spent after {states} of {total} states")]
    Spent {
        /// States or pairs done, of those that were to be done at once.
        states: usize,
        /// So many these were.
        total: usize,
        /// The own state that was to be next.
        state: u32,
    },
}
