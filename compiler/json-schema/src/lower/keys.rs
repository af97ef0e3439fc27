//! The keys of many optional members, as one prefix tree (persistent tries that share nodes).
//!
//! Before the member at a place, any key from that place on may come. Unrolled, the automaton has an edge for each
//! remaining key at each place, and determinizing it is quadratic. The keys from one place on are the keys from the
//! next place on and one more key. Their tries share all nodes but the path of that key. So the tries are made from the
//! last place to the first, each by copying one path.
//!
//! Cost: linear in the total length of the keys, times the edges of a node.

use grammarc_grammar::ir::{Expr, ExprGraph};

/// A node of a prefix tree of keys.
#[derive(Clone, Debug, Default)]
struct Node {
    /// The edges of the node, ascending: a unit (byte or character) and the index of the child.
    children: Vec<(u32, u32)>,
    /// The graph state to which the key that ends here leads; `None` if no key ends here.
    leaf: Option<u32>,
    /// The state of the expression graph for this node; `None` until it is needed.
    state: Option<u32>,
}

/// Prefix trees of keys that share their nodes. Each edge reads one unit: a byte or a character, as the caller decides.
/// A tree is identified by the index of its root.
#[derive(Debug, Default)]
pub(super) struct KeyTrees {
    /// The nodes of all prefix trees.
    nodes: Vec<Node>,
    /// Indices of the nodes that have a graph state but no graph edges yet.
    open: Vec<u32>,
}

impl KeyTrees {
    /// Returns the prefix tree `tree` extended by `key`, which leads to the state `leaf` of the expression graph. If
    /// the tree has the key already, the key now leads to `leaf` alone.
    pub(super) fn with(&mut self, tree: Option<u32>, key: &[u32], leaf: u32) -> u32 {
        let root = self.copy(tree);
        let mut at = root;
        for &unit in key {
            let children = &self.nodes[at as usize].children;
            let place = children.binary_search_by_key(&unit, |child| child.0);
            let old = place.ok().map(|place| children[place].1);
            let new = self.copy(old);
            let children = &mut self.nodes[at as usize].children;
            match place {
                Ok(place) => children[place].1 = new,
                Err(place) => children.insert(place, (unit, new)),
            }
            at = new;
        }
        self.nodes[at as usize].leaf = Some(leaf);
        root
    }

    /// Returns the state of the expression graph to which `key` leads in a prefix tree, or `None` if the tree does not
    /// have the key.
    pub(super) fn leaf(&self, tree: Option<u32>, key: &[u32]) -> Option<u32> {
        let mut node = &self.nodes[tree? as usize];
        for unit in key {
            let place = node.children.binary_search_by_key(unit, |child| child.0).ok()?;
            node = &self.nodes[node.children[place].1 as usize];
        }
        node.leaf
    }

    fn copy(&mut self, node: Option<u32>) -> u32 {
        let node = node.map_or_else(Node::default, |node| self.nodes[node as usize].clone());
        self.nodes.push(Node { state: None, ..node });
        (self.nodes.len() - 1) as u32
    }

    /// Returns the state of the expression graph before the keys of a prefix tree. A new state gets its edges in
    /// [`write`](Self::write).
    pub(super) fn state(&mut self, graph: &mut ExprGraph, tree: u32) -> u32 {
        let Node { state, leaf, children } = &mut self.nodes[tree as usize];
        if let Some(state) = *state {
            return state;
        }
        // A key that is no prefix of another key leads directly to its leaf.
        let new = match *leaf {
            Some(leaf) if children.is_empty() => leaf,
            _ => {
                self.open.push(tree);
                graph.state()
            }
        };
        *state = Some(new);
        new
    }

    /// Adds to the expression graph the edges of all states that [`state`](Self::state) has returned. `unit` returns
    /// the expression of a byte or character. Stops early if `may_go_on`, which gets a number of further edges, refuses
    /// them.
    pub(super) fn write(
        &mut self,
        graph: &mut ExprGraph,
        mut unit: impl FnMut(u32) -> Expr,
        mut may_go_on: impl FnMut(usize) -> bool,
    ) {
        while let Some(node) = self.open.pop() {
            let Node { children, leaf, state } = self.nodes[node as usize].clone();
            if !may_go_on(children.len() + 1) {
                return;
            }
            let Some(from) = state else { continue };
            if let Some(leaf) = leaf {
                graph.edge(from, Expr::Empty, leaf);
            }
            for (label, child) in children {
                let to = self.state(graph, child);
                graph.edge(from, unit(label), to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(key: &str) -> Vec<u32> {
        key.bytes().map(u32::from).collect()
    }

    #[test]
    fn a_tree_has_its_keys_and_no_later_one() {
        let keys = ["date", "da", "name", "dated", "", "nam"];
        let mut trees = KeyTrees::default();
        let mut roots = vec![None];
        for (leaf, key) in (0..).zip(keys) {
            let tree = trees.with(roots[roots.len() - 1], &units(key), leaf);
            roots.push(Some(tree));
        }
        for (count, &tree) in roots.iter().enumerate() {
            for (at, key) in keys.iter().enumerate() {
                let expected = (at < count).then_some(at as u32);
                assert_eq!(trees.leaf(tree, &units(key)), expected, "{key} of {count}");
            }
            assert_eq!(trees.leaf(tree, &units("d")), None);
        }
    }
}
