//! Bounds on the computation of masks, and the error if one is exceeded.

/// Limits on the computation of a grammar's masks: on the number of masks of tokens that continue after a call, and on
/// the number of dense rows. Beyond a limit, the computation fails with [`MaskError::Limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskLimits {
    /// The most pairs of a return state (state after a call) and a set of exits (nodes where a callee returns). For
    /// each pair, the mask of the tokens that return there and continue is computed. The default is 2,000,000.
    pub pairs: usize,
    /// The most dense rows, which store a mask with one bit per token, besides those of the vocabulary. The default is
    /// 16,384, some 260 MB for a vocabulary of 128,000 tokens.
    pub rows: usize,
}

impl Default for MaskLimits {
    fn default() -> Self {
        Self { pairs: 2_000_000, rows: 16_384 }
    }
}

/// The reason why the masks of a grammar were not computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MaskError {
    /// One of the [`MaskLimits`] would be exceeded.
    #[error("{what} would exceed the limit of {limit}")]
    Limit {
        /// Name of the quantity that is bounded, such as "dense rows".
        what: &'static str,
        /// The greatest allowed number of that quantity.
        limit: usize,
        /// Id of the grammar's state that was processed when the limit was exceeded.
        state: u32,
    },
    /// The time or the memory of the compilation's budget is used up, or the compilation was cancelled.
    #[error("the budget was spent after {states} of {total} states")]
    Spent {
        /// Number of items already processed in the current step. An item is a state, or a pair of a return state and a
        /// set of exits (nodes where a callee returns).
        states: usize,
        /// Number of items in the current step. An item is a state, or a pair of a return state and a set of exits
        /// (nodes where a callee returns).
        total: usize,
        /// Id of the grammar's state that was to be processed next.
        state: u32,
    },
}
