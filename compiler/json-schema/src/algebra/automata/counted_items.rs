//! Large bounds on the number of items beside `contains`, and large bounds of `contains`, as counters.
//!
//! Written out, each number of items is a state for every number of those that `contains` is about. Here a state is what
//! remains but for the large bounds, and a counter keeps each of these: one of all items, and one of the items that a
//! `contains` holds of. A state tells whether the item before is one ([`ArrayAtom::Counted`]), which doubles the states for
//! each counter of that kind, whatever its bounds.
//!
//! Only conjuncts are counted, for counters are kept on every way. Whether all can be kept at once is searched for, since
//! nothing behind this takes a way for one that its counters close.
//!
//! Cost: as the automaton without the bounds, and a search of at most [`MOST_SEARCHED`] steps.

use std::collections::{HashSet, VecDeque};

use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::items::ItemAutomaton;
use crate::algebra::logic::formula::Formula;
use crate::algebra::types::arrays::ArrayAtom;
use crate::algebra::{Algebra, FormulaId};
use crate::read::schema::Bounds;

/// Bounds up to which a number is written out as states.
const FEW: u32 = 8;

/// Most formulas of `contains` that are counted: each doubles the states.
const MOST_COUNTED: usize = 3;

/// Places, by state and counts, up to which a search goes.
const MOST_SEARCHED: usize = 1 << 18;

/// The bounds with those alone that are large, and those alone that are not.
fn parted(bounds: Bounds) -> [Bounds; 2] {
    let is_large = |bound: u32| bound > FEW;
    let large = Bounds {
        min: if is_large(bounds.min) { bounds.min } else { 0 },
        max: bounds.max.filter(|&max| is_large(max)),
    };
    let small = Bounds {
        min: if is_large(bounds.min) { 0 } else { bounds.min },
        max: bounds.max.filter(|&max| !is_large(max)),
    };
    [large, small]
}

impl Algebra<'_> {
    /// The automaton with counters of a formula over arrays; none where no bound is large or none beside `contains`, or where
    /// no array was found that keeps all.
    pub(crate) fn counted_items(
        &mut self,
        formula: FormulaId,
    ) -> Result<Option<ItemAutomaton>, Diagnostic> {
        let literals = self.arrays.formulas.literals(formula);
        let contains =
            |atom: u32| matches!(self.arrays.atoms[atom as usize], ArrayAtom::Contains(..));
        if !literals.iter().any(|literal| contains(literal.atom)) {
            return Ok(None);
        }
        let conjuncts: Vec<FormulaId> = self.arrays.formulas.conjuncts(formula).collect();
        let (mut rest, mut count, mut counted) = (Vec::new(), Bounds::default(), Vec::new());
        for conjunct in conjuncts {
            if let Some(bounds) = self.array_count(conjunct) {
                count = count.intersect(bounds);
                continue;
            }
            let held = match *self.arrays.formulas.get(conjunct) {
                Formula::Literal(literal) if literal.positive => {
                    Some(self.arrays.atoms[literal.atom as usize])
                }
                _ => None,
            };
            match held {
                Some(ArrayAtom::Contains(value, bounds)) if !parted(bounds)[0].is_all() => {
                    let [large, small] = parted(bounds);
                    rest.push(self.arrays.atom(ArrayAtom::Contains(value, small)));
                    counted.push((value, large));
                }
                _ => rest.push(conjunct),
            }
        }
        let [large, small] = parted(count);
        if (large.is_all() && counted.is_empty()) || counted.len() > MOST_COUNTED {
            return Ok(None);
        }
        rest.push(self.arrays.atom(ArrayAtom::Count(small)));
        let counts_all = !large.is_all();
        let mut counters: Vec<Bounds> = Vec::from_iter(counts_all.then_some(large));
        for (value, bounds) in counted {
            let counter = u8::try_from(counters.len()).expect("a few");
            counters.push(bounds);
            rest.push(self.arrays.atom(ArrayAtom::Counted { value, counter, met: false }));
        }
        let rest = self.arrays.formulas.and(rest);
        let states = self.item_states(rest, false)?;
        let automaton = ItemAutomaton { states, distinct: false, counters, counts_all };
        Ok(automaton.keeps_counters(&|_| true).unwrap_or(false).then_some(automaton))
    }
}

impl ItemAutomaton {
    /// The counters that an item lowers which leads to a state.
    pub(crate) fn ticks(&self, state: u32) -> impl Iterator<Item = u8> + '_ {
        let all = self.counts_all.then_some(0);
        all.into_iter().chain(self.states[state as usize].ticks.iter().copied())
    }

    /// Whether some way to an end keeps all counters, over the values that hold; none where the search is too long.
    pub(crate) fn keeps_counters(&self, holds: &impl Fn(FormulaId) -> bool) -> Option<bool> {
        let zero = vec![0u32; self.counters.len()];
        let mut met: HashSet<(u32, Vec<u32>), FxBuildHasher> = HashSet::default();
        let mut open = VecDeque::from([(0u32, zero)]);
        while let Some((state, counts)) = open.pop_front() {
            let record = &self.states[state as usize];
            let enough =
                self.counters.iter().zip(&counts).all(|(bounds, count)| *count >= bounds.min);
            let ends = record.end && record.repeat.is_none_or(|bounds| bounds.min == 0);
            if enough && ends {
                return Some(true);
            }
            for &(_, to) in record.items.iter().filter(|&&(value, _)| holds(value)) {
                let mut next = counts.clone();
                let kept = self.ticks(to).all(|counter| {
                    let Bounds { min, max } = self.counters[usize::from(counter)];
                    let count = &mut next[usize::from(counter)];
                    let goes = max.is_none_or(|max| *count < max);
                    // Counts from the minimum on are alike where there is no maximum.
                    *count = if max.is_none() { (*count + 1).min(min) } else { *count + 1 };
                    goes
                });
                if kept && met.insert((to, next.clone())) {
                    open.push_back((to, next));
                }
            }
            if met.len() > MOST_SEARCHED {
                return None;
            }
        }
        Some(false)
    }
}
