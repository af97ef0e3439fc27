//! Strongly connected components of directed graphs, and the minimal elements of a preorder.

/// Initial capacity, in nodes, of the stacks of the search for components. Most searches are less
/// deep. Deeper searches grow the stacks.
const DEEP: usize = 128;

/// Initial capacity of the buffer of [`Lists`], in entries for each node. On average, most lists
/// have fewer entries.
const LONG: usize = 32;

/// Maps each node of a graph to a list of nodes, such as its successors. All lists share one
/// buffer.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// For each node, the index in `nodes` after the end of its list. The list begins where the
    /// list of the node before ends.
    ends: Vec<u32>,
    /// The entries of all lists, one list after the other.
    nodes: Vec<u32>,
}

impl Lists {
    /// Creates a collection without lists, with capacity for the lists of `count` nodes.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { ends: Vec::with_capacity(count), nodes: Vec::with_capacity(LONG * count) }
    }

    /// Groups pairs (node, entry) into one list for each of `count` nodes. The entries of a list
    /// keep the order of the pairs.
    pub fn of_pairs(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut ends = vec![0; count + 1];
        pairs.clone().for_each(|(node, _)| ends[node as usize + 1] += 1);
        for node in 0..count {
            ends[node + 1] += ends[node];
        }
        let mut nodes = vec![0; ends[count] as usize];
        // While the lists are filled, `ends` holds the next free index of each list.
        for (node, entry) in pairs {
            let end = &mut ends[node as usize];
            nodes[*end as usize] = entry;
            *end += 1;
        }
        ends.truncate(count);
        Self { ends, nodes }
    }

    /// Adds a node to the list that is being written.
    pub(crate) fn push(&mut self, node: usize) {
        self.nodes.push(node as u32);
    }

    /// Completes the list that is being written. The next entry begins the list of the next node.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.nodes.len() as u32);
    }

    /// Returns the number of nodes that have a list.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the list of a node, such as its successors. It may be empty.
    pub fn of(&self, node: usize) -> &[u32] {
        let from = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.nodes[from as usize..self.ends[node] as usize]
    }

    /// Returns all nodes that are reachable from the nodes in `from` by following lists as
    /// successors. The nodes in `from` are included, and each node is returned once. O(nodes and
    /// entries).
    pub fn reachable(&self, from: impl IntoIterator<Item = u32>) -> Vec<u32> {
        let mut is_found = vec![false; self.len()];
        let mut found: Vec<u32> = Vec::new();
        let mut work: Vec<u32> = from.into_iter().collect();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut is_found[node as usize], true) {
                found.push(node);
                work.extend(self.of(node as usize));
            }
        }
        found
    }

    /// Returns for each node the number of its strongly connected component, with the lists as
    /// successors. A node's successors have the same number or a lower one.
    pub fn components(&self) -> Vec<u32> {
        components_by(self.len(), |node| self.of(node).iter().map(|&next| next as usize))
    }
}

impl<L: IntoIterator<Item = usize>> FromIterator<L> for Lists {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let lists = lists.into_iter();
        let mut this = Self::with_capacity(lists.size_hint().0);
        for list in lists {
            list.into_iter().for_each(|node| this.push(node));
            this.end();
        }
        this
    }
}

/// Returns all nodes in the order of their component numbers. `component` has the component number
/// of each node. Within a component, the nodes are in ascending order.
pub fn by_component(component: &[u32]) -> Vec<u32> {
    Lists::of_pairs(component.len(), component.iter().copied().zip(0..)).nodes
}

/// Returns for each of `count` nodes the number of its strongly connected component, given the
/// successors of each node. Every edge leads to the same number or a lower one, so callees come
/// before callers. O(nodes + edges).
pub fn components_by<I: DoubleEndedIterator<Item = usize>>(
    count: usize,
    successors: impl Fn(usize) -> I,
) -> Vec<u32> {
    let mut component = vec![0; count];
    let mut number = 0;
    for_each_component(count, successors, |members| {
        members.iter().for_each(|&member| component[member as usize] = number);
        number += 1;
    });
    component
}

/// Calls `visit` with the nodes of each strongly connected component of a graph with `count` nodes.
/// Components that are reachable from a component come before it.
///
/// The first node of a component is the first that the search reached. If every cycle of the
/// component passes through it, each other node comes after its successors. Successors are searched
/// from the last to the first. Source: R. Tarjan, "Depth-first search and linear graph algorithms",
/// SIAM J. Comput. 1(2), 1972, with an explicit stack. O(nodes + edges).
pub(crate) fn for_each_component<I: DoubleEndedIterator<Item = usize>>(
    count: usize,
    successors: impl Fn(usize) -> I,
    mut visit: impl FnMut(&[u32]),
) {
    const UNSEEN: u32 = 0;
    // The index of a node whose component is known. It exceeds every low link, so edges into the
    // node have no effect.
    const KNOWN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; count];
    // The nodes that the search has left and whose component is not known yet.
    let mut left: Vec<u32> = Vec::with_capacity(count.min(DEEP));
    // The path of the search. Each entry is a node, the lowest index that it reaches, the length of
    // `left` when it was entered, and its remaining successors.
    let mut path: Vec<(u32, u32, usize, I)> = Vec::with_capacity(count.min(DEEP));
    let mut last_index = 0;
    for root in 0..count {
        let mut enter = (index[root] == UNSEEN).then_some(root);
        loop {
            if let Some(node) = enter.take() {
                last_index += 1;
                index[node] = last_index;
                path.push((node as u32, last_index, left.len(), successors(node)));
            }
            let Some((node, reaches, from, pending)) = path.last_mut() else { break };
            let (node, mut lowest, from) = (*node, *reaches, *from);
            enter = pending.rfind(|&next| {
                let met = index[next];
                if met != UNSEEN {
                    lowest = met.min(lowest);
                }
                met == UNSEEN
            });
            if enter.is_some() {
                *reaches = lowest;
                continue;
            }
            path.pop();
            if let Some((_, parent, ..)) = path.last_mut() {
                *parent = lowest.min(*parent);
            }
            left.push(node);
            if lowest == index[node as usize] {
                let members = &mut left[from..];
                if members.len() > 1 {
                    members.rotate_right(1);
                }
                members.iter().for_each(|&member| index[member as usize] = KNOWN);
                visit(members);
                left.truncate(from);
            }
        }
    }
}

/// Returns the minimal elements of a preorder, in the order of `items`: those with no other element
/// below them. Of equivalent elements, only the first is returned. `is_below(a, b)` decides whether
/// `a` is below `b` or equivalent. O(items²).
pub fn minimal<T>(items: Vec<T>, is_below: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let is_minimal = |at: usize| {
        let mut others = items.iter().enumerate();
        !others.any(|(other, one)| {
            let is_first = || other < at || !is_below(&items[at], one);
            other != at && is_below(one, &items[at]) && is_first()
        })
    };
    let kept: Vec<bool> = (0..items.len()).map(is_minimal).collect();
    items.into_iter().zip(kept).filter_map(|(item, is_kept)| is_kept.then_some(item)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_one_component_and_callees_come_first() {
        let edges = [vec![1], vec![2, 3], vec![1], vec![4], vec![], vec![0]];
        let lists: Lists = edges.iter().cloned().collect();
        let component = lists.components();
        assert_eq!(component[1], component[2]);
        for (from, targets) in edges.iter().enumerate() {
            for &to in targets {
                assert!(component[to] <= component[from]);
            }
        }
        assert_eq!(component.iter().max(), Some(&4));
        let order = by_component(&component);
        let ids: Vec<u32> = order.iter().map(|&node| component[node as usize]).collect();
        assert!(ids.is_sorted(), "{order:?}");
        assert_eq!(order.len(), edges.len());
    }

    #[test]
    fn the_rest_of_a_way_round_comes_in_order() {
        // From 5 into a cycle of 0 to 4, whose paths all pass 0; 6 is outside.
        let edges: Lists =
            [vec![1, 2], vec![3, 6], vec![3, 1], vec![4], vec![0, 6], vec![0], vec![]]
                .into_iter()
                .collect();
        let successors = |node: usize| edges.of(node).iter().map(|&next| next as usize);
        let mut cycle = Vec::new();
        for_each_component(edges.len(), successors, |members| {
            if members.len() > 1 {
                cycle.extend_from_slice(members);
            }
        });
        assert_eq!((cycle.len(), cycle[0]), (5, 0));
        let place = |node: u32| cycle.iter().position(|&other| other == node);
        for &node in &cycle[1..] {
            for &next in edges.of(node as usize).iter().filter(|&&next| next != cycle[0]) {
                assert!(place(next) < place(node), "{node} leads to {next}: {cycle:?}");
            }
        }
    }

    #[test]
    fn of_equal_minimal_elements_the_first_is_kept() {
        let is_below =
            |one: &(u32, u32, char), other: &(u32, u32, char)| one.0 <= other.0 && one.1 <= other.1;
        let items = vec![(2, 2, 'a'), (1, 3, 'b'), (2, 2, 'c'), (3, 1, 'd'), (1, 4, 'e')];
        let kept: String = minimal(items, is_below).iter().map(|item| item.2).collect();
        assert_eq!(kept, "abd");
        assert_eq!(minimal(Vec::new(), is_below), []);
    }
}
