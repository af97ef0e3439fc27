//! How keywords combine, whatever the sets are.
//!
//! `allOf`, `anyOf`, `oneOf`, `not`, `if` and `$ref` mean the same for every type of value. A [`Domain`] says what the
//! sets of one type are and what the other keywords say about it; the combination is written once, here.

use grammarc_grammar::diagnostics::Diagnostic;

use super::formula::Formula;
use crate::algebra::{Algebra, BySubject, FormulaId, Scalar, Subject};
use crate::document::NodeId;
use crate::read::schema::{Part, Schema, SchemaId};

/// Sets of values of one type.
pub(crate) trait Domain {
    /// A set.
    type Set: Clone;

    /// Every value of the type, or none.
    fn constant(all: bool) -> Self::Set;
    /// Whether the set is known to be empty.
    fn is_none(set: &Self::Set) -> bool;
    /// The intersection of two sets.
    fn and(
        algebra: &mut Algebra<'_>,
        a: &Self::Set,
        b: &Self::Set,
    ) -> Result<Self::Set, Diagnostic>;
    /// The union of two sets.
    fn or(algebra: &mut Algebra<'_>, a: &Self::Set, b: &Self::Set)
    -> Result<Self::Set, Diagnostic>;
    /// The complement of a set.
    fn not(algebra: &mut Algebra<'_>, set: &Self::Set) -> Result<Self::Set, Diagnostic>;

    /// The values in exactly one of the sets.
    fn exactly_one(
        algebra: &mut Algebra<'_>,
        sets: Vec<Self::Set>,
    ) -> Result<Self::Set, Diagnostic> {
        let mut one = Self::constant(false);
        let mut none = Self::constant(true);
        let mut sets = sets.into_iter().filter(|set| !Self::is_none(set)).peekable();
        while let Some(set) = sets.next() {
            let new = Self::and(algebra, &none, &set)?;
            // Mostly one branch is about the type, and what it leaves out is not asked for.
            if Self::is_none(&one) && sets.peek().is_none() {
                return Ok(new);
            }
            let not = Self::not(algebra, &set)?;
            let kept = Self::and(algebra, &one, &not)?;
            one = Self::or(algebra, &kept, &new)?;
            if sets.peek().is_some() {
                none = Self::and(algebra, &none, &not)?;
            }
        }
        Ok(one)
    }

    /// The union of the sets.
    fn any(algebra: &mut Algebra<'_>, sets: Vec<Self::Set>) -> Result<Self::Set, Diagnostic> {
        let mut any = Self::constant(false);
        for set in sets {
            any = Self::or(algebra, &any, &set)?;
        }
        Ok(any)
    }

    /// The values of the type that a keyword of the schema allows; `None` for a keyword without effect on them.
    /// Keywords that apply other schemas to the same value are only seen here where [`combine`](fn@combine) leaves them
    /// to the domain.
    fn part(
        algebra: &mut Algebra<'_>,
        schema: SchemaId,
        place: NodeId,
        part: &Part,
    ) -> Result<Option<Self::Set>, Diagnostic>;

    /// The value at a place, or nothing where that is of another type.
    fn value(algebra: &mut Algebra<'_>, node: NodeId) -> Result<Self::Set, Diagnostic>;
    /// The values at some places that are of the type.
    fn values(algebra: &mut Algebra<'_>, nodes: &[NodeId]) -> Result<Self::Set, Diagnostic> {
        let mut sets = Vec::new();
        for &node in nodes {
            let set = Self::value(algebra, node)?;
            if !Self::is_none(&set) {
                sets.push(set);
            }
        }
        Self::any(algebra, sets)
    }

    /// A scalar, or nothing where that is of another type.
    fn scalar(algebra: &mut Algebra<'_>, scalar: &Scalar) -> Self::Set;

    /// Results by subject.
    fn memo<'m>(algebra: &'m mut Algebra<'_>) -> &'m mut BySubject<Self::Set>;
}

/// The values of the type that a formula holds for.
pub(crate) fn evaluate<D: Domain>(
    algebra: &mut Algebra<'_>,
    formula: FormulaId,
) -> Result<D::Set, Diagnostic> {
    match algebra.values.get(formula).clone() {
        Formula::True => Ok(D::constant(true)),
        Formula::False => Ok(D::constant(false)),
        Formula::Literal(literal) => {
            let set = subject::<D>(algebra, literal.atom)?;
            if literal.positive { Ok(set) } else { D::not(algebra, &set) }
        }
        Formula::And(operands) => {
            let mut all = D::constant(true);
            for &operand in operands.iter() {
                let set = evaluate::<D>(algebra, operand)?;
                all = D::and(algebra, &all, &set)?;
                if D::is_none(&all) {
                    break;
                }
            }
            Ok(all)
        }
        Formula::Or(operands) => {
            let sets = operands.iter().map(|&operand| evaluate::<D>(algebra, operand));
            let sets = sets.collect::<Result<_, _>>()?;
            D::any(algebra, sets)
        }
    }
}

fn subject<D: Domain>(algebra: &mut Algebra<'_>, atom: u32) -> Result<D::Set, Diagnostic> {
    if let Some(set) = D::memo(algebra).get(atom) {
        return Ok(set.clone());
    }
    let set = match algebra.subjects[atom as usize].clone() {
        Subject::Schema(id) => schema::<D>(algebra, id)?,
        Subject::Keyword(id, index) => {
            let (place, part) = &algebra.schemas.parts(id)[index];
            combine::<D>(algebra, id, *place, part)?.unwrap_or_else(|| D::constant(true))
        }
        Subject::Value(node) => D::value(algebra, node)?,
        Subject::Scalar(scalar) => D::scalar(algebra, &scalar),
    };
    D::memo(algebra).insert(atom, set.clone());
    Ok(set)
}

/// The values of the type that a schema holds for. Recurses over in-place steps, which the survey bounds.
pub(crate) fn of_schema<D: Domain>(
    algebra: &mut Algebra<'_>,
    id: SchemaId,
) -> Result<D::Set, Diagnostic> {
    let formula = algebra.schema(id);
    evaluate::<D>(algebra, formula)
}

fn schema<D: Domain>(algebra: &mut Algebra<'_>, id: SchemaId) -> Result<D::Set, Diagnostic> {
    let schemas = algebra.schemas;
    let parts = match schemas.get(id) {
        Schema::Boolean(all) => return Ok(D::constant(*all)),
        Schema::Parts(parts) => parts,
    };
    let outer = std::mem::replace(&mut algebra.at, schemas.node(id));
    let mut all = D::constant(true);
    // The type first: it decides most schemas for most domains.
    let types = parts.iter().filter(|(_, part)| matches!(part, Part::Types(_)));
    let others = parts.iter().filter(|(_, part)| !matches!(part, Part::Types(_)));
    for (place, part) in types.chain(others) {
        if let Some(set) = combine::<D>(algebra, id, *place, part)? {
            all = D::and(algebra, &all, &set)?;
            if D::is_none(&all) {
                break;
            }
        }
    }
    algebra.at = outer;
    Ok(all)
}

fn combine<D: Domain>(
    algebra: &mut Algebra<'_>,
    id: SchemaId,
    place: NodeId,
    part: &Part,
) -> Result<Option<D::Set>, Diagnostic> {
    Ok(Some(match part {
        Part::Types(_) => return D::part(algebra, id, place, part),
        Part::Values(values) => D::values(algebra, values)?,
        Part::All(schemas) => {
            let mut all = D::constant(true);
            for &schema in schemas {
                let set = of_schema::<D>(algebra, schema)?;
                all = D::and(algebra, &all, &set)?;
                if D::is_none(&all) {
                    break;
                }
            }
            all
        }
        Part::Any(schemas) => {
            let sets = schemas.iter().map(|&schema| of_schema::<D>(algebra, schema));
            let sets = sets.collect::<Result<_, _>>()?;
            D::any(algebra, sets)?
        }
        Part::One(schemas) => {
            let sets = schemas.iter().map(|&schema| of_schema::<D>(algebra, schema));
            let sets = sets.collect::<Result<_, _>>()?;
            algebra.at = place;
            D::exactly_one(algebra, sets)?
        }
        Part::Not(schema) => {
            let set = of_schema::<D>(algebra, *schema)?;
            D::not(algebra, &set)?
        }
        Part::If(condition, then, otherwise) => {
            let condition = of_schema::<D>(algebra, *condition)?;
            let not = D::not(algebra, &condition)?;
            let mut met = condition;
            if let Some(then) = then {
                let then = of_schema::<D>(algebra, *then)?;
                met = D::and(algebra, &met, &then)?;
            }
            let mut unmet = not;
            if let Some(otherwise) = otherwise {
                let otherwise = of_schema::<D>(algebra, *otherwise)?;
                unmet = D::and(algebra, &unmet, &otherwise)?;
            }
            D::or(algebra, &met, &unmet)?
        }
        part => return D::part(algebra, id, place, part),
    }))
}
