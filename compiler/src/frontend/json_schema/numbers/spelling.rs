//! Every legal text of a set's members.

use crate::automata::{Dfa, StateLimit};

use super::super::options::DigitLimits;
use super::set::NumberSet;

/// The texts of the members.
pub(super) fn spellings(
    set: &NumberSet,
    _digits: DigitLimits,
    _limit: usize,
) -> Result<Dfa, StateLimit> {
    Ok(set.dfa().clone())
}
