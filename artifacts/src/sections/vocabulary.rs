//! Tables of the vocabulary: token bytes and kinds, the token trie, and the expressions of the shared rules.
//!
//! # The token trie
//!
//! Nodes are numbered in preorder, with children in ascending byte order. Node 0 is the root. Three arrays describe the
//! trie:
//!
//! | array | length | meaning |
//! | --- | --- | --- |
//! | `byte` | nodes | byte on the edge into the node (0 for the root) |
//! | `end` | nodes | one past the last node of the node's subtree |
//! | `rank` | nodes + 1 | number of tokens at nodes before this one |
//!
//! The *rank* of a token is its index among all text tokens, sorted by node and by id within a node. The tokens whose
//! bytes spell node `v` are `token_of_rank[rank[v]..rank[v + 1]]`. The ranks of its whole subtree are
//! `rank[v]..rank[end[v]]`. The first child of `v` is `v + 1` if `v + 1 < end[v]`, and the next sibling of `c` is
//! `end[c]`. Only text tokens are in the trie.

use bytemuck::{Pod, Zeroable};

/// The expression from which a shared rule was compiled. A compiler reuses the rule for an equal expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct ExpressionRecord {
    /// First 128 bits of a hash of the expression. The compiler defines it.
    pub digest: [u32; 4],
    /// Id of the shared rule that was compiled from the expression.
    pub rule: u32,
}

/// The kind of a token id: text, special or unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum TokenKind {
    /// A token whose bytes are text, which a grammar can spell.
    Text = 0,
    /// A control token: it is matched by id only, and never by its text.
    Special = 1,
    /// An id without a token, or a token without bytes. No mask allows it.
    Unused = 2,
}

impl TokenKind {
    /// Returns the kind with this number. `None` for an unknown number.
    pub fn from_u8(value: u8) -> Option<Self> {
        match value {
            0 => Some(Self::Text),
            1 => Some(Self::Special),
            2 => Some(Self::Unused),
            _ => None,
        }
    }
}

/// The prefix tree of the text tokens, as borrowed arrays. The module documentation explains them.
#[derive(Clone, Copy, Debug)]
pub struct Trie<'a> {
    /// For each node, the byte on the edge from its parent. 0 for the root.
    pub byte: &'a [u8],
    /// For each node, the exclusive end of its subtree: one more than the last node below it.
    pub end: &'a [u32],
    /// For each node, the number of tokens at nodes before it. One more entry at the end is the number of all tokens.
    pub rank: &'a [u32],
    /// Maps the rank of a token (its index in byte order) to its id.
    pub token_of_rank: &'a [u32],
}

impl<'a> Trie<'a> {
    /// Returns the number of nodes, at least one.
    #[inline]
    pub fn len(&self) -> usize {
        self.byte.len()
    }

    /// Whether the trie has no token.
    pub fn is_empty(&self) -> bool {
        self.token_of_rank.is_empty()
    }

    /// Returns the ranks of the tokens whose bytes spell node `v`.
    #[inline]
    pub fn tokens_at(&self, v: u32) -> std::ops::Range<u32> {
        self.rank[v as usize]..self.rank[v as usize + 1]
    }

    /// Returns the ranks of all tokens in the subtree of node `v`, including those at `v`.
    #[inline]
    pub fn tokens_below(&self, v: u32) -> std::ops::Range<u32> {
        self.rank[v as usize]..self.rank[self.end[v as usize] as usize]
    }

    /// Whether node `v` has no children.
    #[inline]
    pub fn is_leaf(&self, v: u32) -> bool {
        self.end[v as usize] == v + 1
    }

    /// Returns the children of node `v`, in ascending order of their bytes.
    pub fn children(&self, v: u32) -> impl Iterator<Item = u32> + use<'a> {
        let end = self.end;
        let stop = end[v as usize];
        let mut next = v + 1;
        std::iter::from_fn(move || {
            (next < stop).then(|| {
                let child = next;
                next = end[child as usize];
                child
            })
        })
    }

    /// Returns the child of node `v` on a byte. O(children).
    pub fn child(&self, v: u32, byte: u8) -> Option<u32> {
        let child = self.children(v).find(|&child| self.byte[child as usize] >= byte)?;
        (self.byte[child as usize] == byte).then_some(child)
    }

    /// Returns the bytes that are tokens by themselves, ascending.
    pub fn single_bytes(&self) -> impl Iterator<Item = u8> + use<'a> {
        let trie = *self;
        let single = self.children(0).filter(move |&child| !trie.tokens_at(child).is_empty());
        single.map(move |child| trie.byte[child as usize])
    }
}
