//! A bound for rules with choices that call each other in tail position only: the number of their
//! states.
//!
//! A pattern whose automaton would be too large is such a group of rules
//! ([`right_linear`](crate::automata)). A tail call pushes no frame. So all configurations of the
//! group share one stack, and differ by their states alone. The rest of the grammar has to be
//! deterministic, so that one configuration enters the group. The configurations also have to leave
//! the group together, or one byte has to decide which of them goes on.
//!
//! Cost: O(states and edges of each group).

use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::{NONE, state_flags};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::deterministic::is_deterministic;
use super::packed::Packed;
use crate::ir::ByteSet;
use crate::network::follow::Follow;

/// Returns the most states of a group of rules that call each other in tail position, over all
/// groups with a choice. Returns `None` if some rule with a choice is in no such group.
pub(super) fn most_states(follow: &Follow<'_>, packed: &Packed<'_>) -> Option<u32> {
    let own = follow.network().own;
    let states = own.bases.states..own.bases.states + own.state_count();
    let chooses = |&state: &u32| packed.of(state).is_none() && !is_deterministic(follow, state);
    let rules: BTreeSet<u32> = states.filter(chooses).map(|state| follow.rule_of(state)).collect();
    rules.into_iter().try_fold(1, |most, rule| Some(most.max(states_of(follow, packed, rule)?)))
}

/// Returns the number of states of a rule and of all rules that it calls. Returns `None` if a
/// configuration of these rules has more than its state: a frame, a register or a token. Also
/// returns `None` if some configurations may stay when others leave.
fn states_of(follow: &Follow<'_>, packed: &Packed<'_>, rule: u32) -> Option<u32> {
    let network = follow.network();
    let mut rules: IndexSet<u32, FxBuildHasher> = IndexSet::from_iter([rule]);
    let (mut count, mut at) = (0, 0);
    let (mut first, mut after) = (ByteSet::EMPTY, ByteSet::EMPTY);
    // The bytes that lead to the end of a rule, and those that lead to other states.
    let (mut ending, mut staying) = (ByteSet::EMPTY, ByteSet::EMPTY);
    let mut may_go_on_at_end = false;
    while let Some(&rule) = rules.get_index(at) {
        at += 1;
        let record = network.rule(rule);
        count += record.state_count;
        after = after.union(follow.bytes(rule));
        for state in record.first_state..record.first_state + record.state_count {
            let (tables, index) = network.locate(state);
            let has_register = network.state(state).count_exit != NONE;
            if has_register
                || packed.of(state).is_some()
                || !tables.token_edges_of(index).is_empty()
            {
                return None;
            }
            first = first.union(follow.first(state).0);
            may_go_on_at_end |= follow.is_final(state) && !is_end(follow, state);
            for call in tables.call_edges_of(index) {
                if call.ret != NONE {
                    return None;
                }
                rules.insert(call.callee);
            }
            for edge in tables.byte_edges_of(index) {
                let bytes = match is_end(follow, edge.target) {
                    true => &mut ending,
                    false => &mut staying,
                };
                *bytes = bytes.union(ByteSet::range(edge.lo(), edge.hi()));
            }
        }
    }
    let leave_together = !may_go_on_at_end && ending.intersect(staying).is_empty();
    let byte_decides = after.intersect(first).is_empty();
    (leave_together || byte_decides).then_some(count)
}

/// Whether a state is final and has no edges.
fn is_end(follow: &Follow<'_>, state: u32) -> bool {
    follow.network().state(state).flags & state_flags::POP_ONLY != 0
}
