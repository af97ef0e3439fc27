//! Checks of dense rows, lists, masks and exit classes.

use super::context::Context;
use super::violation::{Check, Invariant, at};
use crate::sections::kinds::SectionKind;
use crate::sections::masks::MaskRecord;
use crate::sections::network::NONE;

pub(super) fn check(context: &Context<'_>) -> Check {
    rows(context)?;
    masks(context)?;
    classes(context)
}

/// Whether a bit is set in a row of 32-bit words. Bits beyond the end count as clear.
fn has(row: &[u32], bit: u32) -> bool {
    row.get(bit as usize / 32).is_some_and(|word| word >> (bit % 32) & 1 != 0)
}

/// Checks that dense rows contain only usable tokens: text and special tokens.
fn rows(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    if own.rows.is_empty() {
        return Ok(());
    }
    let usable = context.usable;
    for (index, row) in own.rows.chunks_exact(own.row_words as usize).enumerate() {
        let (head, tail) = row.split_at(usable.len().min(row.len()));
        let foreign = head.iter().zip(usable).any(|(word, usable)| word & !usable != 0)
            || tail.iter().any(|&word| word != 0);
        let record = index * row.len();
        at(SectionKind::Rows, record).require(Invariant::RowTokens, !foreign, index as u32)?;
    }
    Ok(())
}

/// Checks each mask of the pool: its row and lists exist, its count is right, and no two lists overlap.
fn masks(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    // Tokens in each dense row, counted when a mask first needs it.
    let mut row_counts: Vec<Option<u32>> = vec![None; context.totals.rows as usize];
    let mut listed = 0;
    for (index, mask) in own.masks.iter().enumerate() {
        let place = at(SectionKind::Masks, index);
        listed += u64::from(mask.minus_len) + u64::from(mask.plus_len);
        for (first, len) in [(mask.minus, mask.minus_len), (mask.plus, mask.plus_len)] {
            let end = u64::from(first) + u64::from(len);
            let within = end <= own.lists.len() as u64 && listed <= own.lists.len() as u64;
            place.require(Invariant::ListRanges, within, first)?;
            list(context, first, len)?;
        }
        let count = match mask.row {
            NONE => 0,
            row => {
                place.below(Invariant::MaskRow, row, context.totals.rows)?;
                *row_counts[row as usize].get_or_insert_with(|| {
                    let words = context.joined.row(row).unwrap_or(&[]);
                    words.iter().map(|word| word.count_ones()).sum()
                })
            }
        };
        operands(context, index, mask, count)?;
    }
    let place = at(SectionKind::Lists, listed as usize);
    place.equal(Invariant::ListRanges, own.lists.len(), listed as usize)
}

/// Checks that a list within the list table holds usable tokens in ascending order.
fn list(context: &Context<'_>, first: u32, len: u32) -> Check {
    let first = first as usize;
    let tokens = &context.joined.own.lists[first..first + len as usize];
    let usable = context.usable;
    let mut least = 0;
    for (index, &token) in tokens.iter().enumerate() {
        let place = at(SectionKind::Lists, first + index);
        place.at_least(Invariant::ListOrder, token, least)?;
        place.require(Invariant::ListOrder, has(usable, token), token)?;
        least = token + 1;
    }
    Ok(())
}

/// Checks that `minus` is a subset of the row, that `plus` is disjoint from it, and that the count of the mask is
/// right. `in_row` is the number of tokens in the row.
fn operands(context: &Context<'_>, index: usize, mask: &MaskRecord, in_row: u32) -> Check {
    let row = context.joined.row(mask.row).unwrap_or(&[]);
    let place = at(SectionKind::Masks, index);
    for &token in context.joined.own.minus(mask) {
        place.require(Invariant::MaskMinus, has(row, token), token)?;
    }
    for &token in context.joined.own.plus(mask) {
        place.require(Invariant::MaskPlus, !has(row, token), token)?;
    }
    let count = in_row - mask.minus_len + mask.plus_len;
    place.equal(Invariant::MaskCount, mask.count as usize, count as usize)
}

/// Checks that exit classes are ascending lists of trie nodes that do not overlap. A grammar artifact may leave the
/// nodes out, since only the nodes of the vocabulary's classes are read.
fn classes(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    let mut listed = 0;
    for (index, class) in own.classes.iter().enumerate() {
        let place = at(SectionKind::Classes, index);
        if class.first == NONE && context.start_rule.is_some() {
            place.require(Invariant::ClassRanges, class.len > 0, class.len)?;
            continue;
        }
        listed += u64::from(class.len);
        let end = u64::from(class.first) + u64::from(class.len);
        let within = end <= own.class_nodes.len() as u64 && listed <= own.class_nodes.len() as u64;
        place.require(Invariant::ClassRanges, within && class.len > 0, class.first)?;
        let first = class.first as usize;
        let mut least = 0;
        for (at_node, &node) in own.class_nodes[first..end as usize].iter().enumerate() {
            let place = at(SectionKind::ClassNodes, first + at_node);
            place.at_least(Invariant::ClassNodes, node, least)?;
            place.below(Invariant::ClassNodes, node, context.trie_nodes)?;
            least = node + 1;
        }
    }
    let place = at(SectionKind::ClassNodes, listed as usize);
    place.equal(Invariant::ClassRanges, own.class_nodes.len(), listed as usize)
}
