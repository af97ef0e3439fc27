//! Checks of grades: the masks of states by the count that is left in a register.

use super::context::Context;
use super::violation::{Check, Invariant, at};
use crate::sections::kinds::SectionKind;
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
        let ascends = before.is_none_or(|before| before < (grade.state, grade.most));
        place.require(Invariant::Grades, ascends, grade.most)?;
        before = Some((grade.state, grade.most));
        let (shift, width) = (grade.field & 0xff, grade.field >> 8);
        let is_field = width > 0 && width < u32::BITS && shift + width <= u32::BITS;
        place.require(Invariant::Grades, is_field, grade.field)?;
        place.below(Invariant::Grades, grade.base, context.totals.masks)?;
        if grade.exits != NONE {
            place.below(Invariant::Grades, grade.exits, context.totals.classes)?;
        }
    }
    Ok(())
}
