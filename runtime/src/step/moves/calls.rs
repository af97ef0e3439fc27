//! The calls of one artifact's tables. Equal calls of neighbouring states are stored once.

use bytemuck::{Pod, Zeroable};
use grammarc_artifacts::sections::network::CallEdge;
use grammarc_artifacts::tables::{Joined, Tables};

use super::classes::{ByteClasses, has};

/// Number of the newest stored calls that a call is compared with. An equal call further back is stored twice.
const COMPARED: usize = 4;

/// The effect of a call edge: the callee, the return state and the callee's register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Call {
    /// Id of the callee's first state.
    pub(crate) first_state: u32,
    /// Id of the state to which the callee returns, or [`NONE`](grammarc_artifacts::NONE) for a tail call.
    pub(crate) ret: u32,
    /// Initial register of the callee, which holds counters or required keys. 0 if the callee has none.
    pub(crate) count: u32,
}

/// The calls of some tables. Neighbouring states often make the same call. The call is stored once, so that their rows
/// are equal.
#[derive(Default)]
pub(super) struct Calls {
    /// Calls without repetitions, in the order of the call edges.
    pub(super) distinct: Vec<Call>,
    /// For each stored call, the exclusive end in `begin` of its byte classes.
    ends: Vec<usize>,
    /// Byte classes with which the callees can begin, call by call.
    begin: Vec<u8>,
    /// Maps the index of each call edge to the index of its stored call.
    pub(super) of_edge: Vec<usize>,
}

impl Calls {
    /// Collects the calls of `tables`, which are one half of `joined`. O(call edges).
    pub(super) fn new(joined: &Joined<'_>, tables: &Tables<'_>, classes: &ByteClasses) -> Self {
        let mut calls = Self::default();
        for &CallEdge { callee, ret, count } in tables.call_edges {
            let rule = joined.rule(callee);
            let call = Call { first_state: rule.first_state, ret, count };
            let from = calls.distinct.len().saturating_sub(COMPARED);
            let known = calls.distinct[from..].iter().position(|&known| known == call);
            calls.of_edge.push(known.map_or(calls.distinct.len(), |at| from + at));
            if known.is_none() {
                calls.distinct.push(call);
                let begin = (0..=u8::MAX).zip(&classes.ranges);
                let begin = begin.filter(|(_, bytes)| has(&rule.first_bytes, *bytes.start()));
                calls.begin.extend(begin.map(|(class, _)| class));
                calls.ends.push(calls.begin.len());
            }
        }
        calls
    }

    /// Returns the byte classes with which the callee of a stored call can begin, ascending.
    pub(super) fn begin(&self, call: usize) -> &[u8] {
        let from = call.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.begin[from..self.ends[call]]
    }
}
