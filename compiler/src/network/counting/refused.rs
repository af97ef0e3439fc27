//! The reasons why a graph with counters gets no rule with a register.

/// The reason why one attempt to build a rule with a register for a graph failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The graph has to be unrolled: the counts of one state diverge without bound, or no counter
    /// has a far zone (counts far from all bounds).
    Unrolled,
    /// Some token can distinguish a far count of the counter with this index from an exact count. A
    /// smaller far zone (counts far from all bounds) may avoid it.
    Distinguished(usize),
    /// Two counters that share a bit field of the register are far at the same time.
    Shared,
    /// The counter with this index cannot be a near-bound counter (one whose masks depend on the
    /// remaining count). A token may set the counter near its bound, its masks would need too many
    /// walks, or other counters change the texts allowed near its bound.
    NearBound(usize),
    /// The rule would have more states than allowed, or the budget is spent.
    Limit,
}
