//! The calls of some tables, without repetitions among neighbouring states.

use bytemuck::{Pod, Zeroable};
use grammarc_artifacts::sections::network::CallEdge;
use grammarc_artifacts::tables::{Joined, Tables};

use super::classes::{ByteClasses, has};

/// Number of the newest calls that a new one is compared with. Equal calls further apart are stored twice.
const COMPARED: usize = 4;

/// The effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Call {
    /// First state of the callee.
    pub(crate) first_state: u32,
    /// State to which the callee returns, or [`NONE`](grammarc_artifacts::NONE) for a tail call.
    pub(crate) ret: u32,
    /// Register of the callee's activation.
    pub(crate) count: u32,
}

/// The calls of some tables. Neighbouring states often make the same call. It is kept once, so that their rows are equal.
#[derive(Default)]
pub(super) struct Calls {
    /// The calls that were kept.
    pub(super) distinct: Vec<Call>,
    /// For each kept call, the end of its classes in `begin`.
    ends: Vec<usize>,
    begin: Vec<u8>,
    /// For each call edge, the index of its kept call.
    pub(super) of_edge: Vec<usize>,
}

impl Calls {
    /// Collects the calls of `tables`, which are one half of `joined`.
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

    /// The classes of the bytes with which the callee of a call can begin.
    pub(super) fn begin(&self, call: usize) -> &[u8] {
        let from = call.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.begin[from..self.ends[call]]
    }
}
