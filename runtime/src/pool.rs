//! Masks of the pool, one at a time: `(row without minus) with plus`.
//!
//! Whatever works on a whole mask works on a window of its words instead, so that one piece of code serves the whole
//! row (`fill`), a block on the stack (`len`, `iter`, `apply`) and never needs a buffer of its own.

use grammarc_artifacts::StoredMask;

/// Bits of a mask word.
const BITS: usize = u32::BITS as usize;

/// Whether a mask holds a token.
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

/// The dense row of a mask that is nothing but that row.
pub(crate) fn plain_row(mask: StoredMask<'_>) -> Option<&[u32]> {
    if mask.minus.is_empty() && mask.plus.is_empty() { mask.row } else { None }
}

/// Adds a mask to a window of words that begins at word `first` of the row.
pub(crate) fn or_into(mask: StoredMask<'_>, first: usize, window: &mut [u32]) {
    if let Some(row) = mask.row {
        let row = row.get(first..).unwrap_or_default();
        let row = &row[..row.len().min(window.len())];
        let mut done = 0;
        let mut minus = within(mask.minus, first, window.len());
        while let Some(&token) = minus.first() {
            let word = token as usize / BITS - first;
            let here = minus.partition_point(|&token| token as usize / BITS - first == word);
            let cleared = minus[..here].iter().fold(0, |bits, token| bits | 1 << (token % 32));
            minus = &minus[here..];
            if word >= row.len() {
                break;
            }
            or_words(&mut window[done..word], &row[done..word]);
            window[word] |= row[word] & !cleared;
            done = word + 1;
        }
        or_words(&mut window[done..row.len()], &row[done..]);
    }
    set(mask.plus, first, window);
}

/// Writes a mask over a window of words that begins at word `first` of the row.
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

/// Sets the bits of those of the sorted tokens that lie in a window.
#[inline]
pub(crate) fn set(tokens: &[u32], first: usize, window: &mut [u32]) {
    for &token in within(tokens, first, window.len()) {
        window[token as usize / BITS - first] |= 1 << (token % 32);
    }
}

/// Clears the bits of those of the sorted tokens that lie in a window.
#[inline]
pub(crate) fn clear(tokens: &[u32], first: usize, window: &mut [u32]) {
    for &token in within(tokens, first, window.len()) {
        window[token as usize / BITS - first] &= !(1 << (token % 32));
    }
}

/// The least token of a mask, or `None` where it is empty.
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

/// Those of the sorted tokens that lie in a window of words.
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

fn or_words(into: &mut [u32], from: &[u32]) {
    for (into, from) in into.iter_mut().zip(from) {
        *into |= from;
    }
}
