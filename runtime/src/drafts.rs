//! Masks along speculated continuations: one row for the position, and one after each allowed draft token.

use crate::lookahead::Lookahead;
use crate::matcher::Matcher;

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

/// Fills rows of `row_words` words with masks along a tree: row 0 for the matcher's position, and row `i + 1` after node
/// `i`. A node that is not allowed, or whose parent is not, has its parent's row. Returns for each node whether it is
/// allowed.
///
/// The caller checks that the bitmask has more rows than there are nodes, that each row has room for a mask, and that
/// parents come before their children.
pub(crate) fn fill_tree(
    matcher: &mut Matcher,
    tokens: &[u32],
    parents: &[Option<u32>],
    bitmask: &mut [u32],
    row_words: usize,
) -> Vec<bool> {
    matcher.mask().write(&mut bitmask[..row_words]);
    let mut last_child: Vec<usize> = vec![0; tokens.len()];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            last_child[*parent as usize] = node;
        }
    }
    // The matcher after each node, until its last child.
    let mut after: Vec<Option<Matcher>> = Vec::with_capacity(tokens.len());
    let mut is_allowed = Vec::with_capacity(tokens.len());
    for (node, (&token, &parent)) in tokens.iter().zip(parents).enumerate() {
        let from = match parent {
            Some(parent) => after[parent as usize].as_ref(),
            None => Some(&*matcher),
        };
        let accepted = |mut matcher: Matcher| matcher.accept(token).is_ok().then_some(matcher);
        let mut reached = from.map(Matcher::fork).and_then(accepted);
        let (before, row) = bitmask.split_at_mut((node + 1) * row_words);
        match &mut reached {
            Some(matcher) => matcher.mask().write(&mut row[..row_words]),
            None => {
                let from = parent.map_or(0, |parent| parent as usize + 1) * row_words;
                row[..row_words].copy_from_slice(&before[from..from + row_words]);
            }
        }
        is_allowed.push(reached.is_some());
        after.push(reached.filter(|_| last_child[node] > node));
        if let Some(parent) = parent.map(|parent| parent as usize)
            && last_child[parent] == node
        {
            after[parent] = None;
        }
    }
    is_allowed
}
