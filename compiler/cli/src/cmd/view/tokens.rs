//! The tokens of stored masks, and bytes as strings of the page's data.

use grammarc_artifacts::StoredMask;

/// Returns the first `most` tokens of a mask, ascending.
pub(super) fn head(mask: &StoredMask<'_>, most: usize) -> Vec<u32> {
    let row = mask.row.unwrap_or_default().iter().zip(0..).filter(|(word, _)| **word != 0);
    let bits = row.flat_map(|(&word, index)| {
        (0..u32::BITS).filter(move |bit| word >> bit & 1 != 0).map(move |bit| index * 32 + bit)
    });
    let kept = bits.filter(|token| mask.minus.binary_search(token).is_err());
    let mut tokens: Vec<u32> = kept.take(most).collect();
    tokens.extend(mask.plus.iter().take(most));
    tokens.sort_unstable();
    tokens.truncate(most);
    tokens
}

/// Returns bytes as a string with one character for each byte.
pub(super) fn characters(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}
