//! Rebuilds formulas from their leaves: negation, replacement of literals, operands in sorted order.
//!
//! Each transformation is one walk in post-order. It has an explicit stack, since formulas nest as deep as an `oneOf`
//! has branches. The results for operators are memoised.
//!
//! Cost: linear in the distinct subformulas, the first time.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::formula::{Formula, FormulaId, Formulas, Literal, constants};

/// Maps each formula of an arena to the result of one transformation of formulas.
pub(crate) type Known = FxHashMap<FormulaId, FormulaId>;

/// A transformation of formulas, from the leaves up.
trait Rebuild {
    /// Returns the formula that replaces a literal (an atom or its negation); `id` is the formula that consists of the
    /// literal.
    fn literal(&mut self, formulas: &mut Formulas, id: FormulaId, literal: Literal) -> FormulaId;
    /// Returns the formula that replaces an operator, given its transformed operands. The operator is a conjunction if
    /// `all`, else a disjunction.
    fn join(&mut self, formulas: &mut Formulas, operands: Vec<FormulaId>, all: bool) -> FormulaId;
    /// Whether the transformation exchanges true and false, and conjunctions and disjunctions.
    const NEGATES: bool = false;
    /// Whether an operator stays as it is if none of its operands changes.
    const KEEPS: bool = false;
}

/// An operator on the stack whose operands are being transformed.
struct Frame {
    /// The formula before the transformation, a conjunction or disjunction.
    id: FormulaId,
    /// The operands of the formula before the transformation.
    operands: Rc<[FormulaId]>,
    /// Whether the formula is a conjunction; otherwise it is a disjunction.
    all: bool,
    /// Index of the operand that is transformed at the moment.
    at: usize,
    /// The transformed operands so far; `None` while none has changed, if unchanged operators stay.
    new: Option<Vec<FormulaId>>,
}

/// Transforms a formula from its leaves up, as `how` says. `known` holds earlier results of the same transformation.
fn rebuild<R: Rebuild>(
    formulas: &mut Formulas,
    id: FormulaId,
    known: &mut Known,
    how: &mut R,
) -> FormulaId {
    let mut open: SmallVec<[Frame; 2]> = SmallVec::new();
    let mut next = id;
    'down: loop {
        let mut done = match formulas.get(next) {
            Formula::True | Formula::False if !R::NEGATES => next,
            Formula::True => FormulaId::FALSE,
            Formula::False => FormulaId::TRUE,
            Formula::Literal(literal) => {
                let literal = *literal;
                how.literal(formulas, next, literal)
            }
            operator => match known.get(&next) {
                Some(&done) => done,
                None => {
                    let (operands, all) = match operator {
                        Formula::And(operands) => (operands.clone(), true),
                        Formula::Or(operands) => (operands.clone(), false),
                        _ => return next,
                    };
                    let new = (!R::KEEPS).then(|| Vec::with_capacity(operands.len()));
                    let first = operands[0];
                    open.push(Frame { id: next, operands, all, at: 0, new });
                    next = first;
                    continue 'down;
                }
            },
        };
        // Hands the result to the enclosing operator, until an operator has operands left.
        while let Some(frame) = open.last_mut() {
            let Frame { operands, all, at, new, .. } = frame;
            if done != operands[*at] || new.is_some() {
                new.get_or_insert_with(|| operands[..*at].to_vec()).push(done);
            }
            *at += 1;
            let (_, deciding) = constants(*all != R::NEGATES);
            if done != deciding && *at < operands.len() {
                next = operands[*at];
                continue 'down;
            }
            let Some(Frame { id, all, new, .. }) = open.pop() else { break };
            done = new.map_or(id, |new| how.join(formulas, new, all));
            known.insert(id, done);
        }
        return done;
    }
}

/// The transformation that replaces every literal (atom or negated atom) by the formula that a function returns for it.
struct Replace<'w, F>(&'w mut F);

impl<F: FnMut(&mut Formulas, Literal) -> FormulaId> Rebuild for Replace<'_, F> {
    const KEEPS: bool = true;

    fn literal(&mut self, formulas: &mut Formulas, _: FormulaId, literal: Literal) -> FormulaId {
        (self.0)(formulas, literal)
    }

    fn join(&mut self, formulas: &mut Formulas, operands: Vec<FormulaId>, all: bool) -> FormulaId {
        formulas.join(operands, all)
    }
}

/// The transformation that negates a formula in negation normal form, where only atoms are negated.
struct Negate;

impl Rebuild for Negate {
    const NEGATES: bool = true;

    fn literal(&mut self, formulas: &mut Formulas, _: FormulaId, literal: Literal) -> FormulaId {
        formulas.literal(literal.atom, !literal.positive)
    }

    fn join(&mut self, formulas: &mut Formulas, operands: Vec<FormulaId>, all: bool) -> FormulaId {
        formulas.join(operands, !all)
    }
}

/// The transformation that sorts the operands of every operator by formula number.
struct Sort;

impl Rebuild for Sort {
    fn literal(&mut self, _: &mut Formulas, id: FormulaId, _: Literal) -> FormulaId {
        id
    }

    fn join(
        &mut self,
        formulas: &mut Formulas,
        mut operands: Vec<FormulaId>,
        all: bool,
    ) -> FormulaId {
        operands.sort_unstable();
        formulas.join(operands, all)
    }
}

impl Formulas {
    /// Returns the negation of a formula. Takes time linear in the formula the first time.
    pub(crate) fn not(&mut self, id: FormulaId) -> FormulaId {
        let mut known = std::mem::take(&mut self.negations);
        let negation = match known.get(&id) {
            Some(&negation) => negation,
            None => {
                let negation = rebuild(self, id, &mut known, &mut Negate);
                known.insert(id, negation);
                known.insert(negation, id);
                negation
            }
        };
        self.negations = known;
        negation
    }

    /// Returns a formula that holds if exactly one operand does. Each step extends two running formulas, "exactly one
    /// so far" and "none so far". So the size is linear in the number of operands.
    pub(crate) fn exactly_one(&mut self, operands: &[FormulaId]) -> FormulaId {
        let mut one = FormulaId::FALSE;
        let mut none = FormulaId::TRUE;
        for &operand in operands {
            let not = self.not(operand);
            let kept = self.and([one, not]);
            let new = self.and([none, operand]);
            one = self.or([kept, new]);
            none = self.and([none, not]);
        }
        one
    }

    /// Returns the formula with every literal (an atom or its negation) replaced by the formula that `with` returns for
    /// it. `known` keeps results between calls and must belong to one replacement.
    pub(crate) fn replace(
        &mut self,
        id: FormulaId,
        known: &mut Known,
        with: &mut impl FnMut(&mut Self, Literal) -> FormulaId,
    ) -> FormulaId {
        rebuild(self, id, known, &mut Replace(with))
    }

    /// Returns the formula with its atoms (variables) replaced by the formulas that `of` returns for them. An atom for
    /// which `of` returns `None` stays.
    pub(crate) fn substitute(
        &mut self,
        id: FormulaId,
        of: impl Fn(u32) -> Option<FormulaId>,
    ) -> FormulaId {
        self.replace(id, &mut Known::default(), &mut |formulas, literal| match of(literal.atom) {
            Some(replaced) if literal.positive => replaced,
            Some(replaced) => formulas.not(replaced),
            None => formulas.literal(literal.atom, literal.positive),
        })
    }

    /// Returns the formula with the operands of every operator in ascending order. Formulas that differ only in the
    /// order of operands become one. `known` keeps results between calls.
    pub(crate) fn sorted(&mut self, id: FormulaId, known: &mut Known) -> FormulaId {
        let done = rebuild(self, id, known, &mut Sort);
        if done != id {
            known.insert(done, done);
        }
        done
    }
}
