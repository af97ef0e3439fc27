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

/// The derivatives of an object or array formula with respect to its next member or item. Most formulas have one, since
/// most members and items concern no fact (atom) of the formula.
pub(crate) type Derivatives = SmallVec<[Derivative; 1]>;

/// Maps each formula that may remain after the next member or item to the conditions on that member's or item's value
/// under which it remains.
type Found = IndexMap<FormulaId, Vec<FormulaId>, FxBuildHasher>;

/// Returns the derivatives of an object or array formula: for each kind of next member or item, what the rest of the
/// object or array must satisfy. The next value satisfies `value`. The conditions of two derivatives may overlap. No
/// remaining formula is false or occurs twice.
pub(crate) fn derivatives<A: Atoms>(
    simplifier: &mut Simplifier<'_>,
    atoms: A,
    formula: FormulaId,
    value: FormulaId,
) -> Result<Derivatives, Diagnostic> {
    let literals = atoms.formulas(&mut simplifier.types).literals(formula);
    if literals.iter().all(|literal| atoms.subject(&simplifier.types, literal.atom).is_none()) {
        // The next value decides no atom (basic fact) of the formula, so the formula remains as it is.
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

/// An object or array formula during its split by subjects, the formulas over values that decide its atoms. Some
/// subjects are decided.
#[derive(Clone, Copy)]
struct Open {
    /// Index of the next subject (condition on the next value) to decide.
    next: usize,
    /// The object or array formula, with the decided atoms (basic facts about members or items) replaced.
    formula: FormulaId,
    /// A formula over the next value: its condition at the start, and every decision so far that the value satisfies or
    /// fails a subject.
    value: FormulaId,
}

/// A subject (condition on the next value, as a formula), and the literals (atoms or negated atoms) whose truth it
/// decides.
struct About {
    /// The subject: a formula that the next value satisfies or fails.
    subject: FormulaId,
    /// The literals (atoms or negated atoms) of the object or array formula whose truth depends on this subject.
    literals: Vec<Literal>,
}

/// Computes the derivatives of an object or array formula with respect to its next member or item, and adds them to
/// `found`. Each condition on the next value (subject) in turn splits the formula: the value satisfies it, or fails it.
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
        // The stack returns first the case in which the next value satisfies the subject.
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

/// Returns the conditions on the next value (subjects) on which the formula depends, each with its literals (atoms or
/// negated atoms). They are in the order of the literals.
fn subjects<A: Atoms>(simplifier: &mut Simplifier<'_>, atoms: A, formula: FormulaId) -> Vec<About> {
    let mut subjects: IndexMap<FormulaId, Vec<Literal>, FxBuildHasher> = IndexMap::default();
    for &literal in atoms.formulas(&mut simplifier.types).literals(formula).iter() {
        if let Some(subject) = atoms.subject(&simplifier.types, literal.atom) {
            subjects.entry(subject).or_default().push(literal);
        }
    }
    subjects.into_iter().map(|(subject, literals)| About { subject, literals }).collect()
}

/// How an object or array formula may change if the next value satisfies a subject (a condition on that value) instead
/// of failing it.
struct Effect {
    /// Whether a value that satisfies the subject (condition on the value) can only help the formula. Then the
    /// complement of the subject is not computed.
    helps: bool,
    /// Whether a value that satisfies the subject (condition on the value) can only harm the formula. Then no
    /// derivative requires the subject itself.
    harms: bool,
}

/// Returns whether a subject (condition on the next value) can only help or only harm a formula, judged by the literals
/// about it that are left. For a subject about scalars both are `false`, since its complement is as small as itself.
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

/// Returns the formula that remains if the next value satisfies a subject, a condition on that value. If `satisfied` is
/// `false`, the value fails the subject.
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
