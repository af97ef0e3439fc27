//! Whether a formula allows arrays and objects, or scalars alone.

use grammarc_grammar::diagnostics::Diagnostic;

use super::arrays::array_formula;
use super::layer::Types;
use super::objects::object_formula;
use super::scalars::scalars;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::subject::Scalar;

/// All values that a formula holds for, if they are scalars and at most `limit`.
pub(crate) fn finite(
    types: &mut Types<'_>,
    formula: FormulaId,
    limit: usize,
) -> Result<Option<Vec<Scalar>>, Diagnostic> {
    let structured = object_formula(types, formula)? != FormulaId::FALSE
        || array_formula(types, formula)? != FormulaId::FALSE;
    if structured { Ok(None) } else { Ok(scalars(types, formula)?.finite(limit)) }
}

/// Whether a formula holds for all arrays or none, and for all objects or none. Its complement is then as small as itself.
pub(crate) fn is_scalar(types: &mut Types<'_>, value: FormulaId) -> Result<bool, Diagnostic> {
    let constant = |formula| matches!(formula, FormulaId::TRUE | FormulaId::FALSE);
    Ok(constant(object_formula(types, value)?) && constant(array_formula(types, value)?))
}
