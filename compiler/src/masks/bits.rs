//! Rows of bits, one for each token id: bit `id % 32` of word `id / 32`.

/// Words of a row that are looked at together.
const CHUNK: usize = 16;

/// Calls `each` with the bits of a word, ascending.
#[inline]
pub(crate) fn for_each_bit(mut word: u64, mut each: impl FnMut(u32)) {
    while word != 0 {
        each(word.trailing_zeros());
        word &= word - 1;
    }
}

/// Sets the bits of some tokens in a row.
pub(crate) fn set_all(row: &mut [u32], ids: &[u32]) {
    ids.iter().for_each(|&id| row[id as usize / 32] |= 1 << (id % 32));
}

/// Clears them.
pub(crate) fn clear_all(row: &mut [u32], ids: &[u32]) {
    ids.iter().for_each(|&id| row[id as usize / 32] &= !(1 << (id % 32)));
}

/// Appends the token ids of a row.
pub(crate) fn add_ids(row: &[u32], to: &mut Vec<u32>) {
    add_chunks(row.chunks(CHUNK).map(|words| words.iter().copied()), to);
}

/// Appends the token ids that are in a row and not in another.
pub(crate) fn add_difference(row: &[u32], other: &[u32], to: &mut Vec<u32>) {
    let pairs = row.chunks(CHUNK).zip(other.chunks(CHUNK));
    let rest =
        pairs.map(|(words, others)| words.iter().zip(others).map(|(word, other)| word & !other));
    add_chunks(rest, to);
}

/// Appends the token ids of the words of a row, in chunks: most have none, which is seen for a whole chunk at once.
fn add_chunks(chunks: impl Iterator<Item = impl Iterator<Item = u32> + Clone>, to: &mut Vec<u32>) {
    for (chunk, words) in chunks.enumerate() {
        if words.clone().fold(0, |any, word| any | word) != 0 {
            (CHUNK * chunk..).zip(words).for_each(|(index, word)| add_word(word, index, to));
        }
    }
}

/// Whether a token is in a row.
#[inline]
pub(crate) fn contains(row: &[u32], id: u32) -> bool {
    row[id as usize / 32] >> (id % 32) & 1 == 1
}

/// In how many tokens two rows differ, if they are fewer than a limit.
pub(crate) fn distance(row: &[u32], other: &[u32], limit: usize) -> Option<usize> {
    let mut distance = 0;
    // In blocks, so that a row that is far off is given up early.
    for (new, old) in row.chunks(64).zip(other.chunks(64)) {
        let pairs = new.iter().zip(old);
        distance += pairs.map(|(a, b)| (a ^ b).count_ones() as usize).sum::<usize>();
        if distance >= limit {
            return None;
        }
    }
    Some(distance)
}

/// Number of tokens in a row.
pub(crate) fn count_ones(row: &[u32]) -> u32 {
    row.iter().map(|word| word.count_ones()).sum()
}

/// Appends the token ids of a word of a row.
fn add_word(word: u32, index: usize, to: &mut Vec<u32>) {
    for_each_bit(word.into(), |bit| to.push(index as u32 * 32 + bit));
}
