//! The longest chain of follow entries: part of the printed bound on the work of a step.
//!
//! A chain goes from the entry of a return state for a class to the entry, for the next class, of a return state that
//! the rule of the first may return to. Its length is bounded where these steps have no cycle; a cycle means that a
//! mask reads as much of the stack as there is, and is reported with a state on it.
//!
//! Nearly all entries are the last of their chain. They are counted where another leads to them and not looked at by
//! themselves, so the cost is O(entries that go on, and their steps).

use std::collections::{BTreeMap, BTreeSet};

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::{Tables, TablesData};

use crate::network::follow::Follow;

/// A follow entry that goes on: in return state `ret`, after a callee was left through `class`, its own rule can be
/// left through `next`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    ret: u32,
    class: u32,
    next: u32,
}

/// The entries of these tables that go on, by return state and class. O(states and entries).
pub(super) fn links(tables: Tables<'_>) -> Vec<Link> {
    let mut links = Vec::new();
    for index in 0..tables.state_count() as usize {
        let ret = tables.bases.states + index as u32;
        let on = tables.follows_of(index).iter().filter(|entry| entry.next != NONE);
        links.extend(on.map(|entry| Link { ret, class: entry.class, next: entry.next }));
    }
    links
}

/// Length of the longest chain of follow entries, or a return state of a chain that grows with the stack. `known` are
/// the links of the vocabulary's tables `shared`.
pub(super) fn longest_chain(
    own: &TablesData,
    shared: Tables<'_>,
    known: &[Link],
    follow: &Follow<'_>,
) -> Result<u32, u32> {
    let own = own.as_tables();
    let links: Vec<Link> = known.iter().copied().chain(links(own)).collect();
    let mut longest = vec![1u32; links.len()];
    let mut steps: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    let mut returns: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (at, link) in links.iter().enumerate() {
        let rule = follow.rule_of(link.ret);
        for &below in returns.entry(rule).or_insert_with(|| follow.returns(rule)).iter() {
            let (tables, index) = match below.checked_sub(own.bases.states) {
                Some(index) => (own, index),
                None => (shared, below),
            };
            let entries = tables.follows_of(index as usize);
            let Ok(entry) = entries.binary_search_by_key(&link.next, |entry| entry.class) else {
                continue;
            };
            if entries[entry].next == NONE {
                longest[at] = 2;
            } else {
                let key = (below, link.next);
                steps[at].extend(links.binary_search_by_key(&key, |link| (link.ret, link.class)));
            }
        }
    }
    let component = crate::graph::components(links.len(), |link| steps[link].clone());
    let mut order: Vec<usize> = (0..links.len()).collect();
    order.sort_by_key(|&link| component[link]);
    for link in order {
        for &next in &steps[link] {
            if component[next] == component[link] {
                return Err(links[link].ret);
            }
            longest[link] = longest[link].max(longest[next] + 1);
        }
    }
    let any = u32::from(!own.follows.is_empty() || !shared.follows.is_empty());
    Ok(longest.into_iter().max().unwrap_or(any))
}
