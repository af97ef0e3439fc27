//! Sets of objects and sets of arrays, both as formulas over atoms (facts about members or items).

use std::marker::PhantomData;

use grammarc_grammar::diagnostics::Diagnostic;

use super::domain::{Domain, ladder};
use super::layer::Types;
use super::memo::BySubject;
use crate::algebra::logic::formula::{FormulaId, Formulas};
use crate::algebra::logic::subject::Scalar;
use crate::document::NodeId;
use crate::read::schema::{Part, SchemaId};

/// The operations that differ between sets of objects and sets of arrays.
pub(crate) trait Container: Sized {
    /// Returns the arena (store) of the object formulas or of the array formulas.
    fn arena<'m>(types: &'m mut Types<'_>) -> &'m mut Formulas;

    /// Returns the memo that maps each condition on a value (schema, keyword or constant) to its object or array
    /// formula.
    fn memo<'m>(types: &'m mut Types<'_>) -> &'m mut BySubject<FormulaId>;

    /// Returns the formula of the objects or arrays that a keyword allows. Returns `None` if the keyword does not
    /// constrain this type.
    fn part(
        types: &mut Types<'_>,
        schema: SchemaId,
        place: NodeId,
        part: &Part,
    ) -> Result<Option<FormulaId>, Diagnostic>;

    /// Returns the formula of the single object or array that the document has at `node`; false if the value is of
    /// another type.
    fn value(types: &mut Types<'_>, node: NodeId) -> Result<FormulaId, Diagnostic>;

    /// Returns the formula of the objects or arrays in exactly one of the sets.
    fn exactly_one(types: &mut Types<'_>, sets: Vec<FormulaId>) -> Result<FormulaId, Diagnostic> {
        ladder::<FormulasOf<Self>>(types, sets)
    }
}

/// Sets of objects or of arrays, each represented by a formula. `C` is the kind of container.
pub(crate) struct FormulasOf<C>(PhantomData<C>);

impl<C: Container> Domain for FormulasOf<C> {
    type Set = FormulaId;

    fn constant(all: bool) -> FormulaId {
        if all { FormulaId::TRUE } else { FormulaId::FALSE }
    }

    fn is_none(set: &FormulaId) -> bool {
        *set == FormulaId::FALSE
    }

    fn and(types: &mut Types<'_>, a: &FormulaId, b: &FormulaId) -> Result<FormulaId, Diagnostic> {
        types.spend()?;
        Ok(C::arena(types).and([*a, *b]))
    }

    fn or(types: &mut Types<'_>, a: &FormulaId, b: &FormulaId) -> Result<FormulaId, Diagnostic> {
        types.spend()?;
        Ok(C::arena(types).or([*a, *b]))
    }

    fn any(types: &mut Types<'_>, sets: Vec<FormulaId>) -> Result<FormulaId, Diagnostic> {
        types.spend()?;
        Ok(C::arena(types).or(sets))
    }

    fn not(types: &mut Types<'_>, set: &FormulaId) -> Result<FormulaId, Diagnostic> {
        types.spend()?;
        Ok(C::arena(types).not(*set))
    }

    fn exactly_one(types: &mut Types<'_>, sets: Vec<FormulaId>) -> Result<FormulaId, Diagnostic> {
        C::exactly_one(types, sets)
    }

    fn part(
        types: &mut Types<'_>,
        schema: SchemaId,
        place: NodeId,
        part: &Part,
    ) -> Result<Option<FormulaId>, Diagnostic> {
        C::part(types, schema, place, part)
    }

    fn value(types: &mut Types<'_>, node: NodeId) -> Result<FormulaId, Diagnostic> {
        C::value(types, node)
    }

    fn scalar(_: &mut Types<'_>, _: &Scalar) -> FormulaId {
        FormulaId::FALSE
    }

    fn memo<'m>(types: &'m mut Types<'_>) -> &'m mut BySubject<FormulaId> {
        C::memo(types)
    }
}
