//! The rules of a network that are packed sets, whose packed nodes replace their states.

use std::ops::Range;
use std::sync::Arc;

use grammarc_artifacts::packed_strings::Node;

use crate::ir::ByteSet;
use crate::network::follow::Follow;
use crate::network::normal_form::Network;
use crate::network::packed_string_set::PackedStringSet;

/// The rules of a network that are packed sets, with their states, ascending.
pub(super) struct Packed<'a>(Vec<(Range<u32>, &'a PackedStringSet)>);

impl<'a> Packed<'a> {
    pub(super) fn new(network: &'a Network) -> Self {
        let of = |(rule, set): &'a (usize, Arc<PackedStringSet>)| {
            let rule = &network.tables.rules[*rule];
            (rule.first_state..rule.first_state + rule.state_count, &**set)
        };
        Self(network.packed_sets.iter().map(of).collect())
    }

    /// Returns the packed set of a state.
    #[inline]
    pub(super) fn of(&self, state: u32) -> Option<&'a PackedStringSet> {
        let after = self.0.partition_point(|(states, _)| states.start <= state);
        let (states, set) = self.0.get(after.checked_sub(1)?)?;
        states.contains(&state).then_some(*set)
    }

    /// Returns the bounds of the labels of nodes.
    pub(super) fn byte_bounds(&self) -> ByteSet {
        let bytes = self.0.iter().flat_map(|(_, set)| set.bytes.iter());
        ByteSet::bounds_of(bytes.map(|byte| (byte, byte)))
    }

    /// Whether no text continues after the end of another with a FOLLOW byte of the rule.
    pub(super) fn are_deterministic(&self, follow: &Follow<'_>) -> bool {
        self.0.iter().all(|(states, set)| {
            let after = follow.bytes(follow.rule_of(states.start));
            set.behind_ends.intersect(after).is_empty()
        })
    }
}

/// Returns the labels of a node.
pub(super) fn labels(node: Node<'_>) -> ByteSet {
    node.labels().iter().copied().collect()
}
