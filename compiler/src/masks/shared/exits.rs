//! Exit classes of the vocabulary: their nodes, and the rules that return through them. An exit class is a set of trie
//! nodes at which a rule returns to its caller within a token.

use std::collections::BTreeSet;

use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::tables::Tables;

use crate::network::SharedRules;

/// An edge of the trie from a node of an exit class (nodes where a rule returns) to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClassEdge {
    /// The byte that leads from the node to its child.
    pub(crate) byte: u8,
    /// The child of the node on the byte.
    pub(crate) child: u32,
    /// The node of the exit class (nodes where a rule returns).
    pub(crate) node: u32,
}

/// Returns the trie nodes of a shared exit class (nodes where a rule returns), ascending; none for [`NONE`].
pub(crate) fn class_nodes(shared: Tables<'_>, class: u32) -> &[u32] {
    match class {
        NONE => &[],
        class => {
            let class = shared.classes[class as usize];
            &shared.class_nodes[class.first as usize..][..class.len as usize]
        }
    }
}

/// Returns for each rule of the vocabulary the exit classes (trie nodes of returns) through which it can return, also
/// through its tail calls. The classes of a rule ascend.
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
