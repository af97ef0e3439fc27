//! The rules made for graphs with counters or required keys.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ir::ExprGraph;
use crate::network::counting::IncrementsPerToken;

/// A rule whose activations (calls in progress) have a register.
#[derive(Clone, Copy)]
pub(super) struct RegisterRule {
    /// The number of the rule.
    pub(super) rule: usize,
    /// The value with which the register of every activation (call in progress) begins.
    pub(super) register: u32,
}

/// The rules made for graphs with counters or required keys, each graph with its rule.
#[derive(Default)]
pub(super) struct GraphRules {
    /// Maps each graph with required keys to the number of its rule.
    pub(super) required_keys: FxHashMap<Arc<ExprGraph>, usize>,
    /// Maps each graph with counters to its rule. `None` if the graph is unrolled into states.
    pub(super) counters: FxHashMap<Arc<ExprGraph>, Option<RegisterRule>>,
    /// A cache of the most increments of each counter that one token makes, for the graphs with
    /// counters.
    pub(super) increments: IncrementsPerToken,
    /// Whether the sets of missing required keys of some graph with many keys are unrolled into
    /// states.
    pub(super) unrolls_sets: bool,
}
