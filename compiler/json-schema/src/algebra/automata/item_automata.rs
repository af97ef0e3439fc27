//! Chooses the item automaton that the arrays of a formula become.

use grammarc_grammar::diagnostics::Diagnostic;

use super::counted_items::counted_items;
use super::item_automaton::ItemAutomaton;
use super::items::item_states;
use super::layer::Automata;
use super::unique_items::resolve_unique;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::types::arrays::array_formula;

/// Returns automata that together accept the arrays that satisfy a formula over values: a list of one automaton, or an
/// empty list if no array does. Returns `None` if every array satisfies the formula.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn item_automata(
    automata: &mut Automata<'_>,
    value: FormulaId,
) -> Result<Option<Vec<ItemAutomaton>>, Diagnostic> {
    let formula = array_formula(&mut automata.simplifier.types, value)?;
    let (formula, distinct) = resolve_unique(automata, formula)?;
    if formula == FormulaId::FALSE {
        automata.simplifier.types.grow()?;
        return Ok(Some(Vec::new()));
    }
    if formula == FormulaId::TRUE && !distinct {
        return Ok(None);
    }
    if !distinct && let Some(counted) = counted_items(&mut automata.simplifier, formula)? {
        return Ok(Some(vec![counted]));
    }
    let states = item_states(&mut automata.simplifier, formula, true)?;
    Ok(Some(vec![ItemAutomaton { states, distinct, counters: Vec::new(), counts_all: false }]))
}
