//! The longest chain of follow entries: part of the printed bound on the work of a step.
//!
//! A chain goes from the entry of a return state for a class to the entry, for the next class, of a return state that
//! the rule of the first may return to. Its length is bounded where these steps have no cycle; a cycle means that a
//! mask reads as much of the stack as there is, and is reported with a state on it.

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};

use crate::network::follow::Follow;

/// Length of the longest chain of follow entries, or a return state of a chain that grows with the stack. O(steps).
pub(super) fn longest_chain(
    own: &TablesData,
    shared: Tables<'_>,
    follow: &Follow<'_>,
) -> Result<u32, u32> {
    let mut entries: Vec<(u32, u32, u32)> = Vec::new();
    for tables in [shared, own.as_tables()] {
        for index in 0..tables.state_count() as usize {
            let state = tables.bases.states + index as u32;
            entries.extend(tables.follows_of(index).iter().map(|e| (state, e.class, e.next)));
        }
    }
    let at =
        |ret: u32, class: u32| entries.binary_search_by_key(&(ret, class), |e| (e.0, e.1)).ok();
    let steps = |entry: usize| -> Vec<usize> {
        let (ret, _, next) = entries[entry];
        if next == NONE {
            return Vec::new();
        }
        let returns = follow.returns(follow.rule_of(ret));
        returns.iter().filter_map(|&below| at(below, next)).collect()
    };
    let component = crate::graph::components(entries.len(), steps);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&entry| component[entry]);
    let mut longest = vec![0u32; entries.len()];
    for entry in order {
        let mut length = 1;
        for next in steps(entry) {
            if component[next] == component[entry] {
                return Err(entries[entry].0);
            }
            length = length.max(longest[next] + 1);
        }
        longest[entry] = length;
    }
    Ok(longest.into_iter().max().unwrap_or(0))
}
