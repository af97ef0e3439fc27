//! Drafts as trees: a draft, and behind it a branch for each token where few are allowed.
//!
//! A host that verifies trees feeds all nodes at once, and keeps the longest path that the model would have drawn.

use std::collections::VecDeque;

use super::Drafter;
use crate::matcher::Matcher;

/// A tree of tokens after a position. Parents come before their children, so a prefix of the nodes is a tree too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DraftTree {
    /// For each node, its token.
    pub tokens: Vec<u32>,
    /// For each node, the index of its parent. `None` for a token that follows the position itself.
    pub parents: Vec<Option<u32>>,
}

impl DraftTree {
    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether the tree has no node.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Adds a node, and returns its index.
    fn push(&mut self, token: u32, parent: Option<u32>) -> u32 {
        self.tokens.push(token);
        self.parents.push(parent);
        self.tokens.len() as u32 - 1
    }
}

/// A position of the tree whose continuations are to be added: the node that leads to it, the matcher there, and the
/// last tokens of the output there.
struct Open {
    node: Option<u32>,
    matcher: Matcher,
    last: Vec<u32>,
}

impl Drafter {
    /// Returns a tree of at most `nodes` tokens after a position: the [draft](Self::draft), and at its end a branch for
    /// each allowed token where at most `width` are allowed. Each branch continues in the same way. Branches are added
    /// breadth first, in the order of the tokens. None continues after an end of the sequence. The matcher does not
    /// move.
    ///
    /// O(nodes) drafts and masks.
    pub fn tree(&self, matcher: &Matcher, last: &[u32], nodes: usize, width: usize) -> DraftTree {
        let mut tree = DraftTree::default();
        let first = Open { node: None, matcher: matcher.fork(), last: last.to_vec() };
        let mut open = VecDeque::from([first]);
        let mut draft = Vec::new();
        while tree.len() < nodes
            && let Some(Open { mut node, mut matcher, mut last }) = open.pop_front()
        {
            self.draft(&mut matcher, &last, nodes - tree.len(), &mut draft);
            for &token in &draft {
                node = Some(tree.push(token, node));
            }
            let is_drafted = matcher.accept_many(&draft).is_ok();
            if tree.len() == nodes || !is_drafted || matcher.is_finished() {
                continue;
            }
            last.extend_from_slice(&draft);
            let allowed = few(&mut matcher, width);
            for token in allowed {
                if tree.len() == nodes {
                    break;
                }
                let mut branch = matcher.fork();
                // A limit of the matcher may be met, and then the token is none to draft.
                if branch.accept(token).is_err() {
                    continue;
                }
                let node = Some(tree.push(token, node));
                let mut last = last.clone();
                last.push(token);
                open.push_back(Open { node, matcher: branch, last });
            }
        }
        tree
    }
}

/// Returns the allowed tokens, ascending. Empty if more than `most` are allowed.
fn few(matcher: &mut Matcher, most: usize) -> Vec<u32> {
    let tokens: Vec<u32> = matcher.mask().iter().take(most.saturating_add(1)).collect();
    if tokens.len() > most { Vec::new() } else { tokens }
}
