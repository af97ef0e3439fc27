//! Formulas rebuilt from their leaves: negation, replacement of literals, operands in sorted order.
//!
//! Each is one walk in post-order with an explicit stack, since formulas nest as deep as an `oneOf` has branches. Results of
//! operators are memoised.
//!
//! Cost: linear in the distinct formulas below, the first time.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::formula::{Formula, FormulaId, Formulas, Literal, constants};

/// Results by formula.
pub(crate) type Known = FxHashMap<FormulaId, FormulaId>;

/// A transformation of formulas, from the leaves up.
trait Rebuild {
    /// The result for a literal.
    fn literal(&mut self, formulas: &mut Formulas, id: FormulaId, literal: Literal) -> FormulaId;
    /// The result for an operator with these operands; `all` for a conjunction.
    fn join(&mut self, formulas: &mut Formulas, operands: Vec<FormulaId>, all: bool) -> FormulaId;
    /// Whether constants and operators are inverted.
    const NEGATES: bool = false;
    /// Whether an operator is kept as it is if none of its operands changes.
    const KEEPS: bool = false;
}

/// An operator whose operands are being made anew.
struct Frame {
    id: FormulaId,
    operands: Rc<[FormulaId]>,
    all: bool,
    /// Place of the operand at hand.
    at: usize,
    /// New operands so far; `None` while none has changed, if operators may be kept.
    new: Option<Vec<FormulaId>>,
}

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
        // Hands the result to the operator around it, and that one's to the next, until one has operands left.
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

/// Literals replaced.
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

/// The opposite, in negation normal form.
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

/// Operands in the order of their numbers.
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
    /// The formula that holds where this one does not. Linear in the formula the first time.
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

    /// Exactly one of the operands, as a ladder. Each step extends "exactly one so far" and "none so far", so the size is
    /// linear in the operands.
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

    /// The formula with every literal replaced. `known` carries results from call to call of one replacement.
    pub(crate) fn replace(
        &mut self,
        id: FormulaId,
        known: &mut Known,
        with: &mut impl FnMut(&mut Self, Literal) -> FormulaId,
    ) -> FormulaId {
        rebuild(self, id, known, &mut Replace(with))
    }

    /// Replaces atoms by formulas. An atom for which `of` returns `None` stays.
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

    /// The formula with operands in the order of their numbers, so that formulas that differ in the order of operands
    /// alone are one. `known` carries results from call to call.
    pub(crate) fn sorted(&mut self, id: FormulaId, known: &mut Known) -> FormulaId {
        let done = rebuild(self, id, known, &mut Sort);
        if done != id {
            known.insert(done, done);
        }
        done
    }
}
