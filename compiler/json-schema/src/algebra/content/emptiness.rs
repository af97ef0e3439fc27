//! Decides exactly whether a formula is empty. A content graph is built only if no scalar, empty array or empty object
//! answers.

use grammarc_grammar::diagnostics::Diagnostic;

use super::explore::explored;
use crate::algebra::automata::layer::Automata;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::simplify::disjoint_one_of::resolved_objects;
use crate::algebra::types::arrays::array_formula;
use crate::algebra::types::memo::ByFormula;
use crate::algebra::types::scalars::scalars;

/// Exact tests of whether some value satisfies a formula, with memoised results.
pub(crate) struct Emptiness<'m, 'a> {
    /// The builder of automata, switched to tests of emptiness, in which the order of keys does not matter.
    pub(crate) automata: &'m mut Automata<'a>,
    /// Maps each formula over values whose test took a content graph to whether some value satisfies it.
    known: ByFormula<bool>,
}

impl<'m, 'a> Emptiness<'m, 'a> {
    /// Prepares tests of emptiness that together may take at most `work` more units of work. The tests ignore the order
    /// of keys.
    pub(crate) fn new(automata: &'m mut Automata<'a>, work: usize) -> Self {
        automata.explain(work);
        Self { automata, known: ByFormula::default() }
    }

    /// Returns whether some value satisfies a formula over values. Builds the content graph of the formula unless a
    /// scalar, the empty array or the empty object satisfies it.
    ///
    /// # Errors
    ///
    /// A limit on work, states or memory is exceeded.
    pub(crate) fn holds(&mut self, formula: FormulaId) -> Result<bool, Diagnostic> {
        if !scalars(self.automata.types(), formula)?.is_none() {
            return Ok(true);
        }
        let objects = resolved_objects(&mut self.automata.simplifier, formula)?;
        let types = self.automata.types();
        let arrays = array_formula(types, formula)?;
        if types.objects.may_end(objects) || types.arrays.may_end(arrays) {
            return Ok(true);
        }
        if let Some(&known) = self.known.get(&formula) {
            return Ok(known);
        }
        let (graph, _) = explored(self.automata, formula)?;
        let holds = graph.holds[0];
        self.known.insert(formula, holds);
        Ok(holds)
    }
}
