//! Nodes of a packed string set: states of an acyclic automaton. The address of a node is the index of its first byte.
//!
//! A byte below 0x80 is a whole node. The node is not final, and has one transition, on that byte to the node after it.
//! So the tail of a text that shares no suffix is the text itself. Any other node begins with a head:
//!
//! ```text
//!    bit  7 6 5 4 3 2 1 0
//!         1 f w w w n n n    f  the node is final
//!                            w  bytes of an offset, 0 to 4
//!                            n  number of transitions, 0 to 6; with 7 the next byte is the number less one
//! ```
//!
//! The head is followed by the bytes of the transitions, ascending, and then by their offsets, little-endian. An offset
//! is the distance in bytes from the end of the node to the target. Without offsets, the target is the node after this
//! one.
//!
//! Invariant: transitions lead to higher addresses, so every path ends. A node that is not final has a transition, so
//! every path ends in a final node. [`PackedStrings::check`] checks each node. Reading is total: an address out of
//! bounds is a node without transitions.
//!
//! Cost: a node is some bytes. The check reads up to 64 single-byte nodes at once.

/// Bit of a node's first byte: the byte is a head. Without it, the byte is a whole node.
const HEAD: u8 = 0x80;
/// Bit of a head: the node is final, so that a text may end there.
const FINAL: u8 = 0x40;
/// Position in a head of the number of bytes of an offset.
const WIDTH: u32 = 3;
/// Largest number of bytes of an offset. A head with more is malformed.
const WIDEST: usize = 4;
/// Bits of a head with the number of transitions. If all are set, the next byte is the number less one.
const COUNT: u8 = 7;

/// The nodes of a grammar's packed string sets, read in place. The byte at address 0 is no node, since a register is
/// not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedStrings<'a> {
    bytes: &'a [u8],
}

/// One node of a packed string set, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    is_final: bool,
    labels: &'a [u8],
    offsets: &'a [u8],
    width: usize,
    /// Address of the byte after the node.
    end: usize,
}

impl<'a> Node<'a> {
    const NOTHING: Self = Self { is_final: false, labels: &[], offsets: &[], width: 0, end: 0 };

    /// Whether the node is final, so that a text may end there.
    #[inline]
    pub fn is_final(&self) -> bool {
        self.is_final
    }

    /// Returns the bytes of the transitions, ascending.
    #[inline]
    pub fn labels(&self) -> &'a [u8] {
        self.labels
    }

    /// Whether the node has no transitions.
    #[inline]
    pub fn is_end(&self) -> bool {
        self.labels.is_empty()
    }

    /// Returns the index of the rule's state for the node: 0 if no text ends here, 1 if a text ends and others
    /// continue, 2 if all end.
    #[inline]
    pub fn state(&self) -> u32 {
        u32::from(self.is_final) + u32::from(self.is_end())
    }

    /// Returns the address of the byte after the node.
    pub fn end(&self) -> u32 {
        self.end as u32
    }

    /// Returns the address of the target of the transition with this index. Panics if there is none.
    #[inline]
    pub fn target(&self, index: usize) -> u32 {
        let offset = &self.offsets[index * self.width..][..self.width];
        let number = |low: usize, byte: &u8| low << 8 | usize::from(*byte);
        (self.end + offset.iter().rev().fold(0, number)) as u32
    }

    /// Returns the address of the target of the transition on a byte. `None` if the node has no such transition.
    #[inline]
    pub fn on(&self, byte: u8) -> Option<u32> {
        let index = self.labels.iter().position(|&label| label >= byte)?;
        (self.labels[index] == byte).then(|| self.target(index))
    }
}

impl<'a> PackedStrings<'a> {
    /// Wraps the bytes of the nodes. Does not check them: see [`check`](Self::check).
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Returns the number of bytes, including the byte at address 0.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are no packed string sets.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the node at an address. If no whole node begins there, returns a node without transitions that is not
    /// final.
    #[inline]
    pub fn node(&self, address: u32) -> Node<'a> {
        self.parse(address as usize).unwrap_or(Node::NOTHING)
    }

    /// Returns the byte of a node that is a single byte. `None` for a node with a head, and out of bounds.
    #[inline]
    pub fn tail_byte(&self, address: u32) -> Option<u8> {
        self.bytes.get(address as usize).copied().filter(|byte| byte & HEAD == 0)
    }

    /// Decodes the node at an address. `None` if the node is not whole or its head is malformed.
    #[inline]
    fn parse(&self, at: usize) -> Option<Node<'a>> {
        let head = *self.bytes.get(at)?;
        if head & HEAD == 0 {
            let labels = &self.bytes[at..at + 1];
            return Some(Node { is_final: false, labels, offsets: &[], width: 0, end: at + 1 });
        }
        let width = usize::from(head >> WIDTH & 7);
        let (count, first) = match head & COUNT {
            COUNT => (usize::from(*self.bytes.get(at + 1)?) + 1, at + 2),
            count => (count.into(), at + 1),
        };
        let labels = self.bytes.get(first..first + count)?;
        let end = first + count + count * width;
        let offsets = self.bytes.get(first + count..end)?;
        let is_final = head & FINAL != 0;
        (width <= WIDEST).then_some(Node { is_final, labels, offsets, width, end })
    }

    /// Checks every node and transition, and returns the set of all node addresses. O(bytes).
    ///
    /// # Errors
    ///
    /// A node is malformed: it is not whole, has no transition and is not final, or its transitions do not ascend. The
    /// error is the node's address. If a target is no node, the error is an address near the target.
    pub fn check(&self) -> Result<Starts, u32> {
        let mut starts = Starts(vec![0; self.len().div_ceil(64)]);
        let mut wanted = Starts(vec![0; self.len().div_ceil(64)]);
        let mut at = 1;
        while at < self.len() {
            let plain = self.bytes[at..].iter().take(64 - at % 64);
            let plain = plain.take_while(|&&byte| byte & HEAD == 0).count();
            if plain > 0 {
                starts.0[at / 64] |= (u64::MAX >> (64 - plain)) << (at % 64);
                at += plain;
                if at == self.len() {
                    return Err(at as u32 - 1);
                }
                wanted.add(at);
                continue;
            }
            starts.add(at);
            let node = self.parse(at).filter(|node| node.is_final || !node.is_end());
            let node = node.filter(|node| node.labels.is_sorted_by(|a, b| a < b));
            let node = node.ok_or(at as u32)?;
            let small = self.bytes[at] & COUNT != COUNT || node.labels.len() >= COUNT.into();
            for index in 0..node.labels.len() {
                let target = node.target(index) as usize;
                if target >= self.len() || !small {
                    return Err(at as u32);
                }
                wanted.add(target);
            }
            at = node.end;
        }
        let astray =
            starts.0.iter().zip(&wanted.0).position(|(starts, wanted)| wanted & !starts != 0);
        match astray {
            Some(word) => Err(word as u32 * 64),
            None => Ok(starts),
        }
    }
}

/// The set of the addresses at which nodes begin, one bit for each address.
#[derive(Clone, Debug, Default)]
pub struct Starts(Vec<u64>);

impl Starts {
    fn add(&mut self, address: usize) {
        self.0[address / 64] |= 1 << (address % 64);
    }

    /// Whether a node of a packed string set begins at an address.
    pub fn contains(&self, address: u32) -> bool {
        let word = self.0.get(address as usize / 64);
        word.is_some_and(|word| word >> (address % 64) & 1 != 0)
    }

    /// Returns the number of nodes in the packed string sets.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// Appends the bytes of a node to `out`. `edges` are its transitions as pairs of byte and offset, ascending by byte.
pub(super) fn write(is_final: bool, edges: &[(u8, u32)], out: &mut Vec<u8>) {
    if let &[(byte, 0)] = edges
        && byte & HEAD == 0
        && !is_final
    {
        return out.push(byte);
    }
    let most = edges.iter().map(|edge| edge.1).max().unwrap_or(0);
    let width = (u32::BITS - most.leading_zeros()).div_ceil(8) as usize;
    let head = HEAD | if is_final { FINAL } else { 0 } | (width as u8) << WIDTH;
    match edges.len() {
        few if few < COUNT.into() => out.push(head | few as u8),
        many => out.extend([head | COUNT, (many - 1) as u8]),
    }
    out.extend(edges.iter().map(|edge| edge.0));
    for (_, offset) in edges {
        out.extend(&offset.to_le_bytes()[..width]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_is_written_as_its_text() {
        let strings = PackedStrings::new(b"\0ab\xc0");
        let (a, b) = (strings.node(1), strings.node(2));
        assert_eq!((a.on(b'a'), a.on(b'b'), b.on(b'b')), (Some(2), None, Some(3)));
        assert!(strings.node(3).is_final() && strings.node(3).is_end());
        assert!(!strings.node(4).is_final() && strings.node(4).is_end());
        assert_eq!(strings.check().map(|starts| starts.count()), Ok(3));
    }

    #[test]
    fn what_leads_nowhere_is_found() {
        for (bytes, fault) in [
            (&b"\0a"[..], 1),
            (b"\0\x80", 1),
            (b"\0\x81", 1),
            (b"\0\x89a\x01\xc0", 1),
            (b"\0\x82aa\xc0", 1),
            (b"\0\x82ba\xc0", 1),
            (b"\0\xa9a\0\0\0\0\xc0", 1),
            (b"\0\x87\x00a\xc0", 1),
            (b"\0\x8aab\0\x01\x81b\xc0", 0),
        ] {
            assert_eq!(PackedStrings::new(bytes).check().map(|_| ()), Err(fault), "{bytes:?}");
        }
    }
}
