//! Operations on one stored mask. A mask is the tokens of the bit row `row` minus the tokens of `minus`, and the tokens
//! of `plus`.
//!
//! Functions work on a window: a range of the row's words. The window is the whole row in `fill`, and a block on the
//! stack in `len`, `iter` and `apply`. So no function needs a buffer of its own.

use grammarc_artifacts::StoredMask;

/// Number of tokens in a mask word, one bit each.
const BITS: usize = u32::BITS as usize;

/// Number of words of a row that are copied to the stack at a time, to clear bits in the copy. 256 bytes stay in the
/// first-level cache. A longer row is copied in pieces.
const COPIED: usize = 64;

/// Number of words that are intersected at a time, in two buffers on the stack. A longer window is processed in pieces.
const INTERSECTED: usize = 256;

/// Whether a stored mask contains a token. O(log n) for n tokens in the lists of the mask.
#[inline]
pub(crate) fn contains(mask: StoredMask<'_>, token: u32) -> bool {
    let in_row = mask.row.is_some_and(|row| {
        row.get(token as usize / BITS).is_some_and(|word| word >> (token % 32) & 1 != 0)
    });
    if in_row {
        mask.minus.binary_search(&token).is_err()
    } else {
        mask.plus.binary_search(&token).is_ok()
    }
}

/// Returns the bit row of a mask that consists of its row alone. `None` for a mask with token lists.
pub(crate) fn plain_row(mask: StoredMask<'_>) -> Option<&[u32]> {
    if mask.minus.is_empty() && mask.plus.is_empty() { mask.row } else { None }
}

/// Adds the tokens of a mask to a window of words. The window begins at word `first` of the row.
pub(crate) fn or_into(mask: StoredMask<'_>, first: usize, window: &mut [u32]) {
    if let Some(row) = mask.row {
        let row = row.get(first..).unwrap_or_default();
        let mut minus = within(mask.minus, first, window.len());
        // Bits that the row lacks may be set in the window, so it is cleared in a copy of the words, a few at a time.
        let mut room = [0; COPIED];
        let pieces = window.chunks_mut(COPIED).zip(row.chunks(COPIED)).enumerate();
        for (at, (into, from)) in pieces {
            let from_word = first + at * COPIED;
            let here =
                minus.partition_point(|&token| (token as usize) < (from_word + COPIED) * BITS);
            if here == 0 {
                or_words(into, from);
                continue;
            }
            let copy = &mut room[..from.len().min(into.len())];
            copy.copy_from_slice(&from[..copy.len()]);
            clear(&minus[..here], from_word, copy);
            or_words(into, copy);
            minus = &minus[here..];
        }
    }
    set(mask.plus, first, window);
}

/// Adds the intersection of the masks `intersected`, minus the masks `subtracted`, to a window of words. The window
/// begins at word `first` of the row.
pub(crate) fn or_difference_into<'m>(
    intersected: impl Iterator<Item = StoredMask<'m>> + Clone,
    subtracted: impl Iterator<Item = StoredMask<'m>> + Clone,
    first: usize,
    window: &mut [u32],
) {
    let (mut left, mut other) = ([0; INTERSECTED], [0; INTERSECTED]);
    for (at, into) in window.chunks_mut(INTERSECTED).enumerate() {
        let first = first + at * INTERSECTED;
        let (left, other) = (&mut left[..into.len()], &mut other[..into.len()]);
        left.fill(u32::MAX);
        for mask in intersected.clone() {
            write_into(mask, first, other);
            left.iter_mut().zip(&*other).for_each(|(left, other)| *left &= other);
        }
        for mask in subtracted.clone() {
            write_into(mask, first, other);
            left.iter_mut().zip(&*other).for_each(|(left, other)| *left &= !other);
        }
        or_words(into, left);
    }
}

/// Overwrites a window of words with a mask. The window begins at word `first` of the row.
pub(crate) fn write_into(mask: StoredMask<'_>, first: usize, window: &mut [u32]) {
    let row = mask.row.and_then(|row| row.get(first..)).unwrap_or_default();
    let (copied, rest) = window.split_at_mut(row.len().min(window.len()));
    copied.copy_from_slice(&row[..copied.len()]);
    rest.fill(0);
    for &token in within(mask.minus, first, window.len()) {
        window[token as usize / BITS - first] &= !(1 << (token % 32));
    }
    set(mask.plus, first, window);
}

/// Sets the bits of sorted tokens in a window that begins at word `first`. Tokens outside the window are skipped.
#[inline]
pub(crate) fn set(tokens: &[u32], first: usize, window: &mut [u32]) {
    for &token in within(tokens, first, window.len()) {
        window[token as usize / BITS - first] |= 1 << (token % 32);
    }
}

/// Clears the bits of sorted tokens in a window that begins at word `first`. Tokens outside the window are skipped.
#[inline]
pub(crate) fn clear(tokens: &[u32], first: usize, window: &mut [u32]) {
    for &token in within(tokens, first, window.len()) {
        window[token as usize / BITS - first] &= !(1 << (token % 32));
    }
}

/// Returns the least token of a mask. `None` if the mask is empty.
pub(crate) fn least(mask: StoredMask<'_>) -> Option<u32> {
    let plus = mask.plus.first().copied();
    let mut minus = mask.minus;
    let in_row = mask.row.into_iter().flatten().enumerate().find_map(|(at, &word)| {
        let mut word = word;
        while let Some((&token, rest)) = minus.split_first() {
            if token as usize / BITS > at {
                break;
            }
            word &= !(1 << (token % 32));
            minus = rest;
        }
        (word != 0).then(|| at as u32 * u32::BITS + word.trailing_zeros())
    });
    match (plus, in_row) {
        (Some(plus), Some(in_row)) => Some(plus.min(in_row)),
        (one, other) => one.or(other),
    }
}

/// Returns the part of sorted `tokens` whose bits lie in a window of `words` words from word `first` on.
#[inline]
fn within(tokens: &[u32], first: usize, words: usize) -> &[u32] {
    if first == 0 && tokens.last().is_none_or(|&last| (last as usize) < words * BITS) {
        return tokens;
    }
    let from = tokens.partition_point(|&token| (token as usize) < first * BITS);
    let tokens = &tokens[from..];
    let to = tokens.partition_point(|&token| (token as usize) < (first + words) * BITS);
    &tokens[..to]
}

/// Sets in `into` all bits that `from` has, word by word.
fn or_words(into: &mut [u32], from: &[u32]) {
    for (into, from) in into.iter_mut().zip(from) {
        *into |= from;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Number of words of a row: more than are copied or intersected at once.
    const WORDS: usize = INTERSECTED + 2 * COPIED + 5;

    fn bits(tokens: &BTreeSet<u32>) -> Vec<u32> {
        let mut words = vec![0; WORDS];
        tokens.iter().for_each(|&token| words[token as usize / BITS] |= 1 << (token % 32));
        words
    }

    fn tokens(most: usize) -> impl Strategy<Value = BTreeSet<u32>> {
        prop::collection::btree_set(0..(WORDS * BITS) as u32, 0..most)
    }

    proptest! {
        #[test]
        fn windows_are_those_of_the_set(
            (whole, taken, more, before) in (any::<bool>(), tokens(400), tokens(20), tokens(300)),
            (first, len) in (0..WORDS, 0..=WORDS),
        ) {
            let all = (0..(WORDS * BITS) as u32).filter(|token| whole || token % 3 == 0);
            let in_row: BTreeSet<u32> = all.collect();
            let minus: Vec<u32> = taken.intersection(&in_row).copied().collect();
            let plus: Vec<u32> = more.difference(&in_row).copied().collect();
            let set: BTreeSet<u32> =
                in_row.iter().filter(|token| !taken.contains(token)).chain(&plus).copied().collect();
            let row = bits(&in_row);
            let count = set.len() as u32;
            let mask = StoredMask { row: Some(&row), minus: &minus, plus: &plus, count };
            let window = first..(first + len).min(WORDS);

            let before = bits(&before);
            let mut written = before[window.clone()].to_vec();
            write_into(mask, first, &mut written);
            prop_assert_eq!(&written[..], &bits(&set)[window.clone()]);

            let mut added = before[window.clone()].to_vec();
            or_into(mask, first, &mut added);
            let expected = written.iter().zip(&before[window.clone()]).map(|(set, before)| set | before);
            prop_assert_eq!(added, expected.collect::<Vec<u32>>());

            let other = StoredMask { row: Some(&before), minus: &[], plus: &[], count: 0 };
            for (met, without, left) in [(vec![mask, other], None, 0), (vec![mask], Some(other), u32::MAX)] {
                let mut cut = vec![1; window.len()];
                or_difference_into(met.iter().copied(), without.into_iter(), first, &mut cut);
                let of = |(set, before): (&u32, &u32)| set & (before ^ left) | 1;
                let expected = written.iter().zip(&before[window.clone()]).map(of);
                prop_assert_eq!(cut, expected.collect::<Vec<u32>>());
            }
        }
    }
}
