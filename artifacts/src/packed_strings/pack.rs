//! Turns rules of a grammar's tables into packed string sets: their nodes replace their states.
//!
//! The compiler computes masks on rules whose states are unrolled as far as tokens reach. Such a rule then becomes a
//! packed string set, with three states and without masks. All other states keep their masks and are renumbered, since
//! states stand in the order of their rules.
//!
//! Cost: O(states + edges).

use crate::sections::masks::NearBoundRecord;
use crate::sections::network::{ByteEdge, NONE, RuleRecord, StateRecord, rule_flags, state_flags};
use crate::tables::TablesData;

/// A rule that becomes a packed string set, a finite set of many strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedRule {
    /// Index of the rule among the rules of the tables.
    pub rule: usize,
    /// Address of the set's root node, which is the initial register of the rule's calls.
    pub root: u32,
    /// Set of the bytes that occur in the texts: byte `b` is bit `b % 32` of word `b / 32`.
    pub bytes: [u32; 8],
}

/// Replaces the states of the rules `packed`, which are ascending and make no calls. `nothing` is the id of an empty
/// mask.
pub fn pack(tables: &mut TablesData, packed: &[PackedRule], nothing: u32) {
    let old = std::mem::take(tables);
    *tables = TablesData { bases: old.bases, row_words: old.row_words, ..TablesData::default() };
    let first = old.bases.states;
    let of_rule = |rule: usize| packed.iter().find(|packed| packed.rule == rule);
    // For each old state, its new id.
    let mut moved: Vec<u32> = Vec::with_capacity(old.states.len());
    let mut next = first;
    for (index, rule) in old.rules.iter().enumerate() {
        let kept = if of_rule(index).is_some() { 0 } else { rule.state_count };
        moved.extend((0..rule.state_count).map(|at| next + at.min(kept)));
        next += if of_rule(index).is_some() { 3 } else { kept };
    }
    let to = |state: u32| if state == NONE { NONE } else { moved[(state - first) as usize] };
    let view = old.as_tables();
    for (index, rule) in old.rules.iter().enumerate() {
        let states = (rule.first_state - first) as usize;
        let first_state = to(rule.first_state);
        let range = |tables: &TablesData| StateRecord {
            byte_edges: tables.byte_edges.len() as u32,
            call_edges: tables.call_edges.len() as u32,
            token_edges: tables.token_edges.len() as u32,
            follows: tables.follows.len() as u32,
            base: nothing,
            exits: NONE,
            count_exit: NONE,
            flags: state_flags::RESTS,
        };
        if let Some(packed) = of_rule(index) {
            let flags = rule_flags::PACKED_STRINGS | rule_flags::COUNTED;
            tables.rules.push(RuleRecord { first_state, state_count: 3, flags, ..*rule });
            let edges = [rule.first_bytes, packed.bytes, [0; 8]];
            let ends = [0, state_flags::FINAL, state_flags::FINAL | state_flags::POP_ONLY];
            for (bytes, flags) in edges.into_iter().zip(ends) {
                let record = range(tables);
                tables.states.push(StateRecord { flags: record.flags | flags, ..record });
                tables.byte_edges.extend(ranges(bytes, first_state + 1));
            }
            continue;
        }
        tables.rules.push(RuleRecord { first_state, ..*rule });
        for index in states..states + rule.state_count as usize {
            let StateRecord { base, exits, count_exit, flags, .. } = old.states[index];
            let count_exit = to(count_exit);
            tables.states.push(StateRecord { base, exits, count_exit, flags, ..range(tables) });
            let bytes = view.byte_edges_of(index).iter();
            tables
                .byte_edges
                .extend(bytes.map(|edge| ByteEdge { target: to(edge.target), ..*edge }));
            for edge in view.call_edges_of(index) {
                let callee = edge.callee.checked_sub(old.bases.rules);
                let root = callee.and_then(|rule| of_rule(rule as usize)).map(|packed| packed.root);
                let mut edge = *edge;
                (edge.ret, edge.count) = (to(edge.ret), root.unwrap_or(edge.count));
                tables.call_edges.push(edge);
            }
            for edge in view.token_edges_of(index) {
                let mut edge = *edge;
                edge.target = to(edge.target);
                tables.token_edges.push(edge);
            }
            tables.follows.extend_from_slice(view.follows_of(index));
        }
    }
    let ends = [
        tables.byte_edges.len(),
        tables.call_edges.len(),
        tables.token_edges.len(),
        tables.follows.len(),
    ];
    tables.states.push(StateRecord::sentinel(ends.map(|end| end as u32)));
    let TablesData {
        masks, rows, lists, classes, class_nodes, packed_strings, high_fanout, ..
    } = old;
    (tables.masks, tables.rows, tables.lists) = (masks, rows, lists);
    (tables.classes, tables.class_nodes) = (classes, class_nodes);
    (tables.packed_strings, tables.high_fanout) = (packed_strings, high_fanout);
    let records = old.near_bound.into_iter();
    tables.near_bound = records
        .map(|record| NearBoundRecord { state: moved[(record.state - first) as usize], ..record })
        .collect();
    tables.near_bound_masks = old.near_bound_masks;
}

/// Returns byte edges to `target` on all bytes of a set. Neighbouring bytes share an edge.
fn ranges(bytes: [u32; 8], target: u32) -> Vec<ByteEdge> {
    let has = |byte: u8| bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0;
    let mut edges: Vec<ByteEdge> = Vec::new();
    for byte in (0..=u8::MAX).filter(|&byte| has(byte)) {
        match edges.last_mut() {
            Some(last) if last.hi() + 1 == byte => *last = ByteEdge::new(last.lo(), byte, target),
            _ => edges.push(ByteEdge::new(byte, byte, target)),
        }
    }
    edges
}
