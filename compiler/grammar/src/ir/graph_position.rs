//! Positions on a path through a graph of expressions: a state, with what the path has done so far.

use super::{ExprGraph, Step};

/// A position on a path of a graph: the state, the required keys on the path as bits, and the counts of the counters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct GraphPosition {
    pub(super) state: u32,
    pub(super) keys: u32,
    pub(super) counts: Box<[u32]>,
}

/// What the states of a graph do: for each state, its steps of counters, and its required keys as bits.
pub(super) struct StateActions {
    steps: Vec<Vec<Step>>,
    keys: Vec<u32>,
}

impl StateActions {
    pub(super) fn of(graph: &ExprGraph) -> Self {
        let states = graph.states() as usize;
        let mut keys = vec![0_u32; states];
        graph
            .required_key_states()
            .iter()
            .for_each(|&(state, key)| keys[state as usize] |= 1 << key);
        Self { steps: graph.steps_by_state(), keys }
    }
}

impl GraphPosition {
    /// Returns the position where all paths of a graph begin.
    pub(super) fn start(graph: &ExprGraph) -> Self {
        let counts = vec![0; graph.counters().len()].into();
        Self { state: ExprGraph::START, keys: 0, counts }
    }

    /// Whether a path may end here.
    pub(super) fn is_end(&self, graph: &ExprGraph) -> bool {
        self.state == graph.end() && self.keys == graph.required_keys()
    }

    /// Returns the position after an edge to the state `to`. `None` if a counter does not allow it.
    pub(super) fn after(
        &self,
        graph: &ExprGraph,
        to: u32,
        StateActions { steps, keys }: &StateActions,
    ) -> Option<Self> {
        let mut counts = self.counts.clone();
        for step in &steps[to as usize] {
            let at = usize::from(step.counter());
            let counter = graph.counters()[at];
            match step {
                Step::Reset(_) => counts[at] = 0,
                Step::Increment(_) if counter.max == Some(counts[at]) => return None,
                Step::Increment(_) => counts[at] = counter.saturated(counts[at] + 1),
                Step::Check(_) if counts[at] < counter.min => return None,
                Step::Check(_) => {}
            }
        }
        Some(Self { state: to, keys: self.keys | keys[to as usize], counts })
    }
}
