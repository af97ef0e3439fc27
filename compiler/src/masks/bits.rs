//! Rows of bits, one bit for each token: bit `id % 32` of word `id / 32` denotes the token `id`.

/// Number of 32-bit words of a row (one bit per token) that are tested together for a set bit.
const CHUNK: usize = 16;

/// Calls `each` with the index of each set bit of a 64-bit word, in ascending order. The lowest bit has the index 0.
#[inline]
pub(crate) fn for_each_bit(mut word: u64, mut each: impl FnMut(u32)) {
    while word != 0 {
        each(word.trailing_zeros());
        word &= word - 1;
    }
}

/// Sets the bits of the tokens `ids` in a row of one bit per token. Panics if an id is beyond the row.
pub(crate) fn set_all(row: &mut [u32], ids: &[u32]) {
    ids.iter().for_each(|&id| row[id as usize / 32] |= 1 << (id % 32));
}

/// Clears the bits of the tokens `ids` in a row of one bit per token. Panics if an id is beyond the row.
pub(crate) fn clear_all(row: &mut [u32], ids: &[u32]) {
    ids.iter().for_each(|&id| row[id as usize / 32] &= !(1 << (id % 32)));
}

/// Appends to `to` the ids of all tokens in a row of one bit per token, in ascending order.
pub(crate) fn add_ids(row: &[u32], to: &mut Vec<u32>) {
    add_chunks(row.chunks(CHUNK).map(|words| words.iter().copied()), to);
}

/// Appends to `to` the ids of the tokens that are in `row` and not in `other`, in ascending order. Both have one bit
/// per token and the same length.
pub(crate) fn add_difference(row: &[u32], other: &[u32], to: &mut Vec<u32>) {
    let pairs = row.chunks(CHUNK).zip(other.chunks(CHUNK));
    let rest =
        pairs.map(|(words, others)| words.iter().zip(others).map(|(word, other)| word & !other));
    add_chunks(rest, to);
}

/// Appends to `to` the token ids of the set bits of a row, given in chunks of [`CHUNK`] words. Most chunks are empty,
/// which is tested for a whole chunk at once.
fn add_chunks(chunks: impl Iterator<Item = impl Iterator<Item = u32> + Clone>, to: &mut Vec<u32>) {
    for (chunk, words) in chunks.enumerate() {
        if words.clone().fold(0, |any, word| any | word) != 0 {
            (CHUNK * chunk..).zip(words).for_each(|(index, word)| add_word(word, index, to));
        }
    }
}

/// Whether the bit of the token `id` is set in a row of one bit per token. Panics if the id is beyond the row.
#[inline]
pub(crate) fn contains(row: &[u32], id: u32) -> bool {
    row[id as usize / 32] >> (id % 32) & 1 == 1
}

/// Returns the number of tokens that are in exactly one of two rows of one bit per token. `None` if there are `limit`
/// or more.
pub(crate) fn distance(row: &[u32], other: &[u32], limit: usize) -> Option<usize> {
    let mut distance = 0;
    // In blocks, so that the comparison of very different rows ends early.
    for (new, old) in row.chunks(64).zip(other.chunks(64)) {
        let pairs = new.iter().zip(old);
        distance += pairs.map(|(a, b)| (a ^ b).count_ones() as usize).sum::<usize>();
        if distance >= limit {
            return None;
        }
    }
    Some(distance)
}

/// Returns the number of tokens in a row of one bit per token.
pub(crate) fn count_ones(row: &[u32]) -> u32 {
    row.iter().map(|word| word.count_ones()).sum()
}

/// Appends to `to` the token ids of the set bits of one 32-bit word of a row (one bit per token). `index` is the
/// position of the word in the row, counted from 0.
fn add_word(word: u32, index: usize, to: &mut Vec<u32>) {
    for_each_bit(word.into(), |bit| to.push(index as u32 * 32 + bit));
}
