//! How keywords combine, for all types of values alike.
//!
//! `allOf`, `anyOf`, `oneOf`, `not`, `if` and `$ref` mean the same for every type of value. A [`Domain`] defines the
//! sets of one type (such as strings) and the meaning of all other keywords. How keywords combine is written once,
//! here.

use grammarc_grammar::diagnostics::Diagnostic;

use super::layer::Types;
use super::memo::BySubject;
use crate::algebra::logic::formula::{Formula, FormulaId};
use crate::algebra::logic::subject::{Scalar, Subject};
use crate::document::NodeId;
use crate::read::schema::{Part, Schema, SchemaId};

/// Sets of values of one type: constants, numbers, strings, arrays or objects.
pub(crate) trait Domain: Sized {
    /// A set of values of the domain's type.
    type Set: Clone;

    /// Returns the set of all values of the domain's type, or the empty set.
    fn constant(all: bool) -> Self::Set;
    /// Returns whether a set is known to be empty. `false` may also mean unknown.
    fn is_none(set: &Self::Set) -> bool;
    /// Returns the intersection of two sets of values.
    fn and(types: &mut Types<'_>, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Diagnostic>;
    /// Returns the union of two sets of values.
    fn or(types: &mut Types<'_>, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Diagnostic>;
    /// Returns the complement of a set within the domain's type.
    fn not(types: &mut Types<'_>, set: &Self::Set) -> Result<Self::Set, Diagnostic>;

    /// Returns the values in exactly one of the sets.
    fn exactly_one(types: &mut Types<'_>, sets: Vec<Self::Set>) -> Result<Self::Set, Diagnostic> {
        ladder::<Self>(types, sets)
    }

    /// Returns the union of all given sets of values.
    fn any(types: &mut Types<'_>, sets: Vec<Self::Set>) -> Result<Self::Set, Diagnostic> {
        let mut any = Self::constant(false);
        for set in sets {
            any = Self::or(types, &any, &set)?;
        }
        Ok(any)
    }

    /// Returns the values of the domain's type that a keyword allows. Returns `None` if the keyword does not constrain
    /// this type. [`combine`](fn@combine) handles the keywords that apply schemas to the same value.
    fn part(
        types: &mut Types<'_>,
        schema: SchemaId,
        place: NodeId,
        part: &Part,
    ) -> Result<Option<Self::Set>, Diagnostic>;

    /// Returns the set of the single value that the document has at `node`, or the empty set if that value is of
    /// another type.
    fn value(types: &mut Types<'_>, node: NodeId) -> Result<Self::Set, Diagnostic>;
    /// Returns the set of those values at `nodes` of the document (an `enum`) that are of the domain's type.
    fn values(types: &mut Types<'_>, nodes: &[NodeId]) -> Result<Self::Set, Diagnostic> {
        let mut sets = Vec::new();
        for &node in nodes {
            let set = Self::value(types, node)?;
            if !Self::is_none(&set) {
                sets.push(set);
            }
        }
        Self::any(types, sets)
    }

    /// Returns the set of a single scalar, or the empty set if the scalar is of another type.
    fn scalar(types: &mut Types<'_>, scalar: &Scalar) -> Self::Set;

    /// Returns the memo that maps each condition on a value (schema, keyword or constant) to the set of values that
    /// satisfy it.
    fn memo<'m>(types: &'m mut Types<'_>) -> &'m mut BySubject<Self::Set>;
}

/// Returns the values in exactly one of the sets. Each set extends two running sets: the values in exactly one set so
/// far, and those in no set so far.
pub(crate) fn ladder<D: Domain>(
    types: &mut Types<'_>,
    sets: Vec<D::Set>,
) -> Result<D::Set, Diagnostic> {
    let mut one = D::constant(false);
    let mut none = D::constant(true);
    let mut sets = sets.into_iter().filter(|set| !D::is_none(set)).peekable();
    while let Some(set) = sets.next() {
        let new = D::and(types, &none, &set)?;
        // Most `oneOf` have one branch that allows the type. Its complement is then not needed.
        if D::is_none(&one) && sets.peek().is_none() {
            return Ok(new);
        }
        let not = D::not(types, &set)?;
        let kept = D::and(types, &one, &not)?;
        one = D::or(types, &kept, &new)?;
        if sets.peek().is_some() {
            none = D::and(types, &none, &not)?;
        }
    }
    Ok(one)
}

/// Returns the values of the domain's type that satisfy a formula over values.
pub(crate) fn evaluate<D: Domain>(
    types: &mut Types<'_>,
    formula: FormulaId,
) -> Result<D::Set, Diagnostic> {
    match types.logic.values.get(formula).clone() {
        Formula::True => Ok(D::constant(true)),
        Formula::False => Ok(D::constant(false)),
        Formula::Literal(literal) => {
            let set = subject::<D>(types, literal.atom)?;
            if literal.positive { Ok(set) } else { D::not(types, &set) }
        }
        Formula::And(operands) => {
            let mut all = D::constant(true);
            for &operand in operands.iter() {
                let set = evaluate::<D>(types, operand)?;
                all = D::and(types, &all, &set)?;
                if D::is_none(&all) {
                    break;
                }
            }
            Ok(all)
        }
        Formula::Or(operands) => {
            let sets = operands.iter().map(|&operand| evaluate::<D>(types, operand));
            let sets = sets.collect::<Result<_, _>>()?;
            D::any(types, sets)
        }
    }
}

/// Returns the values of the domain's type that satisfy an atom of formulas over values: a schema, keyword or constant.
/// The result is memoised.
fn subject<D: Domain>(types: &mut Types<'_>, atom: u32) -> Result<D::Set, Diagnostic> {
    if let Some(set) = D::memo(types).get(atom) {
        return Ok(set.clone());
    }
    let set = match types.logic.subject(atom).clone() {
        Subject::Schema(id) => schema::<D>(types, id)?,
        Subject::Keyword(id, index) => {
            let (place, part) = &types.logic.schemas.parts(id)[index];
            combine::<D>(types, id, *place, part)?.unwrap_or_else(|| D::constant(true))
        }
        Subject::Value(node) => D::value(types, node)?,
        Subject::Scalar(scalar) => D::scalar(types, &scalar),
    };
    D::memo(types).insert(atom, set.clone());
    Ok(set)
}

/// Returns the values of the domain's type that a schema allows. Recurses over schemas that apply to the same value;
/// the survey bounds their nesting.
pub(crate) fn of_schema<D: Domain>(
    types: &mut Types<'_>,
    id: SchemaId,
) -> Result<D::Set, Diagnostic> {
    let formula = types.logic.schema(id);
    evaluate::<D>(types, formula)
}

/// Returns the values of the domain's type that all keywords of a schema allow.
fn schema<D: Domain>(types: &mut Types<'_>, id: SchemaId) -> Result<D::Set, Diagnostic> {
    let schemas = types.logic.schemas;
    let parts = match schemas.get(id) {
        Schema::Boolean(all) => return Ok(D::constant(*all)),
        Schema::Parts(parts) => parts,
    };
    let outer = std::mem::replace(&mut types.logic.at, schemas.node(id));
    let mut all = D::constant(true);
    // `type` comes first: it alone decides most schemas for most domains.
    let of_type = parts.iter().filter(|(_, part)| matches!(part, Part::Types(_)));
    let others = parts.iter().filter(|(_, part)| !matches!(part, Part::Types(_)));
    for (place, part) in of_type.chain(others) {
        if let Some(set) = combine::<D>(types, id, *place, part)? {
            all = D::and(types, &all, &set)?;
            if D::is_none(&all) {
                break;
            }
        }
    }
    types.logic.at = outer;
    Ok(all)
}

/// Returns the values of the domain's type that a keyword allows, or `None` if it does not constrain this type.
/// Keywords that apply schemas to the same value are combined here.
fn combine<D: Domain>(
    types: &mut Types<'_>,
    id: SchemaId,
    place: NodeId,
    part: &Part,
) -> Result<Option<D::Set>, Diagnostic> {
    Ok(Some(match part {
        Part::Values(values) => D::values(types, values)?,
        Part::All(schemas) => {
            let mut all = D::constant(true);
            for &schema in schemas {
                let set = of_schema::<D>(types, schema)?;
                all = D::and(types, &all, &set)?;
                if D::is_none(&all) {
                    break;
                }
            }
            all
        }
        Part::Any(schemas) => {
            let sets = schemas.iter().map(|&schema| of_schema::<D>(types, schema));
            let sets = sets.collect::<Result<_, _>>()?;
            D::any(types, sets)?
        }
        Part::One(schemas) => {
            let sets = schemas.iter().map(|&schema| of_schema::<D>(types, schema));
            let sets = sets.collect::<Result<_, _>>()?;
            types.logic.at = place;
            D::exactly_one(types, sets)?
        }
        Part::Not(schema) => {
            let set = of_schema::<D>(types, *schema)?;
            D::not(types, &set)?
        }
        Part::If(condition, then, otherwise) => {
            let condition = of_schema::<D>(types, *condition)?;
            let not = D::not(types, &condition)?;
            let mut met = condition;
            if let Some(then) = then {
                let then = of_schema::<D>(types, *then)?;
                met = D::and(types, &met, &then)?;
            }
            let mut unmet = not;
            if let Some(otherwise) = otherwise {
                let otherwise = of_schema::<D>(types, *otherwise)?;
                unmet = D::and(types, &unmet, &otherwise)?;
            }
            D::or(types, &met, &unmet)?
        }
        part => {
            let set = D::part(types, id, place, part)?;
            if let (Some(used), Some(_)) = (&mut types.logic.used, &set) {
                used.insert(place);
            }
            return Ok(set);
        }
    }))
}
