//! The rules of a network that are packed string sets (many texts stored as a packed automaton).
//! Their packed nodes replace their states here.

use std::ops::Range;
use std::sync::Arc;

use grammarc_artifacts::packed_strings::Node;

use crate::ir::ByteSet;
use crate::network::follow::Follow;
use crate::network::normal_form::Network;
use crate::network::packed_string_set::PackedStringSet;

/// The rules that are packed string sets (texts as a packed automaton): the range of each rule's
/// states with its set, in ascending order of states.
pub(super) struct Packed<'a>(Vec<(Range<u32>, &'a PackedStringSet)>);

impl<'a> Packed<'a> {
    /// Collects the packed string sets (texts as a packed automaton) of a network.
    pub(super) fn new(network: &'a Network) -> Self {
        let of = |(rule, set): &'a (usize, Arc<PackedStringSet>)| {
            let rule = &network.tables.rules[*rule];
            (rule.first_state..rule.first_state + rule.state_count, &**set)
        };
        Self(network.packed_sets.iter().map(of).collect())
    }

    /// Returns the packed string set (texts as a packed automaton) of the rule that a state belongs
    /// to. Returns `None` if that rule is no packed set.
    #[inline]
    pub(super) fn of(&self, state: u32) -> Option<&'a PackedStringSet> {
        let after = self.0.partition_point(|(states, _)| states.start <= state);
        let (states, set) = self.0.get(after.checked_sub(1)?)?;
        states.contains(&state).then_some(*set)
    }

    /// Returns each byte that occurs in a packed set, and the byte after it. Bytes between two
    /// neighbours of the result are equivalent.
    pub(super) fn byte_bounds(&self) -> ByteSet {
        let bytes = self.0.iter().flat_map(|(_, set)| set.bytes.iter());
        ByteSet::bounds_of(bytes.map(|byte| (byte, byte)))
    }

    /// Whether every packed set (texts as a packed automaton) is deterministic: no text continues
    /// after the end of another text with a FOLLOW byte of the rule.
    pub(super) fn are_deterministic(&self, follow: &Follow<'_>) -> bool {
        self.0.iter().all(|(states, set)| {
            let after = follow.bytes(follow.rule_of(states.start));
            set.behind_ends.intersect(after).is_empty()
        })
    }
}

/// Returns the bytes on which a node has a transition.
pub(super) fn labels(node: Node<'_>) -> ByteSet {
    node.labels().iter().copied().collect()
}
