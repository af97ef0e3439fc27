//! Strongly connected components, the one graph algorithm that several rooms need.

/// Component number of each of `count` nodes. Components are numbered so that every edge leads to the same or a lower
/// number: callees before callers. R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2),
/// 1972, with the recursion unrolled. O(nodes + edges).
pub(crate) fn components(count: usize, successors: impl Fn(usize) -> Vec<usize>) -> Vec<u32> {
    let lists: Vec<Vec<usize>> = (0..count).map(successors).collect();
    components_by(count, |node| lists[node].len(), |node, at| lists[node][at])
}

/// The same, with the number of each node's successors and the successor of each number.
pub(crate) fn components_by(
    count: usize,
    degree: impl Fn(usize) -> usize,
    successor: impl Fn(usize, usize) -> usize,
) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut component = vec![UNSEEN; count];
    let mut open: Vec<usize> = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
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
        let component = components(6, |node| edges[node].clone());
        assert_eq!(component[1], component[2]);
        for (from, targets) in edges.iter().enumerate() {
            for &to in targets {
                assert!(component[to] <= component[from]);
            }
        }
        assert_eq!(component.iter().max(), Some(&4));
    }
}
