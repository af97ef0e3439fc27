//! The keywords about null, booleans, numbers and strings, as sets that combine exactly.

use std::marker::PhantomData;
use std::rc::Rc;

use grammarc_grammar::automata::{StateBudget, StateLimit};
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::domain::{Domain, evaluate};
use super::layer::Types;
use super::memo::BySubject;
use super::scalar_sets::{Constants, ScalarMemo, Scalars};
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::layer::Logic;
use crate::algebra::logic::subject::Scalar;
use crate::document::{Json, NodeId};
use crate::options::NumberForm;
use crate::read::schema::{Part, SchemaId};
use crate::values::numbers::{Decimal, MOST_TERMS, NumberSet, NumeralSet};
use crate::values::strings::StringSet;
use crate::values::types::TypeSet;

/// Units of work for the scalar sets of one formula, besides one unit for each state of its strings.
const SCALARS_WORK: usize = 16;

/// Largest length, in characters, up to which an exclusion of strings takes one automaton state for each length.
/// Beyond, the longer strings are left out, and the report calls the keyword narrower.
const COUNTED: u32 = 64;

/// Reason in the report for a set of strings that leaves out long strings.
const LONG: &str = "of strings too long for what is excluded, those with its pattern are left out";

/// Returns the scalars that the grammar writes for a formula over values. If some strings are
/// excluded by pattern and length, exactness may take a state for each length. Then strings above some length are left
/// out, and the report says so.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn written_scalars(
    types: &mut Types<'_>,
    formula: FormulaId,
) -> Result<Scalars, Diagnostic> {
    let mut found = Scalars::clone(&*scalars(types, formula)?);
    if let Some(strings) = found.strings.without_long(COUNTED) {
        found.strings = strings;
        types.logic.note(formula, Verdict::Narrower, LONG, |part| matches!(part, Part::Strings(_)));
    }
    Ok(found)
}

/// Returns the null, booleans, numbers and strings that satisfy a formula over values. The result is memoised.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn scalars(
    types: &mut Types<'_>,
    formula: FormulaId,
) -> Result<Rc<Scalars>, Diagnostic> {
    if let Some(known) = types.scalars.by_formula.get(&formula) {
        return Ok(Rc::clone(known));
    }
    // Errors about limits name the schema of the scalars, not that of the object around them.
    let place = types.logic.place(formula).unwrap_or(types.logic.at);
    let outer = std::mem::replace(&mut types.logic.at, place);
    // Computing derivatives (formulas after a member or item) extends a conjunction by one operand at a time. So the
    // set without the last operand is usually known.
    let start = types.logic.values.all_but_last(formula).and_then(|(start, last)| {
        let known = types.scalars.by_formula.get(&start)?;
        Some((known.clone(), last))
    });
    let mut found = match start {
        Some((known, last)) => {
            let last = scalars(types, last)?;
            Scalars {
                null: known.null && last.null,
                no: known.no && last.no,
                yes: known.yes && last.yes,
                numbers: Numbers::and(types, &known.numbers, &last.numbers)?,
                strings: Strings::and(types, &known.strings, &last.strings)?,
            }
        }
        None => {
            let constants = evaluate::<SetsOf<Constants>>(types, formula)?;
            Scalars {
                null: constants.has(Constants::NULL),
                no: constants.has(Constants::NO),
                yes: constants.has(Constants::YES),
                numbers: evaluate::<Numbers>(types, formula)?,
                strings: evaluate::<Strings>(types, formula)?,
            }
        }
    };
    if types.text.numbers == NumberForm::Canonical {
        found.numbers = types.logic.limited(found.numbers.canonical(types.states()))?;
    }
    types.logic.at = outer;
    types.meter.work += SCALARS_WORK + found.strings.states();
    let found = Rc::new(found);
    types.scalars.by_formula.insert(formula, Rc::clone(&found));
    Ok(found)
}

/// A set of scalars of one type, exact under union, intersection and complement.
pub(crate) trait ScalarSet: Clone {
    /// Returns the set of all scalars of the type, or the empty set.
    fn constant(all: bool) -> Self;
    /// Returns whether the set of scalars is empty.
    fn is_none(&self) -> bool;
    /// Returns the intersection of two sets. Fails if it takes more states than `limit`.
    fn intersect(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit>;
    /// Returns the union of two sets. Fails if it takes more states than `limit`.
    fn union(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit>;
    /// Returns the complement of the set within the type. Fails if it takes more states than `limit`.
    fn complement(&self, limit: StateBudget<'_>) -> Result<Self, StateLimit>;
    /// Turns an exceeded limit of a set operation into an error that names the keywords at fault.
    fn limited(logic: &Logic<'_>, result: Result<Self, StateLimit>) -> Result<Self, Diagnostic> {
        logic.limited(result)
    }
    /// Returns the scalars that a keyword allows, or `None` if the keyword does not constrain this type.
    fn part(part: &Part) -> Option<Self>;
    /// Returns the set of the single value that the document has at `node`, or the empty set if that value is of
    /// another type.
    fn value(logic: &Logic<'_>, node: NodeId) -> Result<Self, Diagnostic>;
    /// Returns the set of those values at `nodes` of the document (an `enum`) that are of the set's type.
    fn values(
        logic: &Logic<'_>,
        nodes: &[NodeId],
        limit: StateBudget<'_>,
    ) -> Result<Self, Diagnostic>;
    /// Returns the set of a single scalar, or the empty set if the scalar is of another type.
    fn scalar(scalar: &Scalar) -> Self;
    /// Returns the memo that maps each condition on a value (schema, keyword or constant) to the set of scalars that
    /// satisfy it.
    fn memo(memo: &mut ScalarMemo) -> &mut BySubject<Self>;
}

/// The [`Domain`] of a type of scalars: `S` is the set of constants, numbers or strings.
pub(crate) struct SetsOf<S>(PhantomData<S>);

/// The domain of numbers: its sets are sets of numerals.
type Numbers = SetsOf<NumeralSet>;
/// The domain of strings: its sets are sets of strings.
pub(crate) type Strings = SetsOf<StringSet>;

impl<S: ScalarSet> Domain for SetsOf<S> {
    type Set = S;

    fn constant(all: bool) -> S {
        S::constant(all)
    }

    fn is_none(set: &S) -> bool {
        set.is_none()
    }

    fn and(types: &mut Types<'_>, a: &S, b: &S) -> Result<S, Diagnostic> {
        S::limited(&types.logic, a.intersect(b, types.states()))
    }

    fn or(types: &mut Types<'_>, a: &S, b: &S) -> Result<S, Diagnostic> {
        S::limited(&types.logic, a.union(b, types.states()))
    }

    fn not(types: &mut Types<'_>, set: &S) -> Result<S, Diagnostic> {
        S::limited(&types.logic, set.complement(types.states()))
    }

    fn part(
        _: &mut Types<'_>,
        _: SchemaId,
        _: NodeId,
        part: &Part,
    ) -> Result<Option<S>, Diagnostic> {
        Ok(S::part(part))
    }

    fn value(types: &mut Types<'_>, node: NodeId) -> Result<S, Diagnostic> {
        S::value(&types.logic, node)
    }

    fn values(types: &mut Types<'_>, nodes: &[NodeId]) -> Result<S, Diagnostic> {
        S::values(&types.logic, nodes, types.states())
    }

    fn scalar(_: &mut Types<'_>, scalar: &Scalar) -> S {
        S::scalar(scalar)
    }

    fn memo<'m>(types: &'m mut Types<'_>) -> &'m mut BySubject<S> {
        S::memo(&mut types.scalars)
    }
}

impl ScalarSet for Constants {
    fn constant(all: bool) -> Self {
        if all { Self::ALL } else { Self::NONE }
    }

    fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    fn intersect(&self, other: &Self, _: StateBudget<'_>) -> Result<Self, StateLimit> {
        Ok(self.and(*other))
    }

    fn union(&self, other: &Self, _: StateBudget<'_>) -> Result<Self, StateLimit> {
        Ok(self.or(*other))
    }

    fn complement(&self, _: StateBudget<'_>) -> Result<Self, StateLimit> {
        Ok(self.not())
    }

    fn part(part: &Part) -> Option<Self> {
        let Part::Types(types) = part else { return None };
        let null = if types.contains(TypeSet::NULL) { Self::NULL } else { Self::NONE };
        let boolean = types.contains(TypeSet::BOOLEAN);
        Some(if boolean { null.or(Self::NO).or(Self::YES) } else { null })
    }

    fn value(logic: &Logic<'_>, node: NodeId) -> Result<Self, Diagnostic> {
        Ok(match logic.document.json(node) {
            Json::Null => Self::NULL,
            Json::Bool(false) => Self::NO,
            Json::Bool(true) => Self::YES,
            _ => Self::NONE,
        })
    }

    fn values(logic: &Logic<'_>, nodes: &[NodeId], _: StateBudget<'_>) -> Result<Self, Diagnostic> {
        nodes.iter().try_fold(Self::NONE, |all, &node| Ok(all.or(Self::value(logic, node)?)))
    }

    fn scalar(scalar: &Scalar) -> Self {
        match scalar {
            Scalar::Null => Self::NULL,
            Scalar::Boolean(false) => Self::NO,
            Scalar::Boolean(true) => Self::YES,
            _ => Self::NONE,
        }
    }

    fn memo(memo: &mut ScalarMemo) -> &mut BySubject<Self> {
        &mut memo.constants
    }
}

impl ScalarSet for NumeralSet {
    fn constant(all: bool) -> Self {
        if all { NumberSet::all() } else { NumberSet::none() }.into()
    }

    fn is_none(&self) -> bool {
        self.is_none()
    }

    fn intersect(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.intersect(other, limit)
    }

    fn union(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.union(other, limit)
    }

    fn complement(&self, _: StateBudget<'_>) -> Result<Self, StateLimit> {
        Ok(self.complement())
    }

    fn limited(logic: &Logic<'_>, result: Result<Self, StateLimit>) -> Result<Self, Diagnostic> {
        result.map_err(|_| {
            let text = format!(
                "`multipleOf`: the divisors combined here have more than {MOST_TERMS} least common multiples"
            );
            let error = logic.document.error("json-schema::state-limit", logic.at, text);
            error.with_help("combine at most nine divisors without common factors")
        })
    }

    fn part(part: &Part) -> Option<Self> {
        match part {
            Part::Types(types) if types.contains(TypeSet::NUMBER) => None,
            Part::Types(types) if types.contains(TypeSet::INTEGER) => {
                Some(NumberSet::integers().into())
            }
            Part::Types(types) if types.contains(TypeSet::PLAIN_INTEGER) => {
                Some(Self::plain_integers())
            }
            Part::Types(_) => Some(<Self as ScalarSet>::constant(false)),
            Part::Numbers(numbers) => Some(numbers.clone().into()),
            _ => None,
        }
    }

    fn value(logic: &Logic<'_>, node: NodeId) -> Result<Self, Diagnostic> {
        Ok(match decimal(logic, node)? {
            Some(decimal) => NumberSet::literal(&decimal).into(),
            None => <Self as ScalarSet>::constant(false),
        })
    }

    fn values(logic: &Logic<'_>, nodes: &[NodeId], _: StateBudget<'_>) -> Result<Self, Diagnostic> {
        let numbers = nodes.iter().filter_map(|&node| decimal(logic, node).transpose());
        let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
        Ok(NumberSet::literals(&numbers).into())
    }

    fn scalar(scalar: &Scalar) -> Self {
        match scalar {
            Scalar::Number(decimal) => NumberSet::literal(decimal).into(),
            _ => <Self as ScalarSet>::constant(false),
        }
    }

    fn memo(memo: &mut ScalarMemo) -> &mut BySubject<Self> {
        &mut memo.numbers
    }
}

impl ScalarSet for StringSet {
    fn constant(all: bool) -> Self {
        if all { Self::all() } else { Self::none() }
    }

    fn is_none(&self) -> bool {
        self.is_none()
    }

    fn intersect(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.intersect(other, limit)
    }

    fn union(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.union(other, limit)
    }

    fn complement(&self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.complement(limit)
    }

    fn part(part: &Part) -> Option<Self> {
        match part {
            Part::Types(types) if types.contains(TypeSet::STRING) => None,
            Part::Types(_) => Some(Self::none()),
            Part::Strings(strings) => Some(strings.clone()),
            _ => None,
        }
    }

    fn value(logic: &Logic<'_>, node: NodeId) -> Result<Self, Diagnostic> {
        Ok(match logic.document.json(node) {
            Json::String(text) => Self::literal(text),
            _ => Self::none(),
        })
    }

    fn values(
        logic: &Logic<'_>,
        nodes: &[NodeId],
        limit: StateBudget<'_>,
    ) -> Result<Self, Diagnostic> {
        let texts = nodes.iter().filter_map(|&node| match logic.document.json(node) {
            Json::String(text) => Some(&**text),
            _ => None,
        });
        logic.limited(Self::literals(texts, limit))
    }

    fn scalar(scalar: &Scalar) -> Self {
        match scalar {
            Scalar::String(text) => Self::literal(text),
            _ => Self::none(),
        }
    }

    fn memo(memo: &mut ScalarMemo) -> &mut BySubject<Self> {
        &mut memo.strings
    }
}

/// Returns the number that the document has at `node`, or `None` if the value is no number. A number beyond the limits
/// of decimals is an error.
fn decimal(logic: &Logic<'_>, node: NodeId) -> Result<Option<Decimal>, Diagnostic> {
    let Json::Number(text) = logic.document.json(node) else { return Ok(None) };
    let number = Decimal::parse(text);
    number
        .map(Some)
        .map_err(|error| logic.document.error("json-schema::number-limit", node, error.to_string()))
}
