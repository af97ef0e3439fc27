//! Why a graph has no rule with registers.

/// Why a graph has no rule with registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Counts of one state diverge without bound, or no count is far: the graph is unrolled.
    Unrolled,
    /// A token can distinguish a far count of this counter from an exact one: a smaller zone may avoid it.
    Distinguished(usize),
    /// Counters that share a field of the register are far at the same time.
    Shared,
    /// This counter cannot be a near-bound counter. A token may set it near its bound, its walks are too many, or other
    /// counters change the texts that are allowed near its bound.
    NearBound(usize),
    /// There would be more states than allowed, or the budget is spent.
    Limit,
}
