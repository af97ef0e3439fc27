//! Packed string sets: sets of texts that are packed instead of unrolled into states.
//!
//! A state takes some hundred bytes with its edges and its mask, and a million names have tens of millions of states.
//! So the automaton of such a set is [packed](grammarc_artifacts::packed_strings) to some bytes a text, and the runtime
//! walks it. The network has the part of it that masks of other states need: the *reached part*, which is all that
//! tokens read of it from outside. A string that does begins at the root and is a factor of a token. So a walk of the
//! root from each node of the trie finds this part.
//!
//! ```text
//!    root --a--> 1 --n--> 2 ..reached..    3 --z--> beyond --any byte--> end
//! ```
//!
//! Transitions that no token takes lead to a state *beyond*. So the part is an automaton in normal form: no state is
//! dead, and the first bytes of each node are right. No mask of another rule depends on what is beyond. The masks of
//! the set's own states would, so they are not computed ([`masks::fixpoint::high_fanout`](crate::masks::fixpoint)). The
//! bound on configurations reads the packed nodes ([`ambiguity`](super::ambiguity)).
//!
//! Masks at nodes are found by walks of bounded work. A node whose walk takes more is a *high-fanout node*: its mask is
//! stored. Two numbers of the trie exclude nearly all nodes, so that of a million texts some thousand nodes are tried
//! ([`Walks`]).
//!
//! A set is packed if every byte of its texts is a token by itself, so that a token may end within any text, and if no
//! items of the grammar have to differ. Texts with other bytes are unrolled beside the packed set.
//!
//! Cost: O(bytes of the texts); for the reached part O(factors of tokens that a text begins with).

use std::sync::Arc;

use grammarc_artifacts::packed_strings::{
    PackedStrings as Nodes, PackedStringsBuilder, TooLong, WALKED,
};
use grammarc_artifacts::sections::vocabulary::Trie;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::automata::{Dfa, DfaState, Edge, Edges, Table};
use crate::budget::{Budget, Spent};
use crate::ir::{ByteSet, Texts};

/// Steps of a budget that a byte of a text takes, about.
const STEPS_A_BYTE: usize = 1 << 3;

/// Bytes between two looks at the budget.
const BYTES_A_LOOK: usize = 1 << 12;

/// Why a set of texts is not packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The budget is spent.
    Spent,
    /// Its nodes take too many bytes.
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

/// A packed set of texts.
#[derive(Debug, PartialEq, Eq)]
pub struct PackedStringSet {
    /// The nodes, the first at address 1.
    pub nodes: Vec<u8>,
    /// Address of the root.
    pub root: u32,
    /// Addresses of the nodes that may have a high fanout, ascending.
    pub candidates: Vec<u32>,
    /// The number of texts.
    pub texts: usize,
    /// The bytes in the texts.
    pub bytes: ByteSet,
    /// The bytes with which some text continues after the end of another.
    pub behind_ends: ByteSet,
    /// The digest of the texts.
    pub(super) digest: [u8; 32],
    /// The reached part: the states that tokens reach from outside.
    pub(super) reached: Table,
}

impl PackedStringSet {
    /// Returns the packed nodes.
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes::new(&self.nodes)
    }

    /// Packs the ascending texts of a set, for the tokens of a trie.
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

    /// Returns the bytes of memory, about.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() + size_of_val(&*self.candidates) + self.reached.bytes()
    }
}

/// Returns the labels of all nodes that are final.
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

/// Returns the automaton of the nodes that factors of tokens lead to from the root.
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
    // In the order in which they are reached.
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

/// Bounds on the work of the walk of a node, from the texts below it.
///
/// A walk along one text looks at the children of the trie nodes on one path, and where the text ends at all nodes
/// below. A node above fewer texts than `texts`, all longer than `shortest` bytes, is no high-fanout node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Walks {
    texts: u32,
    shortest: u32,
}

impl Walks {
    /// Returns the bounds for a trie.
    pub(super) fn new(trie: Trie<'_>) -> Self {
        // By depth, the most nodes below a node; and the most children of the nodes on a path, without the root.
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
        // The nodes below get fewer with the depth.
        match (1..=below.len()).find(fits) {
            Some(length) => Self { texts: 2, shortest: length as u32 - 1 },
            None => Self { texts: 1, shortest: 0 },
        }
    }
}

/// The packed sets of a grammar. Each is packed once although rules may be built several times.
#[derive(Default)]
pub(super) struct PackedStringSets {
    known: FxHashMap<[u8; 32], Result<Arc<PackedStringSet>, Refused>>,
    walks: Option<Walks>,
}

impl PackedStringSets {
    /// Returns the packed set of those texts of a set that consist of some bytes.
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

/// Whether all bytes of a text are among some.
pub(super) fn is_of(text: &[u8], bytes: ByteSet) -> bool {
    text.iter().all(|&byte| bytes.contains(byte))
}
