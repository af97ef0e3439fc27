//! Masks along a speculated continuation: one row for the position, and one after each allowed draft token.

use crate::lookahead::Lookahead;

/// Fills rows of `row_words` words with masks. Row 0 has the mask of the position, and each further row the mask after
/// one more draft. After the first draft that is not allowed, rows are copies of the last mask. Returns the number of
/// allowed drafts.
///
/// The caller checks that the bitmask has more rows than there are drafts, and that each row has room for a mask.
pub(crate) fn fill(
    mut ahead: Lookahead<'_>,
    drafts: &[u32],
    bitmask: &mut [u32],
    row_words: usize,
) -> usize {
    let mut allowed = 0;
    let mut rest = bitmask;
    loop {
        let (row, others) = rest.split_at_mut(row_words);
        ahead.mask().write(row);
        let taken = drafts.get(allowed).map(|&draft| ahead.advance_token(draft));
        if !matches!(taken, Some(Ok(()))) {
            others.chunks_exact_mut(row_words).for_each(|other| other.copy_from_slice(row));
            return allowed;
        }
        allowed += 1;
        rest = others;
    }
}
