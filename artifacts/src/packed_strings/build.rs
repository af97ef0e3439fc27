//! The automaton of ascending texts, built in one pass (J. Daciuk and others, "Incremental Construction of Minimal Acyclic
//! Finite-State Automata", 2000).
//!
//! Nodes along the newest text are open; those that the next text leaves behind are closed, children first, and written.
//! So the automaton is written from its ends to its root, which is why it is kept back to front and turned round at the
//! end: transitions then lead forward.
//!
//! A node that was written before is taken again where a register finds it. The register has a fixed size, and what was
//! not met for long drops out of it: a node may be written twice then, and memory stays what the nodes take. A node over
//! one that is new is new itself and is not looked up.
//!
//! Cost: O(bytes of the texts) time; 16 MiB for the register besides the nodes.

use std::fmt;

use super::node;

/// Buckets of the register, and nodes in one.
const BUCKETS: usize = 1 << 20;
const BUCKET: usize = 4;

/// Most bytes of all nodes: addresses are numbers of 31 bits.
const MOST: usize = 1 << 31;

/// Texts that shall be in a packed string set take more bytes than it can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the texts of packed string sets take more than {MOST} bytes")
    }
}

impl std::error::Error for TooLong {}

/// A written node with what is known of the texts from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// Its address; while the packed string set is built, where it ends in the bytes back to front.
    pub address: u32,
    /// Number of texts.
    pub texts: u32,
    /// Bytes of the shortest.
    pub shortest: u32,
}

/// A built packed string set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The packed nodes.
    pub bytes: Vec<u8>,
    /// The root of each packed string set, in the order in which they were finished.
    pub roots: Vec<u32>,
    /// By packed string set, nodes that were to be noted.
    pub noted: Vec<Vec<Noted>>,
    /// Number of nodes.
    pub nodes: usize,
}

/// A node that texts may still be added to.
#[derive(Debug, Default)]
struct Open {
    is_final: bool,
    /// Byte and place of each transition but that to the next open node.
    edges: Vec<(u8, u32)>,
    /// Whether one of them leads to a node that was new.
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

/// Builds packed string sets one after the other, over one table of nodes.
#[derive(Debug)]
pub struct PackedStringsBuilder {
    /// Nodes, back to front.
    backward: Vec<u8>,
    /// By bucket, places of nodes, the newest first.
    register: Vec<[u32; BUCKET]>,
    /// The open nodes: that of the root, and those along the newest text.
    open: Vec<Open>,
    /// How many of them are in use.
    depth: usize,
    text: Vec<u8>,
    /// From how many texts on, and up to how short a text, a node is noted.
    note: (u32, u32),
    noted: Vec<Noted>,
    built: Built,
    offsets: Vec<(u8, u32)>,
    forward: Vec<u8>,
}

impl PackedStringsBuilder {
    /// No text yet. Nodes with at least `texts` texts from there on are noted, and those with one of at most `shortest`
    /// bytes.
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

    /// Adds a text to the packed string set, which comes behind those before it in the order of bytes or is one of them.
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

    /// Ends the packed string set, to which at least one text was added, and begins another.
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

    /// The bytes of all packed string sets, with the addresses of their roots.
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

    /// Writes the open nodes from a depth on, and leads their parents to them.
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

    /// The place of a node like an open one, and whether it was written for that.
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

/// The bucket of a node.
fn hash(open: &Open) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let edges = open.edges.iter().map(|&(byte, place)| u64::from(byte) << 32 | u64::from(place));
    let hash = edges.fold(u64::from(open.is_final), mix).wrapping_mul(FACTOR);
    (hash >> 40) as usize % BUCKETS
}

/// Whether the node that ends at a place of the bytes back to front is like an open one.
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

    /// All texts from a node on.
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
