//! blake3 in little code, by the BLAKE3 paper (O'Connor, Aumasson, Neves, Wilcox-O'Hearn, 2020), section 2.
//!
//! The input is divided into chunks of 1,024 bytes, the leaves of a binary tree. One compression function works on four
//! inputs at once. Four whole chunks use all lanes, and the last chunks and the parents use one.
//!
//! Invariant: the last chunk stays in the buffer until more bytes follow, because the root is compressed with a flag.

use super::lanes::Lanes;

const IV: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Order of a round's message words in the next round.
const PERMUTATION: [u8; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

const ROUNDS: usize = 7;

/// For each round, the order of the message's words.
static ORDERS: [[u8; 16]; ROUNDS] = {
    let mut orders = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]; ROUNDS];
    let mut at = 16;
    while at < ROUNDS * 16 {
        orders[at / 16][at % 16] = orders[at / 16 - 1][PERMUTATION[at % 16] as usize];
        at += 1;
    }
    orders
};

/// Length of a block in bytes: the input of one compression.
const BLOCK: usize = 64;
/// Length of a chunk in bytes: a leaf of the tree.
const CHUNK: usize = 1024;
/// Number of inputs that are compressed at once.
const LANES: usize = 4;

/// Flags of a compression.
const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;

/// A chaining value: the hash of a subtree.
type Value = [u32; 8];

/// A hash of bytes that come in parts.
pub(super) struct Compact {
    /// Bytes of the chunk that is not compressed yet.
    chunk: [u8; CHUNK],
    /// Number of those bytes.
    length: usize,
    /// Number of compressed chunks.
    chunks: u64,
    /// Values of the whole subtrees so far, from the largest to the smallest.
    stack: Vec<Value>,
}

impl Compact {
    pub(super) fn new() -> Self {
        Self { chunk: [0; CHUNK], length: 0, chunks: 0, stack: Vec::new() }
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.length == CHUNK {
                let value = last_chunk(&self.chunk, self.chunks, 0);
                self.push(value);
                self.length = 0;
            }
            if self.length == 0
                && let Some((four, rest)) = bytes.split_first_chunk()
                && !rest.is_empty()
            {
                four_chunks(four, self.chunks).into_iter().for_each(|value| self.push(value));
                bytes = rest;
                continue;
            }
            let count = bytes.len().min(CHUNK - self.length);
            let (part, rest) = bytes.split_at(count);
            self.chunk[self.length..self.length + count].copy_from_slice(part);
            self.length += count;
            bytes = rest;
        }
    }

    /// Adds the value of a chunk, and merges the subtrees that it completes: one for each zero at the end of the number of
    /// chunks.
    fn push(&mut self, mut value: Value) {
        self.chunks += 1;
        for _ in 0..self.chunks.trailing_zeros() {
            let left = self.stack.pop().unwrap_or_default();
            value = parent(&left, &value, 0);
        }
        self.stack.push(value);
    }

    pub(super) fn finalize(&self) -> [u8; 32] {
        let root = |is_root: bool| if is_root { ROOT } else { 0 };
        let chunk = &self.chunk[..self.length];
        let mut value = last_chunk(chunk, self.chunks, root(self.stack.is_empty()));
        for (depth, left) in self.stack.iter().enumerate().rev() {
            value = parent(left, &value, root(depth == 0));
        }
        let mut bytes = [0; 32];
        for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(value) {
            *bytes = word.to_le_bytes();
        }
        bytes
    }
}

/// Returns the value of a chunk of at most [`CHUNK`] bytes, with more flags in its last block.
fn last_chunk(chunk: &[u8], number: u64, last: u32) -> Value {
    let mut value = IV.map(Lanes::splat);
    let counter = [number; LANES];
    let blocks = chunk.len().div_ceil(BLOCK).max(1);
    for at in 0..blocks {
        let part = &chunk[at * BLOCK..chunk.len().min((at + 1) * BLOCK)];
        let mut block = [0; BLOCK];
        block[..part.len()].copy_from_slice(part);
        let last = if at + 1 == blocks { last } else { 0 };
        let (flags, length) = (flags_of(at, blocks) | last, part.len() as u32);
        compress(&mut value, &words(&block).map(Lanes::splat), counter, length, flags);
    }
    value.map(|lanes| lanes.array()[0])
}

/// Returns the values of four whole chunks. `first` is the number of the first.
fn four_chunks(bytes: &[u8; LANES * CHUNK], first: u64) -> [Value; LANES] {
    let mut value = IV.map(Lanes::splat);
    let counter = std::array::from_fn(|lane| first + lane as u64);
    let (words, _) = bytes.as_chunks::<4>();
    let mut message = [Lanes::splat(0); 16];
    for block in 0..CHUNK / BLOCK {
        for (at, message) in message.iter_mut().enumerate() {
            let at = block * (BLOCK / 4) + at;
            // Without closures, which would be calls here.
            *message = Lanes::new([
                u32::from_le_bytes(words[at]),
                u32::from_le_bytes(words[at + CHUNK / 4]),
                u32::from_le_bytes(words[at + CHUNK / 2]),
                u32::from_le_bytes(words[at + CHUNK / 4 * 3]),
            ]);
        }
        compress(&mut value, &message, counter, BLOCK as u32, flags_of(block, CHUNK / BLOCK));
    }
    let value = value.map(Lanes::array);
    std::array::from_fn(|lane| value.map(|words| words[lane]))
}

/// Returns the flags of the block `at` of a chunk.
fn flags_of(at: usize, blocks: usize) -> u32 {
    let start = if at == 0 { CHUNK_START } else { 0 };
    start | if at + 1 == blocks { CHUNK_END } else { 0 }
}

/// Returns the value of a parent of two subtrees.
fn parent(left: &Value, right: &Value, root: u32) -> Value {
    let mut message = [Lanes::splat(0); 16];
    for (message, &word) in message.iter_mut().zip(left.iter().chain(right)) {
        *message = Lanes::splat(word);
    }
    let mut value = IV.map(Lanes::splat);
    compress(&mut value, &message, [0; LANES], BLOCK as u32, PARENT | root);
    value.map(|lanes| lanes.array()[0])
}

/// Returns the words of a block.
fn words(block: &[u8; BLOCK]) -> [u32; 16] {
    let (words, _) = block.as_chunks::<4>();
    std::array::from_fn(|at| u32::from_le_bytes(words[at]))
}

/// Compresses a block in each lane, and replaces the chaining values.
#[inline(never)]
fn compress(
    value: &mut [Lanes; 8],
    message: &[Lanes; 16],
    counter: [u64; LANES],
    length: u32,
    flags: u32,
) {
    let splat = Lanes::splat;
    let low = Lanes::new(counter.map(|number| number as u32));
    let high = Lanes::new(counter.map(|number| (number >> 32) as u32));
    let [mut a, mut b] =
        [0, 4].map(|from| [value[from], value[from + 1], value[from + 2], value[from + 3]]);
    let mut c = [IV[0], IV[1], IV[2], IV[3]].map(splat);
    let mut d = [low, high, splat(length), splat(flags)];
    for order in &ORDERS {
        let m = (message, order);
        // Written out, so that the sixteen words of the state are local variables.
        mix(&mut a[0], &mut b[0], &mut c[0], &mut d[0], m, 0);
        mix(&mut a[1], &mut b[1], &mut c[1], &mut d[1], m, 1);
        mix(&mut a[2], &mut b[2], &mut c[2], &mut d[2], m, 2);
        mix(&mut a[3], &mut b[3], &mut c[3], &mut d[3], m, 3);
        mix(&mut a[0], &mut b[1], &mut c[2], &mut d[3], m, 4);
        mix(&mut a[1], &mut b[2], &mut c[3], &mut d[0], m, 5);
        mix(&mut a[2], &mut b[3], &mut c[0], &mut d[1], m, 6);
        mix(&mut a[3], &mut b[0], &mut c[1], &mut d[2], m, 7);
    }
    for (at, value) in value.iter_mut().enumerate() {
        let [one, other] = if at < 4 { [a[at], c[at]] } else { [b[at - 4], d[at - 4]] };
        *value = one.xor(other);
    }
}

/// Mixes a pair of message words into four words of the state.
#[inline(always)]
fn mix(
    a: &mut Lanes,
    b: &mut Lanes,
    c: &mut Lanes,
    d: &mut Lanes,
    (message, order): (&[Lanes; 16], &[u8; 16]),
    pair: usize,
) {
    *a = a.plus(*b).plus(message[usize::from(order[pair * 2] & 15)]);
    *d = d.xor(*a).rotated::<16>();
    *c = c.plus(*d);
    *b = b.xor(*c).rotated::<12>();
    *a = a.plus(*b).plus(message[usize::from(order[pair * 2 + 1] & 15)]);
    *d = d.xor(*a).rotated::<8>();
    *c = c.plus(*d);
    *b = b.xor(*c).rotated::<7>();
}
