//! Builds the automaton of ascending texts in one pass over an [`OpenPath`].
//!
//! A closed node is written, so leaves are written before the root. The bytes are kept in reverse and reversed at the
//! end, so that transitions lead forward.
//!
//! A closed node that equals a written node is replaced by it. A register of fixed size finds the written node. Nodes
//! that were not used recently drop out of the register, so a node may be written twice. A node with a new child is
//! new, and is not looked up.
//!
//! Cost: O(bytes of the texts) time; 16 MiB for the register, besides the nodes.

use std::fmt;

use super::node;
use super::open_path::OpenPath;

/// Number of buckets of the register, a hash table of written nodes. With [`BUCKET`] nodes each, the register takes 16
/// MiB.
const BUCKETS: usize = 1 << 20;
/// Number of nodes in one bucket. In a full bucket, the node that was not used for longest is dropped.
const BUCKET: usize = 4;

/// Largest number of bytes of all nodes, so that addresses have 31 bits. Beyond it, the builder returns [`TooLong`].
const MOST: usize = 1 << 31;

/// The error that the nodes of packed string sets would take 2 GiB or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the texts of packed string sets take more than {MOST} bytes")
    }
}

impl std::error::Error for TooLong {}

/// A written node, with facts about the texts that its paths spell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// Address of the node. While the set is built, the exclusive end of the node in the reversed bytes.
    pub address: u32,
    /// Number of texts from the node on. It saturates at `u32::MAX`.
    pub texts: u32,
    /// Length in bytes of the shortest text from the node on.
    pub shortest: u32,
}

/// Finished packed string sets, in one table of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// Bytes of the nodes of all sets.
    pub bytes: Vec<u8>,
    /// Address of the root of each set, in the order in which the sets were finished.
    pub roots: Vec<u32>,
    /// For each set, the nodes that the builder was asked to note.
    pub noted: Vec<Vec<Noted>>,
    /// Number of nodes of all sets.
    pub nodes: usize,
}

/// A node of the newest text's path, to which transitions may still be added.
#[derive(Debug)]
struct Open {
    is_final: bool,
    /// Byte and target of each transition, except the transition to the next open node.
    edges: Vec<(u8, u32)>,
    /// Whether some target was newly written. Then no written node equals this one, and none is looked up.
    is_new: bool,
    texts: u32,
    shortest: u32,
}

impl Default for Open {
    fn default() -> Self {
        Self { is_final: false, edges: Vec::new(), is_new: false, texts: 0, shortest: u32::MAX }
    }
}

impl Open {
    fn clear(&mut self) {
        self.edges.clear();
        *self = Self { edges: std::mem::take(&mut self.edges), ..Self::default() };
    }

    fn end_text(&mut self) {
        if !std::mem::replace(&mut self.is_final, true) {
            self.texts = self.texts.saturating_add(1);
            self.shortest = 0;
        }
    }
}

/// Builds packed string sets, one after the other, into one table of nodes.
#[derive(Debug)]
pub struct PackedStringsBuilder {
    path: OpenPath<Open>,
    nodes: Nodes,
}

/// The nodes that are written, with the register that finds equal ones.
#[derive(Debug, Default)]
struct Nodes {
    /// Bytes of all nodes, last byte first.
    backward: Vec<u8>,
    /// For each bucket, the exclusive ends of its nodes in the reversed bytes, most recently used first. 0 for a free
    /// place.
    register: Vec<[u32; BUCKET]>,
    /// Which nodes to note: those with at least this many texts, and those with a text of at most this many bytes.
    note: (u32, u32),
    noted: Vec<Noted>,
    built: Built,
    offsets: Vec<(u8, u32)>,
    forward: Vec<u8>,
}

impl PackedStringsBuilder {
    /// Returns a builder without texts. The builder notes each node with at least `texts` texts below it. It also
    /// notes each node whose shortest text below has at most `shortest` bytes.
    pub fn new(texts: u32, shortest: u32) -> Self {
        let register = vec![[0; BUCKET]; BUCKETS];
        let nodes = Nodes { register, note: (texts, shortest), ..Nodes::default() };
        Self { path: OpenPath::default(), nodes }
    }

    /// Adds a text to the current set. Texts must ascend by their bytes.
    ///
    /// # Errors
    ///
    /// All nodes together would take 2 GiB or more.
    pub fn add(&mut self, text: &[u8]) -> Result<(), TooLong> {
        let Self { path, nodes } = self;
        path.enter(text, |parent, byte, child| nodes.close(parent, byte, child))?.end_text();
        Ok(())
    }

    /// Finishes the current set, which must have at least one text, and begins another.
    ///
    /// # Errors
    ///
    /// All nodes together would take 2 GiB or more.
    pub fn finish_root(&mut self) -> Result<(), TooLong> {
        let Self { path, nodes } = self;
        let root = path.finish(|parent, byte, child| nodes.close(parent, byte, child))?;
        let (written, _) = nodes.write(root)?;
        root.clear();
        nodes.built.roots.push(written.address);
        nodes.built.noted.push(std::mem::take(&mut nodes.noted));
        Ok(())
    }

    /// Returns the packed string sets that were finished. A set without [`finish_root`](Self::finish_root) is lost.
    pub fn finish(self) -> Built {
        let Nodes { mut backward, mut built, .. } = self.nodes;
        // An unused byte at the start, so that no node has address 0.
        backward.push(0);
        backward.reverse();
        let address = |place: u32| backward.len() as u32 - place;
        built.roots.iter_mut().for_each(|root| *root = address(*root));
        let noted = built.noted.iter_mut().flatten();
        noted.for_each(|noted| noted.address = address(noted.address));
        built.bytes = backward;
        built
    }
}

impl Nodes {
    /// Writes an open node, clears it, and adds the transition to it to its parent.
    fn close(&mut self, parent: &mut Open, byte: u8, child: &mut Open) -> Result<(), TooLong> {
        let (written, is_new) = self.write(child)?;
        child.clear();
        parent.edges.push((byte, written.address));
        parent.is_new |= is_new;
        parent.texts = parent.texts.saturating_add(written.texts);
        parent.shortest = parent.shortest.min(written.shortest.saturating_add(1));
        Ok(())
    }

    /// Returns a written node that equals the open node, and whether it is new. Writes the node if the register has no
    /// equal one.
    fn write(&mut self, open: &Open) -> Result<(Noted, bool), TooLong> {
        let (texts, shortest) = (open.texts, open.shortest);
        let hash = hash(open);
        let bucket = &mut self.register[hash];
        if !open.is_new {
            let known = |&place: &u32| place != 0 && is_like(&self.backward, place, open);
            if let Some(at) = bucket.iter().position(known) {
                bucket[..=at].rotate_right(1);
                return Ok((Noted { address: bucket[0], texts, shortest }, false));
            }
        }
        let end = self.backward.len() as u32;
        self.offsets.clear();
        self.offsets.extend(open.edges.iter().map(|&(byte, place)| (byte, end - place)));
        self.forward.clear();
        node::write(open.is_final, &self.offsets, &mut self.forward);
        if self.backward.len() + self.forward.len() >= MOST {
            return Err(TooLong);
        }
        self.backward.extend(self.forward.iter().rev());
        let address = self.backward.len() as u32;
        bucket.rotate_right(1);
        bucket[0] = address;
        self.built.nodes += 1;
        let noted = Noted { address, texts, shortest };
        if texts >= self.note.0 || shortest <= self.note.1 {
            self.noted.push(noted);
        }
        Ok((noted, true))
    }
}

/// Returns the index of the bucket to which a node belongs.
fn hash(open: &Open) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let edges = open.edges.iter().map(|&(byte, place)| u64::from(byte) << 32 | u64::from(place));
    let hash = edges.fold(u64::from(open.is_final), mix).wrapping_mul(FACTOR);
    (hash >> 40) as usize % BUCKETS
}

/// Whether the node that ends at `place` in the reversed bytes equals an open node.
fn is_like(backward: &[u8], place: u32, open: &Open) -> bool {
    // The longest node has a head, a number, and 256 transitions of five bytes.
    let mut bytes = [0; 2 + 256 * 5];
    let read = bytes.len().min(place as usize);
    let most = 2 + open.edges.len() * 5;
    let read = read.min(most);
    for (byte, &at) in bytes.iter_mut().zip(backward[..place as usize].iter().rev().take(read)) {
        *byte = at;
    }
    let node = node::PackedStrings::new(&bytes[..read]).node(0);
    let edges = open.edges.iter().enumerate();
    node.is_final() == open.is_final
        && node.labels().len() == open.edges.len()
        && edges.into_iter().all(|(index, &(byte, at))| {
            node.labels()[index] == byte && place.checked_sub(node.target(index)) == Some(at)
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::node::PackedStrings;
    use super::*;

    /// Returns all texts that the paths from a node spell.
    fn texts(strings: PackedStrings<'_>, root: u32) -> BTreeSet<Vec<u8>> {
        let mut found = BTreeSet::new();
        let mut open = vec![(root, Vec::new())];
        while let Some((at, text)) = open.pop() {
            let node = strings.node(at);
            for (index, &byte) in node.labels().iter().enumerate() {
                open.push((node.target(index), [&text[..], &[byte]].concat()));
            }
            if node.is_final() {
                found.insert(text);
            }
        }
        found
    }

    proptest! {
        #[test]
        fn the_texts_are_those_added(
            sets in prop::collection::vec(prop::collection::btree_set(
                prop::collection::vec(prop::sample::select(vec![b'a', b'b', b'"', 0x80, 0xff]), 0..7),
                1..40,
            ), 1..4),
        ) {
            let mut builder = PackedStringsBuilder::new(2, 0);
            for set in &sets {
                set.iter().for_each(|text| builder.add(text).unwrap());
                builder.finish_root().unwrap();
            }
            let built = builder.finish();
            let strings = PackedStrings::new(&built.bytes);
            prop_assert_eq!(strings.check().map(|starts| starts.count()), Ok(built.nodes));
            for (set, &root) in sets.iter().zip(&built.roots) {
                prop_assert_eq!(&texts(strings, root), set);
            }
            for noted in built.noted.iter().flatten() {
                let texts = texts(strings, noted.address);
                prop_assert_eq!(noted.texts as usize, texts.len());
                prop_assert_eq!(Some(noted.shortest as usize), texts.iter().map(Vec::len).min());
            }
        }
    }

    #[test]
    fn tails_are_shared_and_the_rest_is_its_text() {
        let mut builder = PackedStringsBuilder::new(u32::MAX, 0);
        for text in ["bright lamp\"", "dim lamp\"", "small lamp\""] {
            builder.add(text.as_bytes()).unwrap();
        }
        builder.finish_root().unwrap();
        let built = builder.finish();
        let packed = String::from_utf8_lossy(&built.bytes).into_owned();
        assert_eq!(packed.matches(" lamp\"").count(), 1, "{packed:?}");
        assert!(packed.contains("bri") || packed.contains("righ"), "{packed:?}");
        assert!(built.bytes.len() < 40, "{} bytes", built.bytes.len());
    }
}
