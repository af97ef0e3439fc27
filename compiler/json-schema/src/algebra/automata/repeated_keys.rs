//! Finds the objects in which the runtime must refuse a repeated key that the schema does not name.
//!
//! Parsers keep one value of a repeated key. In most objects a repetition is harmless: `{"a": 1, "a": 2}` is a map to
//! integers, whichever value is kept. A repetition matters if a member changes the automaton's state, as with
//! `minProperties` (a count) or `oneOf` (the type of a value). The object may then be invalid with the value that a
//! parser keeps. Such an object becomes a rule whose keys must differ
//! ([`RuleKind::Distinct`](grammarc_grammar::ir::RuleKind::Distinct)), like the items of `uniqueItems`.
//!
//! Cost: O(members) for each automaton. Automata without such members keep their precomputed masks.

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::member_automaton::{Member, MemberAutomaton, MemberName, MemberState};
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::types::facts::facts;
use crate::algebra::types::layer::Types;
use crate::options::Escapes;
use crate::read::schema::{Bounds, Part};
use crate::values::strings::StringSet;

/// Reason in the report for an approximate bound on the number of members: nothing compares the keys, so a repeated key
/// counts each time.
const FEW: &str = "a key that the schema does not name counts each time it is written: the keys come in any order, are \
                   a finite set, or are counted beyond 128";

/// Reason in the report for an approximate bound on the number of members: keys are compared as texts, and one key has
/// several texts.
const SPELLINGS: &str = "a key that is written with other escapes counts again";

/// Largest bound on the number of members for which the runtime compares keys: each counted member takes a few states.
/// Beyond, a repeated key counts each time it is written. Bounds in practice are below ten.
const MOST_MEMBERS: u32 = 128;

/// Sets `distinct` in those automata over members whose objects must not repeat keys. Reports the bounds on members as
/// approximate if the runtime cannot compare keys.
pub(crate) fn keep_keys_distinct(
    types: &mut Types<'_>,
    value: FormulaId,
    formula: FormulaId,
    automata: &mut [MemberAutomaton],
) -> Result<(), Diagnostic> {
    for automaton in automata {
        if !repetition_matters(types, automaton)? {
            continue;
        }
        automaton.distinct = may_be_distinct(automaton);
        let reason = match (automaton.distinct, types.text.escapes) {
            (true, Escapes::Shortest) => continue,
            (true, Escapes::Any) => SPELLINGS,
            (false, _) => FEW,
        };
        // The first member beyond the required ones cannot be a repetition.
        let fewest = types.objects.fewest_members(formula) as usize;
        let required = facts(types, formula).values().filter(|fact| fact.present).count();
        if fewest < 2 || fewest <= required + 1 {
            continue;
        }
        types
            .logic
            .note(value, Verdict::Approximate, reason, |part| matches!(part, Part::MemberCount(_)));
    }
    Ok(())
}

/// Returns whether some object may become invalid when a parser drops all but one value of a key.
fn repetition_matters(
    types: &mut Types<'_>,
    automaton: &MemberAutomaton,
) -> Result<bool, Diagnostic> {
    for (at, state) in (0..).zip(&automaton.states) {
        let counts = matches!(state.repeat, Some(Bounds { min: 2.., .. }));
        for member in state.members.iter().filter(|member| names(member).is_some()) {
            let after = &automaton.states[member.to as usize];
            if counts || (member.to != at && !says_the_same(types, member, after)?) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns whether repeating a member's keys changes nothing: the state after the member allows the same values and
/// loops.
fn says_the_same(
    types: &mut Types<'_>,
    first: &Member,
    after: &MemberState,
) -> Result<bool, Diagnostic> {
    if after.repeat.is_some_and(|bounds| bounds.min > 0) {
        return Ok(false);
    }
    for again in &after.members {
        let same = again.to == first.to && again.value == first.value;
        if !same
            && let (Some(keys), Some(others)) = (names(first), names(again))
            && !types.logic.limited(keys.intersect(others, types.states()))?.is_none()
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the set of keys of an edge, or `None` for an edge with a single key.
fn names(member: &Member) -> Option<&StringSet> {
    match &member.name {
        MemberName::Names(names) => Some(names),
        MemberName::Key(_) => None,
    }
}

/// Returns whether the runtime can compare the keys of an automaton's objects. No mark (bit of a required key) may
/// occupy the register. Each set of keys must have keys of unlimited length. Bounds on members must be at most
/// [`MOST_MEMBERS`].
fn may_be_distinct(automaton: &MemberAutomaton) -> bool {
    automaton.marks == 0
        && automaton.states.iter().all(|state| {
            let bounds = state.repeat.unwrap_or_default();
            let mut names = state.members.iter().filter_map(names);
            bounds.min.max(bounds.max.unwrap_or(0)) <= MOST_MEMBERS
                && names.all(StringSet::is_endless)
        })
}
