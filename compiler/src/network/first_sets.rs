//! First sets: the bytes with which the strings of each rule begin, and whether some string begins
//! with a whole token.

use grammarc_artifacts::tables::{Tables, TablesData};

/// Sets the first bytes and the first-token flag of every rule of the grammar. Left calls have no
/// cycles, so a depth-first walk visits each rule once. O(states and edges of initial states).
pub(super) fn fill_firsts(tables: &mut TablesData, shared: Tables<'_>) {
    let base = tables.bases.rules;
    let mut done = vec![false; tables.rules.len()];
    for root in 0..tables.rules.len() {
        let mut stack = vec![root];
        while let Some(&rule) = stack.last() {
            if done[rule] {
                stack.pop();
                continue;
            }
            let own = tables.as_tables();
            let initial = (own.rules[rule].first_state - own.bases.states) as usize;
            let calls = own.call_edges_of(initial);
            let pending: Vec<usize> = calls
                .iter()
                .filter_map(|call| call.callee.checked_sub(base).map(|callee| callee as usize))
                .filter(|&callee| !done[callee])
                .collect();
            if !pending.is_empty() {
                stack.extend(pending);
                continue;
            }
            let mut bytes = [0u32; 8];
            let mut tokens = u32::from(!own.token_edges_of(initial).is_empty());
            for edge in own.byte_edges_of(initial) {
                for byte in edge.lo()..=edge.hi() {
                    bytes[usize::from(byte) / 32] |= 1 << (byte % 32);
                }
            }
            for call in calls {
                let callee = match call.callee.checked_sub(base) {
                    Some(index) => &own.rules[index as usize],
                    None => &shared.rules[call.callee as usize],
                };
                bytes.iter_mut().zip(callee.first_bytes).for_each(|(word, more)| *word |= more);
                tokens |= callee.first_tokens;
            }
            tables.rules[rule].first_bytes = bytes;
            tables.rules[rule].first_tokens = tokens;
            done[rule] = true;
            stack.pop();
        }
    }
}
