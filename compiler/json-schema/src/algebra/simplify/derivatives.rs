//! Derivatives of a formula over members or items (Brzozowski's derivatives): the formulas that remain after the next
//! value.
//!
//! Reading a value decides the atoms that concern it. Each such atom names a formula over values, its *subject*. Each
//! subject splits the values in two: those that satisfy it, and the others. Equal remaining formulas are joined.
//!
//! A subject is *monotone* if satisfying it can only help, because no negation concerns it. The derivative for values
//! that fail the subject need not exclude the values that satisfy it. It allows less after them, so the union of both
//! derivatives is the same. This saves the complement of a large schema, which is larger still.
//!
//! Cost: exponential in the number of subjects in the worst case; the limit on work bounds it.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smallvec::{SmallVec, smallvec};

use grammarc_grammar::diagnostics::Diagnostic;

use super::atoms::{Atoms, Derivative};
use super::discriminator::discriminated;
use super::layer::Simplifier;
use super::quick_emptiness::obviously_empty;
use super::steps::Step;
use crate::algebra::logic::formula::{FormulaId, Literal};
use crate::algebra::types::structure::is_scalar;

/// The derivatives of a formula. Most formulas have one, since most values decide no atom.
pub(crate) type Derivatives = SmallVec<[Derivative; 1]>;

/// Maps each remaining formula to the formulas over values after which it remains.
type Found = IndexMap<FormulaId, Vec<FormulaId>, FxBuildHasher>;

/// Returns the derivatives of `formula` for a next value that satisfies `value`. The values of two derivatives may
/// overlap. No remaining formula is false or occurs twice.
pub(crate) fn derivatives<A: Atoms>(
    simplifier: &mut Simplifier<'_>,
    atoms: A,
    formula: FormulaId,
    value: FormulaId,
) -> Result<Derivatives, Diagnostic> {
    let literals = atoms.formulas(&mut simplifier.types).literals(formula);
    if literals.iter().all(|literal| atoms.subject(&simplifier.types, literal.atom).is_none()) {
        // The value decides no atom.
        simplifier.types.spend()?;
        let none = formula == FormulaId::FALSE || obviously_empty(simplifier, value)?;
        let whole = Derivative { value, rest: formula };
        return Ok(if none { Derivatives::new() } else { smallvec![whole] });
    }
    let mut found = Found::default();
    let parts = discriminated(simplifier, atoms, formula, value)?;
    for part in parts.unwrap_or_else(|| vec![Derivative { value, rest: formula }]) {
        by_subject(simplifier, atoms, part, &mut found)?;
    }
    let mut derivatives = Derivatives::with_capacity(found.len());
    for (rest, values) in found {
        let value = simplifier.types.logic.values.or(values);
        derivatives.push(Derivative { value, rest });
    }
    Ok(derivatives)
}

/// A formula some of whose subjects are decided.
#[derive(Clone, Copy)]
struct Open {
    /// Index of the next subject to decide.
    next: usize,
    /// The object or array formula, with the decided atoms replaced.
    formula: FormulaId,
    /// A formula over the next value, with the decisions so far.
    value: FormulaId,
}

/// A subject (formula over values), and the literals that it decides.
struct About {
    /// The formula over values.
    subject: FormulaId,
    /// The literals of the object or array formula whose atoms have this subject.
    literals: Vec<Literal>,
}

/// Splits a formula by one subject after the other, and adds its derivatives to `found`.
fn by_subject<A: Atoms>(
    simplifier: &mut Simplifier<'_>,
    atoms: A,
    whole: Derivative,
    found: &mut Found,
) -> Result<(), Diagnostic> {
    let subjects = subjects(simplifier, atoms, whole.rest);
    let mut open = vec![Open { next: 0, formula: whole.rest, value: whole.value }];
    while let Some(Open { next, formula, value }) = open.pop() {
        simplifier.types.spend()?;
        if formula == FormulaId::FALSE {
            continue;
        }
        let Some(about) = subjects.get(next) else {
            if !obviously_empty(simplifier, value)? {
                found.entry(formula).or_default().push(value);
            }
            continue;
        };
        let next = next + 1;
        let met = decide(simplifier, atoms, formula, about, true);
        let unmet = decide(simplifier, atoms, formula, about, false);
        if met == unmet {
            open.push(Open { next, formula: met, value });
            continue;
        }
        let values = &mut simplifier.types.logic.values;
        let with = values.and([value, about.subject]);
        let not = values.not(about.subject);
        let without = values.and([value, not]);
        if with == FormulaId::FALSE || obviously_empty(simplifier, with)? {
            open.push(Open { next, formula: unmet, value });
            continue;
        }
        let Effect { helps, harms } = effect(simplifier, atoms, formula, about)?;
        // The stack returns the derivative that satisfies the subject first.
        if unmet != FormulaId::FALSE {
            if helps {
                open.push(Open { next, formula: unmet, value });
            } else if without != FormulaId::FALSE && !obviously_empty(simplifier, without)? {
                open.push(Open { next, formula: unmet, value: without });
            }
        }
        if met != FormulaId::FALSE {
            let value = if harms && !helps { value } else { with };
            open.push(Open { next, formula: met, value });
        }
    }
    Ok(())
}

/// Returns the subjects that the next value decides, in the order of the literals about them.
fn subjects<A: Atoms>(simplifier: &mut Simplifier<'_>, atoms: A, formula: FormulaId) -> Vec<About> {
    let mut subjects: IndexMap<FormulaId, Vec<Literal>, FxBuildHasher> = IndexMap::default();
    for &literal in atoms.formulas(&mut simplifier.types).literals(formula).iter() {
        if let Some(subject) = atoms.subject(&simplifier.types, literal.atom) {
            subjects.entry(subject).or_default().push(literal);
        }
    }
    subjects.into_iter().map(|(subject, literals)| About { subject, literals }).collect()
}

/// How satisfying a subject may affect a formula.
struct Effect {
    /// Whether satisfying the subject can only help. Then its complement is not computed.
    helps: bool,
    /// Whether satisfying the subject can only harm. Then the subject itself is not required.
    harms: bool,
}

/// Returns the effect of a subject, judged by the literals about it that are left in a formula. A subject about scalars
/// alone has no effect, since its complement is as small as itself.
fn effect<A: Atoms>(
    simplifier: &mut Simplifier<'_>,
    atoms: A,
    formula: FormulaId,
    about: &About,
) -> Result<Effect, Diagnostic> {
    let (mut helps, mut harms) = (true, true);
    let left = atoms.formulas(&mut simplifier.types).literals(formula);
    for literal in about.literals.iter().filter(|&&literal| left.contains(literal)) {
        let effect = atoms.helps(&simplifier.types, literal.atom);
        helps &= effect == Some(literal.positive);
        harms &= effect == Some(!literal.positive);
    }
    let is_scalar = is_scalar(&mut simplifier.types, about.subject)?;
    if is_scalar || !simplifier.steps.has(Step::Monotone) {
        return Ok(Effect { helps: false, harms: false });
    }
    if helps || harms {
        simplifier.counts.add(Step::Monotone);
    }
    Ok(Effect { helps, harms })
}

/// Returns the formula that remains if the next value satisfies a subject (`satisfied`) or fails it.
fn decide<A: Atoms>(
    simplifier: &mut Simplifier<'_>,
    atoms: A,
    formula: FormulaId,
    about: &About,
    satisfied: bool,
) -> FormulaId {
    let mut decided: Vec<_> =
        about.literals.iter().map(|literal| (literal.atom, formula)).collect();
    decided.sort_unstable();
    decided.dedup();
    for (atom, read) in &mut decided {
        *read = atoms.read(&mut simplifier.types, *atom, satisfied);
    }
    atoms.formulas(&mut simplifier.types).substitute(formula, |atom| {
        let at = decided.binary_search_by_key(&atom, |(atom, _)| *atom).ok()?;
        Some(decided[at].1)
    })
}
