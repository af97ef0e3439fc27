//! The content of a formula over values: its scalars, and its automata over items and members.

use crate::algebra::automata::item_automaton::ItemAutomaton;
use crate::algebra::automata::member_automaton::MemberAutomaton;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::types::scalar_sets::Scalars;
use crate::values::numbers::NumberSet;
use crate::values::strings::StringSet;

/// The values that satisfy a formula: scalars as a set, arrays and objects as automata.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Content {
    /// The scalars that satisfy the formula.
    pub(crate) scalars: Scalars,
    /// Automata that together accept the arrays that satisfy the formula. `None` if the formula allows every array; an
    /// empty list allows none.
    pub(crate) arrays: Option<Vec<ItemAutomaton>>,
    /// Automata that together accept the objects that satisfy the formula. `None` if the formula allows every object;
    /// an empty list allows none.
    pub(crate) objects: Option<Vec<MemberAutomaton>>,
}

impl Content {
    /// Returns the content of the formula that every value satisfies.
    pub(crate) fn all() -> Self {
        let (numbers, strings) = (NumberSet::all().into(), StringSet::all());
        let scalars = Scalars { null: true, no: true, yes: true, numbers, strings };
        Self { scalars, arrays: None, objects: None }
    }

    /// Returns the content of the formula that no value satisfies.
    pub(crate) fn none() -> Self {
        let (numbers, strings) = (NumberSet::none().into(), StringSet::none());
        let scalars = Scalars { null: false, no: false, yes: false, numbers, strings };
        Self { scalars, arrays: Some(Vec::new()), objects: Some(Vec::new()) }
    }

    /// Returns whether no scalar and no array satisfies the formula, so that its values are objects alone.
    pub(crate) fn has_objects_alone(&self) -> bool {
        let has_arrays = self.arrays.as_ref().is_none_or(|arrays| !arrays.is_empty());
        let has_objects = self.objects.as_ref().is_none_or(|objects| !objects.is_empty());
        self.scalars.is_none() && !has_arrays && has_objects
    }

    /// Returns whether every JSON value satisfies the formula.
    pub(crate) fn is_all(&self) -> bool {
        let Scalars { null, no, yes, numbers, strings } = &self.scalars;
        let constants = *null && *no && *yes;
        let structured = self.arrays.is_none() && self.objects.is_none();
        constants && structured && numbers.is_all() && strings.is_all()
    }

    /// Calls `visit` with the formula on every edge of the automata over items and members.
    pub(crate) fn for_each_value(&self, mut visit: impl FnMut(FormulaId)) {
        for state in self.arrays.iter().flatten().flat_map(|automaton| &automaton.states) {
            state.items.iter().for_each(|&(value, _)| visit(value));
        }
        for state in self.objects.iter().flatten().flat_map(|automaton| &automaton.states) {
            state.members.iter().for_each(|member| visit(member.value));
        }
    }

    /// Calls `change` with the formula on every edge of the automata over items and members.
    pub(crate) fn for_each_value_mut(&mut self, mut change: impl FnMut(&mut FormulaId)) {
        for automaton in self.arrays.iter_mut().flatten() {
            let states = automaton.states.iter_mut();
            states.flat_map(|state| &mut state.items).for_each(|(value, _)| change(value));
        }
        for automaton in self.objects.iter_mut().flatten() {
            let states = automaton.states.iter_mut();
            states
                .flat_map(|state| &mut state.members)
                .for_each(|member| change(&mut member.value));
        }
    }
}
