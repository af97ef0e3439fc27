//! The automaton of ascending texts, built in one pass (J. Daciuk and others, "Incremental Construction of Minimal Acyclic
//! Finite-State Automata", 2000).
//!
//! Nodes along the newest text are open. Nodes that the next text does not share are closed, children first, and written. So
//! leaves are written before the root. The bytes are kept in reverse and reversed at the end, so that transitions lead forward.
//!
//! A closed node that equals a written one is replaced by it. A register of fixed size finds the written node. Nodes that were
//! not used recently drop out of the register, so a node may be written twice. A node with a new child is new, and is not looked
//! up.
//!
//! Cost: O(bytes of the texts) time; 16 MiB for the register, besides the nodes.

use std::fmt;

use super::node;

/// Number of buckets of the register, and of nodes in one bucket.
const BUCKETS: usize = 1 << 20;
const BUCKET: usize = 4;

/// Most bytes of all nodes, so that addresses have 31 bits. Beyond, the builder returns [`TooLong`].
const MOST: usize = 1 << 31;

/// The nodes of packed string sets would take more than 2 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the texts of packed string sets take more than {MOST} bytes")
    }
}

impl std::error::Error for TooLong {}

/// A written node, with the number of texts from there on and the length of the shortest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// Address of the node. While the set is built, the end of the node in the reversed bytes.
    pub address: u32,
    /// Number of texts.
    pub texts: u32,
    /// Bytes of the shortest text.
    pub shortest: u32,
}

/// Built packed string sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The packed nodes.
    pub bytes: Vec<u8>,
    /// The root of each set, in the order in which they were finished.
    pub roots: Vec<u32>,
    /// For each set, the noted nodes.
    pub noted: Vec<Vec<Noted>>,
    /// Number of nodes.
    pub nodes: usize,
}

/// A node to which texts may still be added.
#[derive(Debug, Default)]
struct Open {
    is_final: bool,
    /// Byte and target of each transition, except that to the next open node.
    edges: Vec<(u8, u32)>,
    /// Whether a target was new.
    is_new: bool,
    texts: u32,
    shortest: u32,
}

impl Open {
    fn reset(&mut self) {
        self.edges.clear();
        (self.is_final, self.is_new, self.texts, self.shortest) = (false, false, 0, u32::MAX);
    }

    fn end_text(&mut self) {
        if !std::mem::replace(&mut self.is_final, true) {
            self.texts = self.texts.saturating_add(1);
            self.shortest = 0;
        }
    }
}

/// Builds packed string sets, one after the other, in one table of nodes.
#[derive(Debug)]
pub struct PackedStringsBuilder {
    /// The bytes of all nodes, reversed.
    backward: Vec<u8>,
    /// For each bucket, the ends of its nodes in the reversed bytes, most recently used first.
    register: Vec<[u32; BUCKET]>,
    /// The open nodes: the root, and those along the newest text.
    open: Vec<Open>,
    /// Number of open nodes in use.
    depth: usize,
    text: Vec<u8>,
    /// A node is noted if it has at least so many texts, or one of at most so many bytes.
    note: (u32, u32),
    noted: Vec<Noted>,
    built: Built,
    offsets: Vec<(u8, u32)>,
    forward: Vec<u8>,
}

impl PackedStringsBuilder {
    /// Returns a builder without texts. It notes nodes with at least `texts` texts from there on, or with a text of at most
    /// `shortest` bytes.
    pub fn new(texts: u32, shortest: u32) -> Self {
        let mut builder = Self {
            backward: Vec::new(),
            register: vec![[0; BUCKET]; BUCKETS],
            open: vec![Open::default()],
            depth: 1,
            text: Vec::new(),
            note: (texts, shortest),
            noted: Vec::new(),
            built: Built::default(),
            offsets: Vec::new(),
            forward: Vec::new(),
        };
        builder.open[0].reset();
        builder
    }

    /// Adds a text to the set. Texts ascend by their bytes.
    ///
    /// # Errors
    ///
    /// The nodes take too many bytes.
    pub fn add(&mut self, text: &[u8]) -> Result<(), TooLong> {
        debug_assert!(self.text.as_slice() <= text, "texts ascend");
        let common = self.text.iter().zip(text).take_while(|(a, b)| a == b).count();
        self.close(common + 1)?;
        for _ in common..text.len() {
            if self.open.len() == self.depth {
                self.open.push(Open::default());
            }
            self.open[self.depth].reset();
            self.depth += 1;
        }
        self.text.truncate(common);
        self.text.extend_from_slice(&text[common..]);
        self.open[self.depth - 1].end_text();
        Ok(())
    }

    /// Ends the set, which has at least one text, and begins another.
    ///
    /// # Errors
    ///
    /// The nodes take too many bytes.
    pub fn finish_root(&mut self) -> Result<(), TooLong> {
        self.close(1)?;
        let (root, _) = self.write(0)?;
        self.open[0].reset();
        self.text.clear();
        self.built.roots.push(root.address);
        self.built.noted.push(std::mem::take(&mut self.noted));
        Ok(())
    }

    /// Returns all sets.
    pub fn finish(self) -> Built {
        let Self { mut backward, mut built, .. } = self;
        // An address is not 0.
        backward.push(0);
        backward.reverse();
        let address = |place: u32| backward.len() as u32 - place;
        built.roots.iter_mut().for_each(|root| *root = address(*root));
        let noted = built.noted.iter_mut().flatten();
        noted.for_each(|noted| noted.address = address(noted.address));
        built.bytes = backward;
        built
    }

    /// Closes the open nodes from a depth on, and adds the transitions of their parents.
    fn close(&mut self, depth: usize) -> Result<(), TooLong> {
        while self.depth > depth {
            self.depth -= 1;
            let (child, is_new) = self.write(self.depth)?;
            let byte = self.text[self.depth - 1];
            let parent = &mut self.open[self.depth - 1];
            parent.edges.push((byte, child.address));
            parent.is_new |= is_new;
            parent.texts = parent.texts.saturating_add(child.texts);
            parent.shortest = parent.shortest.min(child.shortest.saturating_add(1));
        }
        Ok(())
    }

    /// Returns a written node that equals the open one, and whether it is new.
    fn write(&mut self, depth: usize) -> Result<(Noted, bool), TooLong> {
        let open = &self.open[depth];
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

/// Returns the bucket of a node.
fn hash(open: &Open) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let edges = open.edges.iter().map(|&(byte, place)| u64::from(byte) << 32 | u64::from(place));
    let hash = edges.fold(u64::from(open.is_final), mix).wrapping_mul(FACTOR);
    (hash >> 40) as usize % BUCKETS
}

/// Whether the node that ends at `place` in the reversed bytes equals an open one.
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

    /// Returns all texts from a node on.
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
