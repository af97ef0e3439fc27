//! Why a graph has no rule with registers.

/// Why a graph has no rule with registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Counts of one state come apart without bound, or nothing is far: the graph is written out.
    Spelled,
    /// A token can tell a far count of this counter from a spelled one: a smaller zone may do.
    Told(usize),
    /// Counters that share a field are far at once.
    Shared,
    /// Masks cannot be graded by this counter beside others: the language near its bound is not that far from it, but for what
    /// goes beyond.
    Graded(usize),
    /// There would be more states than allowed, or the budget is spent.
    Limit,
}
