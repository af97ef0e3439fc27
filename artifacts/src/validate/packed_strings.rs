//! Checks of packed string sets: their nodes, their rules, and the calls of these rules.
//!
//! Each check of a node looks at that node alone. Since transitions lead forward, every node then leads to a final
//! node, and no search is needed.

use super::context::{Context, rules_of};
use super::violation::{Check, Expected, Invariant, Violation, at};
use crate::packed_strings::node::Starts;
use crate::sections::kinds::SectionKind;
use crate::sections::network::{NONE, RuleRecord, StateRecord, rule_flags, state_flags};

pub(super) fn check(context: &Context<'_>) -> Check {
    let joined = &context.joined;
    let starts = joined.packed_strings().check().map_err(|address| Violation {
        invariant: Invariant::PackedNodes,
        section: SectionKind::PackedStrings,
        record: address as usize,
        found: joined.own.packed_strings.get(address as usize).copied().unwrap_or(0).into(),
        expected: Expected::Stated,
    })?;
    rules(context)?;
    calls(context, &starts)?;
    high_fanout(context, &starts)
}

/// Whether a rule is a packed string set.
fn is_packed(rule: &RuleRecord) -> bool {
    rule.flags & rule_flags::PACKED_STRINGS != 0
}

/// Checks that each rule that is a packed string set has its three states: for inner nodes, final nodes and leaves.
fn rules(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    let rests = state_flags::RESTS;
    let flags = [rests, rests | state_flags::FINAL];
    let end = rests | state_flags::FINAL | state_flags::POP_ONLY;
    for (index, first, last) in rules_of(own).filter(|&(index, ..)| is_packed(&own.rules[index])) {
        let rule = &own.rules[index];
        let is_own = context.start_rule.is_some() && !own.packed_strings.is_empty();
        let counted = rule.flags == rule_flags::PACKED_STRINGS | rule_flags::COUNTED;
        let states = &own.states[first..last];
        let has = |(state, flags): (&StateRecord, u32)| {
            state.flags == flags && state.exits == NONE && state.count_exit == NONE
        };
        let whole = states.len() == 3 && states.iter().zip([flags[0], flags[1], end]).all(has);
        let second = rule.first_state + 1;
        let bytes_alone = (first..last).all(|state| {
            own.call_edges_of(state).is_empty()
                && own.token_edges_of(state).is_empty()
                && own.byte_edges_of(state).iter().all(|edge| edge.target == second)
        });
        let place = at(SectionKind::Rules, index);
        let holds = is_own && counted && whole && bytes_alone;
        place.require(Invariant::PackedRule, holds, rule.flags)?;
    }
    Ok(())
}

/// Checks the calls of packed string sets. The register of a call is the address of a root, whose labels are the first
/// bytes of the rule.
fn calls(context: &Context<'_>, starts: &Starts) -> Check {
    let joined = &context.joined;
    for (index, edge) in joined.own.call_edges.iter().enumerate() {
        let callee = joined.rule(edge.callee);
        if !is_packed(callee) {
            continue;
        }
        let node = joined.packed_strings().node(edge.count);
        let mut bytes = [0; 8];
        node.labels().iter().for_each(|byte| bytes[usize::from(byte / 32)] |= 1 << (byte % 32));
        let holds = starts.contains(edge.count) && !node.is_final() && bytes == callee.first_bytes;
        let place = at(SectionKind::CallEdges, index);
        place.require(Invariant::PackedCall, holds, edge.count)?;
    }
    Ok(())
}

/// Checks the nodes with stored masks. They ascend, exist, and name existing masks and exit classes.
fn high_fanout(context: &Context<'_>, starts: &Starts) -> Check {
    let mut least = 0;
    for (index, record) in context.joined.own.high_fanout.iter().enumerate() {
        let place = at(SectionKind::HighFanout, index);
        place.at_least(Invariant::HighFanout, record.node, least)?;
        place.require(Invariant::HighFanout, starts.contains(record.node), record.node)?;
        place.below(Invariant::HighFanout, record.base, context.totals.masks)?;
        if record.exits != NONE {
            place.below(Invariant::HighFanout, record.exits, context.totals.classes)?;
        }
        least = record.node + 1;
    }
    Ok(())
}
