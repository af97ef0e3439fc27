//! Checks of grades: the masks of states for small values of a counter in the register.

use super::context::Context;
use super::violation::{Check, Invariant, at};
use crate::sections::kinds::SectionKind;
use crate::sections::masks::GradeRecord;
use crate::sections::network::{NONE, state_flags};

pub(super) fn check(context: &Context<'_>) -> Check {
    let own = &context.joined.own;
    let mut before = None;
    for (index, grade) in own.grades.iter().enumerate() {
        let place = at(SectionKind::Grades, index);
        let state = grade.state.checked_sub(own.bases.states).filter(|&at| at < own.state_count());
        let is_graded =
            state.is_some_and(|at| own.states[at as usize].flags & state_flags::GRADED != 0);
        place.require(Invariant::Grades, is_graded, grade.state)?;
        let ascends = before.is_none_or(|before| before < (grade.state, grade.field));
        place.require(Invariant::Grades, ascends, grade.field)?;
        before = Some((grade.state, grade.field));
        let before_most = index.checked_sub(GradeRecord::MOST).map(|at| own.grades[at].state);
        let are_few = before_most != Some(grade.state);
        place.require(Invariant::Grades, are_few, grade.state)?;
        let (shift, width) = (grade.field & 0xff, (grade.field & !GradeRecord::WITHOUT) >> 8);
        let is_field = width > 0 && width < u32::BITS && shift + width <= u32::BITS;
        place.require(Invariant::Grades, is_field, grade.field)?;
        let end = grade.first.checked_add(grade.len);
        let is_range = end.is_some_and(|end| end as usize <= own.grade_masks.len());
        place.require(Invariant::Grades, is_range && grade.len > 0, grade.len)?;
        let masks = &own.grade_masks[grade.first as usize..][..grade.len as usize];
        let ascend = masks.is_sorted_by(|one, other| one.most < other.most);
        place.require(Invariant::Grades, ascend, grade.first)?;
        let leave = grade.is_without() && masks.iter().any(|mask| mask.exits != NONE);
        place.require(Invariant::Grades, !leave, grade.first)?;
    }
    for (index, mask) in own.grade_masks.iter().enumerate() {
        let place = at(SectionKind::GradeMasks, index);
        place.below(Invariant::Grades, mask.base, context.totals.masks)?;
        if mask.exits != NONE {
            place.below(Invariant::Grades, mask.exits, context.totals.classes)?;
        }
    }
    Ok(())
}
