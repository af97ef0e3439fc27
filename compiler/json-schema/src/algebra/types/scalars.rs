//! Schemas of null, the booleans, numbers and strings: sets that combine exactly.

use std::rc::Rc;

use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use crate::algebra::logic::domain::{Domain, evaluate};
use crate::algebra::{Algebra, ByFormula, BySubject, FormulaId, Scalar};
use crate::document::{Json, NodeId};
use crate::read::schema::{Part, SchemaId};
use crate::values::numbers::{Decimal, NumberForm, NumberSet, NumeralSet};
use crate::values::strings::StringSet;
use crate::values::types::TypeSet;

/// The sets found so far.
#[derive(Debug)]
pub(crate) struct Memo {
    constants: BySubject<u8>,
    numbers: BySubject<NumeralSet>,
    strings: BySubject<StringSet>,
    by_formula: ByFormula<Rc<Scalars>>,
}

impl Memo {
    /// With room for so many subjects.
    pub(crate) fn with_capacity(subjects: usize) -> Self {
        Self {
            constants: BySubject::with_capacity(subjects),
            numbers: BySubject::with_capacity(subjects),
            strings: BySubject::with_capacity(subjects),
            by_formula: ByFormula::with_capacity_and_hasher(subjects, FxBuildHasher),
        }
    }
}

/// The scalars that a formula holds for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scalars {
    /// `null`.
    pub(crate) null: bool,
    /// `false`.
    pub(crate) no: bool,
    /// `true`.
    pub(crate) yes: bool,
    /// Numbers.
    pub(crate) numbers: NumeralSet,
    /// Strings.
    pub(crate) strings: StringSet,
}

impl Scalars {
    /// Whether there are none.
    pub(crate) fn is_none(&self) -> bool {
        !self.null && !self.no && !self.yes && self.numbers.is_none() && self.strings.is_none()
    }

    /// All of them, where they are at most so many.
    pub(crate) fn finite(&self, limit: usize) -> Option<Vec<Scalar>> {
        let mut all = Vec::new();
        all.extend(self.null.then_some(Scalar::Null));
        all.extend(self.no.then_some(Scalar::Boolean(false)));
        all.extend(self.yes.then_some(Scalar::Boolean(true)));
        all.extend(self.numbers.finite(limit)?.into_iter().map(Scalar::Number));
        let strings = self.strings.finite(limit)?.into_iter();
        all.extend(strings.map(|text| Scalar::String(text.into())));
        (all.len() <= limit).then_some(all)
    }
}

/// Work of finding the scalars of a formula, besides the states of its strings.
const SCALARS_WORK: usize = 16;

/// Length up to which strings are told from others by a state for each length.
const COUNTED: u32 = 64;

/// Why a set of strings is narrower.
const LONG: &str = "of strings too long for what is excluded, those with its pattern are left out";

impl Algebra<'_> {
    /// All values that a formula holds for, where they are scalars and at most so many.
    pub(crate) fn finite(
        &mut self,
        formula: FormulaId,
        limit: usize,
    ) -> Result<Option<Vec<Scalar>>, Diagnostic> {
        let structured = self.object_formula(formula)? != FormulaId::FALSE
            || self.array_formula(formula)? != FormulaId::FALSE;
        if structured { Ok(None) } else { Ok(self.scalars(formula)?.finite(limit)) }
    }

    /// The scalars that a formula holds for, as they are written: without long strings that take a state for each length
    /// to tell them from others.
    pub(crate) fn written_scalars(&mut self, formula: FormulaId) -> Result<Scalars, Diagnostic> {
        let mut scalars = Scalars::clone(&*self.scalars(formula)?);
        if let Some(strings) = scalars.strings.without_long(COUNTED) {
            scalars.strings = strings;
            self.note(formula, Verdict::Narrower, LONG, |part| matches!(part, Part::Strings(_)));
        }
        Ok(scalars)
    }

    /// The scalars that a formula holds for.
    pub(crate) fn scalars(&mut self, formula: FormulaId) -> Result<Rc<Scalars>, Diagnostic> {
        if let Some(known) = self.scalars.by_formula.get(&formula) {
            return Ok(Rc::clone(known));
        }
        // A limit is then blamed on the schema of these values and not on the object around them.
        let place = self.place(formula).unwrap_or(self.at);
        let outer = std::mem::replace(&mut self.at, place);
        // Formulas grow by one operand at a time where cases are told apart, and so do their sets.
        let start = self.values.all_but_last(formula).and_then(|(start, last)| {
            let known = self.scalars.by_formula.get(&start)?;
            Some((known.clone(), last))
        });
        let mut scalars = match start {
            Some((known, last)) => {
                let last = self.scalars(last)?;
                Scalars {
                    null: known.null && last.null,
                    no: known.no && last.no,
                    yes: known.yes && last.yes,
                    numbers: Numbers::and(self, &known.numbers, &last.numbers)?,
                    strings: Strings::and(self, &known.strings, &last.strings)?,
                }
            }
            None => {
                let constants = evaluate::<Constants>(self, formula)?;
                Scalars {
                    null: constants & NULL != 0,
                    no: constants & NO != 0,
                    yes: constants & YES != 0,
                    numbers: evaluate::<Numbers>(self, formula)?,
                    strings: evaluate::<Strings>(self, formula)?,
                }
            }
        };
        if self.text.numbers == NumberForm::Canonical {
            scalars.numbers = self.limited(scalars.numbers.canonical(self.limits.states))?;
        }
        self.at = outer;
        self.work += SCALARS_WORK + scalars.strings.states();
        let scalars = Rc::new(scalars);
        self.scalars.by_formula.insert(formula, Rc::clone(&scalars));
        Ok(scalars)
    }
}

const NULL: u8 = 1;
const NO: u8 = 2;
const YES: u8 = 4;

/// Sets of null, false and true, as bits.
struct Constants;

impl Domain for Constants {
    type Set = u8;

    fn constant(all: bool) -> u8 {
        if all { NULL | NO | YES } else { 0 }
    }

    fn is_none(set: &u8) -> bool {
        *set == 0
    }

    fn and(_: &mut Algebra<'_>, a: &u8, b: &u8) -> Result<u8, Diagnostic> {
        Ok(a & b)
    }

    fn or(_: &mut Algebra<'_>, a: &u8, b: &u8) -> Result<u8, Diagnostic> {
        Ok(a | b)
    }

    fn not(_: &mut Algebra<'_>, set: &u8) -> Result<u8, Diagnostic> {
        Ok(Self::constant(true) & !set)
    }

    fn part(
        _: &mut Algebra<'_>,
        _: SchemaId,
        _: NodeId,
        part: &Part,
    ) -> Result<Option<u8>, Diagnostic> {
        let Part::Types(types) = part else { return Ok(None) };
        let null = if types.contains(TypeSet::NULL) { NULL } else { 0 };
        Ok(Some(null | if types.contains(TypeSet::BOOLEAN) { NO | YES } else { 0 }))
    }

    fn value(algebra: &mut Algebra<'_>, node: NodeId) -> Result<u8, Diagnostic> {
        Ok(match algebra.document.json(node) {
            Json::Null => NULL,
            Json::Bool(false) => NO,
            Json::Bool(true) => YES,
            _ => 0,
        })
    }

    fn scalar(_: &mut Algebra<'_>, scalar: &Scalar) -> u8 {
        match scalar {
            Scalar::Null => NULL,
            Scalar::Boolean(false) => NO,
            Scalar::Boolean(true) => YES,
            _ => 0,
        }
    }

    fn memo<'m>(algebra: &'m mut Algebra<'_>) -> &'m mut BySubject<u8> {
        &mut algebra.scalars.constants
    }
}

/// Sets of numbers.
struct Numbers;

impl Domain for Numbers {
    type Set = NumeralSet;

    fn constant(all: bool) -> NumeralSet {
        if all { NumberSet::all() } else { NumberSet::none() }.into()
    }

    fn is_none(set: &NumeralSet) -> bool {
        set.is_none()
    }

    fn and(
        algebra: &mut Algebra<'_>,
        a: &NumeralSet,
        b: &NumeralSet,
    ) -> Result<NumeralSet, Diagnostic> {
        algebra.limited(a.intersect(b, algebra.limits.states))
    }

    fn or(
        algebra: &mut Algebra<'_>,
        a: &NumeralSet,
        b: &NumeralSet,
    ) -> Result<NumeralSet, Diagnostic> {
        algebra.limited(a.union(b, algebra.limits.states))
    }

    fn not(algebra: &mut Algebra<'_>, set: &NumeralSet) -> Result<NumeralSet, Diagnostic> {
        algebra.limited(set.complement(algebra.limits.states))
    }

    fn part(
        _: &mut Algebra<'_>,
        _: SchemaId,
        _: NodeId,
        part: &Part,
    ) -> Result<Option<NumeralSet>, Diagnostic> {
        Ok(match part {
            Part::Types(types) if types.contains(TypeSet::NUMBER) => None,
            Part::Types(types) if types.contains(TypeSet::INTEGER) => {
                Some(NumberSet::integers().into())
            }
            Part::Types(types) if types.contains(TypeSet::PLAIN_INTEGER) => {
                Some(NumeralSet::plain_integers())
            }
            Part::Types(_) => Some(Self::constant(false)),
            Part::Numbers(numbers) => Some(numbers.clone().into()),
            _ => None,
        })
    }

    fn value(algebra: &mut Algebra<'_>, node: NodeId) -> Result<NumeralSet, Diagnostic> {
        let Json::Number(text) = algebra.document.json(node) else {
            return Ok(Self::constant(false));
        };
        Ok(NumberSet::literal(&decimal(algebra, node, text)?).into())
    }

    fn values(algebra: &mut Algebra<'_>, nodes: &[NodeId]) -> Result<NumeralSet, Diagnostic> {
        let mut numbers = Vec::new();
        for &node in nodes {
            if let Json::Number(text) = algebra.document.json(node) {
                numbers.push(decimal(algebra, node, text)?);
            }
        }
        Ok(NumberSet::literals(&numbers).into())
    }

    fn scalar(_: &mut Algebra<'_>, scalar: &Scalar) -> NumeralSet {
        match scalar {
            Scalar::Number(decimal) => NumberSet::literal(decimal).into(),
            _ => Self::constant(false),
        }
    }

    fn memo<'m>(algebra: &'m mut Algebra<'_>) -> &'m mut BySubject<NumeralSet> {
        &mut algebra.scalars.numbers
    }
}

/// Sets of strings.
pub(crate) struct Strings;

impl Domain for Strings {
    type Set = StringSet;

    fn constant(all: bool) -> StringSet {
        if all { StringSet::all() } else { StringSet::none() }
    }

    fn is_none(set: &StringSet) -> bool {
        set.is_none()
    }

    fn and(
        algebra: &mut Algebra<'_>,
        a: &StringSet,
        b: &StringSet,
    ) -> Result<StringSet, Diagnostic> {
        algebra.limited(a.intersect(b, algebra.limits.states))
    }

    fn or(
        algebra: &mut Algebra<'_>,
        a: &StringSet,
        b: &StringSet,
    ) -> Result<StringSet, Diagnostic> {
        algebra.limited(a.union(b, algebra.limits.states))
    }

    fn not(algebra: &mut Algebra<'_>, set: &StringSet) -> Result<StringSet, Diagnostic> {
        algebra.limited(set.complement(algebra.limits.states))
    }

    fn part(
        _: &mut Algebra<'_>,
        _: SchemaId,
        _: NodeId,
        part: &Part,
    ) -> Result<Option<StringSet>, Diagnostic> {
        Ok(match part {
            Part::Types(types) if types.contains(TypeSet::STRING) => None,
            Part::Types(_) => Some(StringSet::none()),
            Part::Strings(strings) => Some(strings.clone()),
            _ => None,
        })
    }

    fn value(algebra: &mut Algebra<'_>, node: NodeId) -> Result<StringSet, Diagnostic> {
        Ok(match algebra.document.json(node) {
            Json::String(text) => StringSet::literal(text),
            _ => StringSet::none(),
        })
    }

    fn values(algebra: &mut Algebra<'_>, nodes: &[NodeId]) -> Result<StringSet, Diagnostic> {
        let document = algebra.document;
        let texts = nodes.iter().filter_map(|&node| match document.json(node) {
            Json::String(text) => Some(&**text),
            _ => None,
        });
        algebra.limited(StringSet::literals(texts, algebra.limits.states))
    }

    fn scalar(_: &mut Algebra<'_>, scalar: &Scalar) -> StringSet {
        match scalar {
            Scalar::String(text) => StringSet::literal(text),
            _ => StringSet::none(),
        }
    }

    fn memo<'m>(algebra: &'m mut Algebra<'_>) -> &'m mut BySubject<StringSet> {
        &mut algebra.scalars.strings
    }
}

fn decimal(algebra: &Algebra<'_>, node: NodeId, text: &str) -> Result<Decimal, Diagnostic> {
    Decimal::parse(text).map_err(|error| {
        algebra.document.error("json-schema::number-limit", node, error.to_string())
    })
}
