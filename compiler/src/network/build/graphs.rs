//! The rules of graphs with counters or required keys, and the machines that were measured for them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ir::ExprGraph;
use crate::network::counting::IncrementsPerToken;

/// A rule with a register.
#[derive(Clone, Copy)]
pub(super) struct RegisterRule {
    /// The number of the rule.
    pub(super) rule: usize,
    /// The register that its activations start with.
    pub(super) register: u32,
}

/// The rules of graphs.
#[derive(Default)]
pub(super) struct GraphRules {
    /// Rules of graphs with required keys.
    pub(super) required_keys: FxHashMap<Arc<ExprGraph>, usize>,
    /// Rules of graphs with counters. `None` if the graph is unrolled.
    pub(super) counters: FxHashMap<Arc<ExprGraph>, Option<RegisterRule>>,
    /// The most increments of each counter that a token makes.
    pub(super) increments: IncrementsPerToken,
    /// Whether many sets of required keys are unrolled into states somewhere.
    pub(super) unrolls_sets: bool,
}
