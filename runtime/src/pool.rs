//! Masks of the pool, one at a time: `(row without minus) with plus`.
//!
//! Whatever works on a whole mask works on a window of its words instead, so that one piece of code serves the whole
//! row (`fill`), a block on the stack (`len`, `iter`, `apply`) and never needs a buffer of its own.

use grammarc_artifacts::tables::Joined;

/// Bits of a mask word.
const BITS: usize = u32::BITS as usize;

/// Whether a mask holds a token.
#[inline]
pub(crate) fn contains(tables: &Joined<'_>, mask: u32, token: u32) -> bool {
    let (home, record) = tables.mask(mask);
    let in_row = tables.row(record.row).is_some_and(|row| {
        row.get(token as usize / BITS).is_some_and(|word| word >> (token % 32) & 1 != 0)
    });
    (in_row && home.minus(record).binary_search(&token).is_err())
        || home.plus(record).binary_search(&token).is_ok()
}

/// The dense row of a mask that is nothing but that row.
pub(crate) fn plain_row<'t>(tables: &Joined<'t>, mask: u32) -> Option<&'t [u32]> {
    let (_, record) = tables.mask(mask);
    let plain = record.minus_len == 0 && record.plus_len == 0;
    plain.then(|| tables.row(record.row)).flatten()
}

/// Adds a mask to a window of words that begins at word `first` of the row.
pub(crate) fn or_into(tables: &Joined<'_>, mask: u32, first: usize, window: &mut [u32]) {
    let (home, record) = tables.mask(mask);
    if let Some(row) = tables.row(record.row) {
        let row = row.get(first..).unwrap_or_default();
        let row = &row[..row.len().min(window.len())];
        let mut done = 0;
        let mut minus = within(home.minus(record), first, window.len());
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
    set(home.plus(record), first, window);
}

/// Writes a mask over a window of words that begins at word `first` of the row.
pub(crate) fn write_into(tables: &Joined<'_>, mask: u32, first: usize, window: &mut [u32]) {
    let (home, record) = tables.mask(mask);
    let row = tables.row(record.row).and_then(|row| row.get(first..)).unwrap_or_default();
    let (copied, rest) = window.split_at_mut(row.len().min(window.len()));
    copied.copy_from_slice(&row[..copied.len()]);
    rest.fill(0);
    for &token in within(home.minus(record), first, window.len()) {
        window[token as usize / BITS - first] &= !(1 << (token % 32));
    }
    set(home.plus(record), first, window);
}

/// Sets the bits of those of the sorted tokens that lie in a window.
pub(crate) fn set(tokens: &[u32], first: usize, window: &mut [u32]) {
    for &token in within(tokens, first, window.len()) {
        window[token as usize / BITS - first] |= 1 << (token % 32);
    }
}

/// The least token of a mask, or `None` where it is empty.
pub(crate) fn least(tables: &Joined<'_>, mask: u32) -> Option<u32> {
    let (home, record) = tables.mask(mask);
    let plus = home.plus(record).first().copied();
    let mut minus = home.minus(record);
    let in_row =
        tables.row(record.row).into_iter().flatten().enumerate().find_map(|(at, &word)| {
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
fn within(tokens: &[u32], first: usize, words: usize) -> &[u32] {
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
