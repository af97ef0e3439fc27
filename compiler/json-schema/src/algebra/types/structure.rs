//! Whether a formula allows arrays and objects, or scalars alone.

use grammarc_grammar::diagnostics::Diagnostic;

use super::arrays::array_formula;
use super::layer::Types;
use super::objects::object_formula;
use super::scalars::scalars;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::subject::Scalar;

/// Returns all values that satisfy a formula over values. Returns `None` if some of them are arrays or objects, or if
/// there are more than `limit`.
pub(crate) fn finite(
    types: &mut Types<'_>,
    formula: FormulaId,
    limit: usize,
) -> Result<Option<Vec<Scalar>>, Diagnostic> {
    let structured = object_formula(types, formula)? != FormulaId::FALSE
        || array_formula(types, formula)? != FormulaId::FALSE;
    if structured { Ok(None) } else { Ok(scalars(types, formula)?.finite(limit)) }
}

/// Returns whether a formula over values allows all arrays or none, and all objects or none. The complement of such a
/// formula is as small as the formula.
pub(crate) fn is_scalar(types: &mut Types<'_>, value: FormulaId) -> Result<bool, Diagnostic> {
    let constant = |formula| matches!(formula, FormulaId::TRUE | FormulaId::FALSE);
    Ok(constant(object_formula(types, value)?) && constant(array_formula(types, value)?))
}
