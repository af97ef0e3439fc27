//! Strongly connected components, the one graph algorithm that several rooms need.

/// How deep the search goes in most graphs.
const DEEP: usize = 128;

/// Lists of nodes, one for each node, in one buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// By node, where its list ends.
    ends: Vec<u32>,
    nodes: Vec<u32>,
}

impl Lists {
    /// None yet, with room for those of so many nodes.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { ends: Vec::with_capacity(count), nodes: Vec::with_capacity(2 * count) }
    }

    /// Adds a node to the list that comes next.
    pub(crate) fn push(&mut self, node: usize) {
        self.nodes.push(node as u32);
    }

    /// Ends the list of the next node.
    pub(crate) fn end(&mut self) {
        self.ends.push(self.nodes.len() as u32);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The list of a node.
    pub(crate) fn of(&self, node: usize) -> &[u32] {
        let from = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.nodes[from as usize..self.ends[node] as usize]
    }

    /// Components where each node leads to those of its list.
    pub(crate) fn components(&self) -> Vec<u32> {
        components_by(self.len(), |node| self.of(node).len(), |node, at| self.of(node)[at] as usize)
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

/// The nodes in the order of their components, those of one in ascending order.
pub(crate) fn by_component(component: &[u32]) -> Vec<u32> {
    let mut from = vec![0; component.len() + 1];
    component.iter().for_each(|&id| from[id as usize + 1] += 1);
    for id in 1..from.len() {
        from[id] += from[id - 1];
    }
    let mut order = vec![0; component.len()];
    for (node, &id) in (0..).zip(component) {
        order[from[id as usize]] = node;
        from[id as usize] += 1;
    }
    order
}

/// Component number of each of `count` nodes, given the number of each node's successors and the successor of each
/// number. Components are numbered so that every edge leads to the same or a lower number: callees before callers.
/// R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972, with the recursion unrolled.
/// O(nodes + edges).
pub(crate) fn components_by(
    count: usize,
    degree: impl Fn(usize) -> usize,
    successor: impl Fn(usize, usize) -> usize,
) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut component = vec![UNSEEN; count];
    let mut open: Vec<usize> = Vec::with_capacity(count.min(DEEP));
    let mut path: Vec<(usize, usize)> = Vec::with_capacity(count.min(DEEP));
    let (mut next_index, mut next_component) = (0, 0);
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                index[node] = next_index;
                low[node] = next_index;
                next_index += 1;
                open.push(node);
                path.push((node, degree(node)));
            }
            let Some((node, pending)) = path.last_mut() else { break };
            let node = *node;
            let next = pending.checked_sub(1);
            if let Some(rest) = next {
                *pending = rest;
            }
            match next.map(|at| successor(node, at)) {
                Some(next) if index[next] == UNSEEN => enter = Some(next),
                Some(next) if component[next] == UNSEEN => low[node] = low[node].min(index[next]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        low[*parent] = low[*parent].min(low[node]);
                    }
                    if low[node] == index[node] {
                        while let Some(member) = open.pop() {
                            component[member] = next_component;
                            if member == node {
                                break;
                            }
                        }
                        next_component += 1;
                    }
                }
            }
        }
    }
    component
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
}
