//! Checks of near-bound records: the masks of count-dependent states for small values of a counter.

use super::context::Context;
use super::violation::{Check, Invariant, at};
use crate::sections::kinds::SectionKind;
use crate::sections::masks::NearBoundRecord;
use crate::sections::network::{NONE, state_flags};

/// Checks the near-bound records and their masks. O(records + masks).
pub(super) fn check(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    let mut before = None;
    for (index, record) in own.near_bound.iter().enumerate() {
        let place = at(SectionKind::NearBound, index);
        let state = record.state.checked_sub(own.bases.states).filter(|&at| at < own.state_count());
        let is_count_dependent = state
            .is_some_and(|at| own.states[at as usize].flags & state_flags::COUNT_DEPENDENT != 0);
        place.require(Invariant::NearBound, is_count_dependent, record.state)?;
        let ascends = before.is_none_or(|before| before < (record.state, record.field));
        place.require(Invariant::NearBound, ascends, record.field)?;
        before = Some((record.state, record.field));
        let before_most =
            index.checked_sub(NearBoundRecord::MOST).map(|at| own.near_bound[at].state);
        let are_few = before_most != Some(record.state);
        place.require(Invariant::NearBound, are_few, record.state)?;
        let (shift, width) = (record.field & 0xff, (record.field & !NearBoundRecord::WITHOUT) >> 8);
        let is_field = width > 0 && width < u32::BITS && shift + width <= u32::BITS;
        place.require(Invariant::NearBound, is_field, record.field)?;
        let end = record.first.checked_add(record.len);
        let is_range = end.is_some_and(|end| end as usize <= own.near_bound_masks.len());
        place.require(Invariant::NearBound, is_range && record.len > 0, record.len)?;
        let masks = &own.near_bound_masks[record.first as usize..][..record.len as usize];
        let ascend = masks.is_sorted_by(|one, other| one.most < other.most);
        place.require(Invariant::NearBound, ascend, record.first)?;
        let leave = record.is_without() && masks.iter().any(|mask| mask.exits != NONE);
        place.require(Invariant::NearBound, !leave, record.first)?;
    }
    for (index, mask) in own.near_bound_masks.iter().enumerate() {
        let place = at(SectionKind::NearBoundMasks, index);
        place.below(Invariant::NearBound, mask.base, context.totals.masks)?;
        if mask.exits != NONE {
            place.below(Invariant::NearBound, mask.exits, context.totals.classes)?;
        }
    }
    Ok(())
}
