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
    /// Masks cannot be near_bound by this counter: a token may set it near its bound, its walks are many, or near its bound other texts
    /// change than those that go beyond, which counters beside it do not bear.
    NearBound(usize),
    /// There would be more states than allowed, or the budget is spent.
    Limit,
}
