//! Exit classes of the vocabulary: their nodes, and the rules that return at these nodes. An exit class is a set of
//! trie nodes at which a rule returns to its caller within a token.

use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Tables;

use crate::network::SharedRules;

/// An edge of the trie from an exit (node where a callee returns) to a child of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClassEdge {
    /// The byte that leads from `node` to `child`.
    pub(crate) byte: u8,
    /// The child of `node` on the byte.
    pub(crate) child: u32,
    /// The parent of `child`, at which the callee returns.
    pub(crate) node: u32,
}

/// Returns the trie nodes of the vocabulary's set of exits (nodes where a rule returns) with the id `class`, ascending.
/// None for [`NONE`].
pub(crate) fn class_nodes(shared: Tables<'_>, class: u32) -> &[u32] {
    match class {
        NONE => &[],
        class => {
            let class = shared.classes[class as usize];
            &shared.class_nodes[class.first as usize..][..class.len as usize]
        }
    }
}

/// Returns for each rule of the vocabulary the ids of its sets of exits (nodes where it returns), ascending. The sets
/// of its tail calls are included.
pub(crate) fn left_through(shared: Tables<'_>, rules: &SharedRules) -> Vec<Box<[u32]>> {
    let mut classes = vec![BTreeSet::new(); shared.rules.len()];
    for (rule, record) in (0..).zip(shared.rules) {
        let states =
            record.first_state as usize..(record.first_state + record.state_count) as usize;
        let mut own: BTreeSet<u32> = states
            .flat_map(|state| {
                let follows = shared.follows_of(state).iter().map(|entry| entry.next);
                follows.chain([shared.states[state].exits])
            })
            .collect();
        own.remove(&NONE);
        for caller in rules.with_tail_callers(rule) {
            classes[caller as usize].extend(&own);
        }
    }
    classes.into_iter().map(|classes| classes.into_iter().collect()).collect()
}
