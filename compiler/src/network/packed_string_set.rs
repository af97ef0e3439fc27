//! Packed string sets: sets of texts that are packed instead of being unrolled into states.
//!
//! A state takes some hundred bytes with its edges and its mask, and a million names have tens of
//! millions of states. So the automaton of such a set is
//! [packed](grammarc_artifacts::packed_strings) into a few bytes for each text, and the runtime
//! walks the packed form. The network contains only the *reached part*: the states that the masks
//! of other states need. A token that enters the set from outside reads a factor (substring) of the
//! token from the root. So walking the root from each trie node finds this part.
//!
//! ```text
//!    root --a--> 1 --n--> 2 ..reached..    3 --z--> beyond --any byte--> end
//! ```
//!
//! Transitions that no such token takes lead to a state *beyond*. So the reached part is an
//! automaton in normal form: no state is dead, and the first bytes of each node are right. No mask
//! of another rule depends on the states beyond. The masks of the set's own states would, so they
//! are not computed ([`masks::fixpoint::high_fanout`](crate::masks::fixpoint)). The bound on
//! configurations reads the packed nodes ([`ambiguity`](super::ambiguity)).
//!
//! The runtime finds masks at nodes by walks of bounded work. A node whose walk takes more work is
//! a *high-fanout node*, and its mask is stored. Two numbers of the trie exclude nearly all nodes,
//! so only some thousand nodes are tried for a million texts ([`Walks`]).
//!
//! A text belongs to the packed set if each of its bytes is a token by itself, so that a token may end anywhere within the text. The
//! other texts are unrolled into states beside the packed set.
//!
//! Cost: O(bytes of the texts). The reached part costs O(factors of tokens with which a text
//! begins).

use std::sync::Arc;

use grammarc_artifacts::packed_strings::{
    PackedStrings as Nodes, PackedStringsBuilder, TooLong, WALKED,
};
use grammarc_artifacts::sections::vocabulary::Trie;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::automata::{Dfa, DfaState, Edge, Edges, Table};
use crate::budget::{Budget, Spent};
use crate::ir::{ByteSet, Texts};

/// Steps of a budget that one byte of a text costs, about.
const STEPS_A_BYTE: usize = 1 << 3;

/// Bytes of texts between two checks of the budget.
const BYTES_A_LOOK: usize = 1 << 12;

/// The reason why a set of texts cannot be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The budget is spent.
    Spent,
    /// The packed nodes would take more bytes than an address can express.
    TooLong,
}

impl From<Spent> for Refused {
    fn from(_: Spent) -> Self {
        Self::Spent
    }
}

impl From<TooLong> for Refused {
    fn from(_: TooLong) -> Self {
        Self::TooLong
    }
}

/// A packed set of texts, stored as an acyclic automaton of nodes in a byte array.
#[derive(Debug, PartialEq, Eq)]
pub struct PackedStringSet {
    /// The bytes of all nodes. The first node is at address 1.
    pub nodes: Vec<u8>,
    /// The address of the root node in `nodes`.
    pub root: u32,
    /// The addresses of the nodes that may be high-fanout nodes (nodes whose masks are stored), in
    /// ascending order.
    pub candidates: Vec<u32>,
    /// The number of texts in the set.
    pub texts: usize,
    /// The bytes that occur in the texts.
    pub bytes: ByteSet,
    /// The bytes with which some text continues after the end of another text that is a prefix of
    /// it.
    pub behind_ends: ByteSet,
    /// The digest of the texts, which identifies the set.
    pub(super) digest: [u8; 32],
    /// The reached part as an automaton: the states that tokens reach when they enter the set from
    /// outside.
    pub(super) reached: Table,
}

impl PackedStringSet {
    /// Returns the packed nodes for reading.
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes::new(&self.nodes)
    }

    /// Packs texts, which are in ascending order. `trie` has the tokens that decide which states
    /// the network needs.
    ///
    /// # Errors
    ///
    /// [`Refused`] if the budget is spent or the nodes take too many bytes.
    fn new<'t>(
        texts: impl Iterator<Item = &'t [u8]>,
        digest: [u8; 32],
        trie: Trie<'_>,
        walks: Walks,
        budget: &Budget,
    ) -> Result<Self, Refused> {
        let mut builder = PackedStringsBuilder::new(walks.texts, walks.shortest);
        let (mut count, mut size, mut bytes) = (0, 0, ByteSet::EMPTY);
        for text in texts {
            builder.add(text)?;
            text.iter().for_each(|&byte| bytes.insert(byte));
            (count, size) = (count + 1, size + text.len());
            if size > BYTES_A_LOOK {
                budget.spend(STEPS_A_BYTE * std::mem::take(&mut size))?;
            }
        }
        builder.finish_root()?;
        let built = builder.finish();
        let noted = built.noted.into_iter().flatten();
        let mut candidates: Vec<u32> = noted.map(|noted| noted.address).collect();
        candidates.sort_unstable();
        budget.spend(built.bytes.len())?;
        let (nodes, root) = (built.bytes, built.roots[0]);
        let behind_ends = behind_ends(Nodes::new(&nodes));
        let reached = (&reached(Nodes::new(&nodes), root, bytes, trie, budget)?).into();
        let texts = count;
        Ok(Self { nodes, root, candidates, texts, bytes, behind_ends, digest, reached })
    }

    /// Returns the memory of the set in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() + size_of_val(&*self.candidates) + self.reached.bytes()
    }
}

/// Returns the labels of the nodes at which a text ends and another may continue.
fn behind_ends(nodes: Nodes<'_>) -> ByteSet {
    let (mut at, mut found) = (1, ByteSet::EMPTY);
    while (at as usize) < nodes.len() {
        if nodes.tail_byte(at).is_some() {
            at += 1;
            continue;
        }
        let node = nodes.node(at);
        if node.is_final() {
            node.labels().iter().for_each(|&byte| found.insert(byte));
        }
        at = node.end();
    }
    found
}

/// Returns the automaton of the nodes to which factors (substrings) of tokens lead from the root.
/// Other transitions lead to the state *beyond*.
///
/// # Errors
///
/// [`Spent`] if the budget is spent.
fn reached(
    nodes: Nodes<'_>,
    root: u32,
    bytes: ByteSet,
    trie: Trie<'_>,
    budget: &Budget,
) -> Result<Dfa, Spent> {
    let mut is_reached = FxHashSet::from_iter([root]);
    let mut open: Vec<(u32, u32)> = Vec::new();
    for from in (0..trie.len() as u32).filter(|&from| !trie.is_leaf(from)) {
        open.push((root, from));
        let mut looked = 0;
        while let Some((address, parent)) = open.pop() {
            let node = nodes.node(address);
            for child in trie.children(parent) {
                looked += 1;
                if let Some(next) = node.on(trie.byte[child as usize]) {
                    is_reached.insert(next);
                    if !trie.is_leaf(child) {
                        open.push((next, child));
                    }
                }
            }
        }
        budget.spend(looked)?;
    }
    // The nodes are numbered in the order in which they are reached.
    let mut numbers = FxHashMap::from_iter([(root, 0)]);
    let mut order = vec![root];
    let mut states: Vec<DfaState> = Vec::with_capacity(is_reached.len() + 2);
    let beyond = is_reached.len() as u32;
    while let Some(&address) = order.get(states.len()) {
        let node = nodes.node(address);
        let mut state = DfaState { edges: Edges::new(), accepting: node.is_final() };
        for (index, &byte) in node.labels().iter().enumerate() {
            let next = node.target(index);
            let target = match is_reached.contains(&next) {
                true => *numbers.entry(next).or_insert_with(|| {
                    order.push(next);
                    order.len() as u32 - 1
                }),
                false => beyond,
            };
            state.add(Edge { lo: byte.into(), hi: byte.into(), target });
        }
        states.push(state);
    }
    let is_left = states.iter().any(|state| state.edges.iter().any(|edge| edge.target == beyond));
    if is_left {
        let edge = |(lo, hi): (u8, u8)| Edge { lo: lo.into(), hi: hi.into(), target: beyond + 1 };
        let edges = bytes.ranges().map(edge).collect();
        states.push(DfaState { edges, accepting: false });
        states.push(DfaState { edges: Edges::new(), accepting: true });
    }
    Ok(Dfa { states })
}

/// Bounds on the work of the walk that finds the mask of a node, from the texts below the node.
///
/// A walk along one text looks at the children of the trie nodes on one path. Where the text ends,
/// it looks at all nodes below. If fewer than `texts` texts are below a node and all are longer
/// than `shortest` bytes, the node is no high-fanout node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Walks {
    /// The number of texts below a node from which on the node may be a high-fanout node.
    texts: u32,
    /// The length in bytes of the longest text whose walk may be too long by itself.
    shortest: u32,
}

impl Walks {
    /// Computes the bounds for a trie from the numbers of its children and of the nodes below.
    pub(super) fn new(trie: Trie<'_>) -> Self {
        // For each depth, the most nodes below a node at that depth (`below`). The most children of
        // all nodes on one path without the root (`along`).
        let mut below: Vec<usize> = Vec::new();
        let mut along = 0;
        let mut path: Vec<(u32, usize)> = Vec::new();
        for node in 0..trie.len() as u32 {
            while path.pop_if(|(end, _)| *end <= node).is_some() {}
            let depth = path.len();
            let children = if node == 0 { 1 } else { trie.children(node).count() };
            let above = path.last().map_or(0, |&(_, above)| above);
            let end = trie.end[node as usize];
            if below.len() == depth {
                below.push(0);
            }
            below[depth] = below[depth].max((end - node - 1) as usize);
            along = along.max(above + children);
            path.push((end, above + children));
        }
        let fits = |length: &usize| along + below.get(*length).copied().unwrap_or(0) <= WALKED;
        // The nodes at a greater depth have fewer nodes below.
        match (1..=below.len()).find(fits) {
            Some(length) => Self { texts: 2, shortest: length as u32 - 1 },
            None => Self { texts: 1, shortest: 0 },
        }
    }
}

/// The packed string sets (texts as a packed automaton) of a grammar. Each set is packed once,
/// although rules may be built several times.
#[derive(Default)]
pub(super) struct PackedStringSets {
    /// Maps the digest of a set of texts to its packed set (texts as a packed automaton), or to the
    /// reason why it cannot be packed.
    known: FxHashMap<[u8; 32], Result<Arc<PackedStringSet>, Refused>>,
    /// The bounds on the walks of nodes. `None` before the first set.
    walks: Option<Walks>,
}

impl PackedStringSets {
    /// Returns the packed set (texts as a packed automaton) of those texts in `texts` that consist
    /// only of `bytes`. Packs them at the first request.
    ///
    /// # Errors
    ///
    /// [`Refused`] if the budget is spent or the nodes take too many bytes.
    pub(super) fn of(
        &mut self,
        texts: &Texts,
        bytes: ByteSet,
        trie: Trie<'_>,
        budget: &Budget,
    ) -> Result<Arc<PackedStringSet>, Refused> {
        let walks = *self.walks.get_or_insert_with(|| Walks::new(trie));
        let of = || {
            let within = texts.iter().filter(|text| is_of(text, bytes));
            PackedStringSet::new(within, *texts.digest(), trie, walks, budget).map(Arc::new)
        };
        self.known.entry(*texts.digest()).or_insert_with(of).clone()
    }
}

/// Whether all bytes of a text are in `bytes`.
pub(super) fn is_of(text: &[u8], bytes: ByteSet) -> bool {
    text.iter().all(|&byte| bytes.contains(byte))
}
