//! PackedStringSets: sets of texts that are packed instead of spelled out as states.
//!
//! A state takes some hundred bytes with its edges and its mask, and a million names have tens of millions. So the
//! automaton of such a set is [packed](grammarc_artifacts::catalogue), some bytes a text, and the runtime walks it. The
//! network has of it what masks of other states need: the *reached part*, which is all that tokens read of it when they
//! come to it from outside. A string that does begins at the root and is a contiguous part of a token, so the part is found
//! by a walk of the root from each node of the trie.
//!
//! ```text
//!    root --a--> 1 --n--> 2 ..reached..    3 --z--> beyond --any letter--> end
//! ```
//!
//! Transitions that no token comes to lead to a state *beyond*, which makes the part an automaton in normal form: nothing
//! is dead, and with which bytes a node goes on is right. No mask of another rule depends on what is beyond. The masks of
//! the packed set's own states would, so none is computed of them ([`masks::fixpoint::high_fanout`](crate::masks::fixpoint)),
//! and the bound on configurations asks the packed nodes ([`ambiguity`](super::ambiguity)).
//!
//! Masks at nodes are found by walks of bounded work. A node whose walk takes more is a *high-fanout node*: its mask is stored. Two
//! numbers of the trie tell which nodes may have a high fanout, so that of a million texts some thousand nodes are looked at
//! ([`Walks`]).
//!
//! A set is a packed set where every letter of its texts is a token by itself, so that a token may end within any text, and
//! where no items of the grammar have to differ. A text with another letter is spelled out beside the others.
//!
//! Cost: O(bytes of the texts); for the reached part O(contiguous parts of tokens that a text begins with).

use std::sync::Arc;

use grammarc_artifacts::catalogue::{Catalogue as Nodes, CatalogueBuilder, TooLong, WALKED};
use grammarc_artifacts::sections::vocabulary::Trie;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::automata::{Dfa, DfaState, Edge, Edges, Table};
use crate::budget::{Budget, Spent};
use crate::ir::{ByteSet, Texts};

/// Steps of a budget that a byte of a text takes, about.
const STEPS_A_BYTE: usize = 1 << 3;

/// Bytes between two looks at the budget.
const BYTES_A_LOOK: usize = 1 << 12;

/// Why a set of texts is no packed set.
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

/// A set of texts, packed.
#[derive(Debug, PartialEq, Eq)]
pub struct PackedStringSet {
    /// Its nodes, the first at address 1.
    pub nodes: Vec<u8>,
    /// Address of the root.
    pub root: u32,
    /// Addresses of the nodes that may have a high fanout, ascending.
    pub candidates: Vec<u32>,
    /// How many texts there are.
    pub texts: usize,
    /// The bytes in the texts.
    pub letters: ByteSet,
    /// Bytes with which some text goes on behind the end of another.
    pub behind_ends: ByteSet,
    /// The digest that tells the set of texts from others.
    pub(super) digest: [u8; 32],
    /// The reached part: the states that tokens come to from outside.
    pub(super) reached: Table,
}

impl PackedStringSet {
    /// The packed nodes.
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes::new(&self.nodes)
    }

    /// The packed set of ascending texts of a set, for the tokens of a trie.
    fn new<'t>(
        texts: impl Iterator<Item = &'t [u8]>,
        digest: [u8; 32],
        (trie, walks): (Trie<'_>, Walks),
        budget: &Budget,
    ) -> Result<Self, Refused> {
        let mut builder = CatalogueBuilder::new(walks.texts, walks.shortest);
        let (mut count, mut bytes, mut letters) = (0, 0, ByteSet::EMPTY);
        for text in texts {
            builder.add(text)?;
            text.iter().for_each(|&byte| letters.insert(byte));
            (count, bytes) = (count + 1, bytes + text.len());
            if bytes > BYTES_A_LOOK {
                budget.spend(STEPS_A_BYTE * std::mem::take(&mut bytes))?;
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
        let reached = (&reached(Nodes::new(&nodes), root, letters, trie, budget)?).into();
        let texts = count;
        Ok(Self { nodes, root, candidates, texts, letters, behind_ends, digest, reached })
    }

    /// Bytes that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.len() + size_of_val(&*self.candidates) + self.reached.bytes()
    }
}

/// Bytes with which nodes go on that are final.
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

/// The automaton of the nodes that contiguous parts of tokens lead to from the root.
fn reached(
    nodes: Nodes<'_>,
    root: u32,
    letters: ByteSet,
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
    // In the order in which they are led to.
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
        let edges = letters.ranges().map(edge).collect();
        states.push(DfaState { edges, accepting: false });
        states.push(DfaState { edges: Edges::new(), accepting: true });
    }
    Ok(Dfa { states })
}

/// Bounds on what the walk of a node looks at, from the texts that it leads to.
///
/// A walk along one text looks at the children of the trie nodes on one path, and where the text ends at those below the
/// node that it has come to. A node that leads to fewer texts than `texts`, all of more bytes than `shortest`, is not
/// high_fanout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Walks {
    texts: u32,
    shortest: u32,
}

impl Walks {
    /// The bounds for a trie.
    pub(super) fn new(trie: Trie<'_>) -> Self {
        // By depth, the most nodes below a node; and the most children that the nodes on a path have but for the root.
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
        // What is below gets less with the depth.
        match (1..=below.len()).find(fits) {
            Some(length) => Self { texts: 2, shortest: length as u32 - 1 },
            None => Self { texts: 1, shortest: 0 },
        }
    }
}

/// The packed sets of a grammar, made once although rules may be built several times.
#[derive(Default)]
pub(super) struct PackedStringSets {
    known: FxHashMap<[u8; 32], Result<Arc<PackedStringSet>, Refused>>,
    walks: Option<Walks>,
}

impl PackedStringSets {
    /// The packed set of those texts of a set that are of these letters.
    pub(super) fn of(
        &mut self,
        texts: &Texts,
        letters: ByteSet,
        trie: Trie<'_>,
        budget: &Budget,
    ) -> Result<Arc<PackedStringSet>, Refused> {
        let walks = *self.walks.get_or_insert_with(|| Walks::new(trie));
        let of = || {
            let within = texts.iter().filter(|text| is_of(text, letters));
            PackedStringSet::new(within, *texts.digest(), (trie, walks), budget).map(Arc::new)
        };
        self.known.entry(*texts.digest()).or_insert_with(of).clone()
    }
}

/// Whether all bytes of a text are among some.
pub(super) fn is_of(text: &[u8], letters: ByteSet) -> bool {
    text.iter().all(|&byte| letters.contains(byte))
}
