//! The rules of an automaton that stays nondeterministic, because its deterministic form would have
//! too many states.
//!
//! The automaton becomes a [right-linear grammar](RightLinear). Where a symbol leads to several
//! states, a choice calls one rule for each of them, as the last step of its rule. So masks are
//! stored as for other rules. A parse position has as many configurations (a state with its
//! register and its callers) as the text has parses.
//!
//! Cost: O(states of the rules). Tests: `tests/tests/suite/counters.rs`.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::rules::Rules;
use super::source::Source;
use crate::automata::{Nfa, RightLinear};
use crate::network::error::NetworkErrorKind;
use crate::network::minimal::minimized_without_empty;
use crate::network::rule::Label;

/// Builds the rules of the right-linear grammar of a nondeterministic automaton, and adds them to
/// `rules`. The rule for the whole automaton gets the reserved `number`, and the rules for its
/// states get new numbers. The rule for the whole automaton accepts the empty string only if
/// `may_be_empty` and the automaton does.
///
/// # Errors
///
/// [`NetworkErrorKind::Limit`] if the rule must be deterministic, if there are too many rules, or too
/// many states in a rule, or if the budget is spent.
pub(super) fn build(
    nfa: &Nfa,
    number: usize,
    may_be_empty: bool,
    rules: &mut Rules<'_>,
    source: &Source<'_>,
) -> Result<(), NetworkErrorKind> {
    if !source.may_stay_nondeterministic(rules.current()) {
        return Err(source.too_large());
    }
    let live = nfa.without_dead();
    let bounds = source.bounds();
    let mut right_linear = RightLinear::new(&live, bounds);
    // Maps each state of the automaton whose rule is called to the number of the rule. `None` is
    // the whole automaton.
    let mut numbers: IndexMap<Option<u32>, usize, FxBuildHasher> = IndexMap::default();
    numbers.insert(None, number);
    let mut next = 0;
    while let Some((&state, &number)) = numbers.get_index(next) {
        next += 1;
        let call = |state| {
            let rule = *numbers.entry(Some(state)).or_insert_with(|| rules.reserve());
            rules.labels.symbol(Label::Call { rule, count: 0 })
        };
        let too_large = |_| source.too_large();
        let dfa = right_linear.rule(state, call).map_err(too_large)?;
        let table = match state {
            None if may_be_empty => (&dfa).into(),
            _ => minimized_without_empty(dfa, bounds).map_err(too_large)?,
        };
        let suffix = if state.is_none() { "" } else { "{choice}" };
        rules.fill(number, suffix, table)?;
    }
    Ok(())
}
