//! Counters for large bounds of `minItems`, `maxItems`, `minContains` and `maxContains` in arrays with `contains`.
//!
//! Without counters, each count is unrolled into states, and the states are the product of both counts. With counters,
//! a state is the formula that remains without the large bounds. One counter counts all items. Another counter for each
//! `contains` counts the items that satisfy its schema. A state then says whether the item just read satisfies that
//! schema ([`ArrayAtom::Counted`]), which doubles the states for each such counter.
//!
//! Only conjuncts get counters, since a counter constrains every path. Later passes do not notice that the bounds of
//! counters exclude a path. So a search checks that at least one array satisfies all counters.
//!
//! Cost: the automaton without the large bounds, and a bounded [search](ItemAutomaton::keeps_counters).

use grammarc_grammar::diagnostics::Diagnostic;

use super::item_automaton::ItemAutomaton;
use super::items::item_states;
use crate::algebra::logic::formula::{Formula, FormulaId};
use crate::algebra::simplify::layer::Simplifier;
use crate::algebra::simplify::steps::Step;
use crate::algebra::types::array_atoms::ArrayAtom;
use crate::read::schema::Bounds;

/// Largest bound on a number of items that is unrolled into one automaton state for each number. A larger bound becomes
/// a counter.
const FEW: u32 = 8;

/// Most `contains` keywords of an array that become counters: each doubles the states. With more, all bounds are
/// unrolled.
const MOST_COUNTED: usize = 3;

/// Splits bounds on a number of items into large ones, above [`FEW`], and small ones. Returns `[large, small]`.
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

/// Builds an automaton with counters over the items of an array formula's arrays. Returns `None` if the simplifier step
/// is switched off, if there is no `contains`, or if no bound is large. Also returns `None` beyond [`MOST_COUNTED`],
/// and if the search finds no array that satisfies all counters.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn counted_items(
    simplifier: &mut Simplifier<'_>,
    formula: FormulaId,
) -> Result<Option<ItemAutomaton>, Diagnostic> {
    if !simplifier.steps.has(Step::CountedItems) {
        return Ok(None);
    }
    let literals = simplifier.types.arrays.formulas.literals(formula);
    let contains =
        |atom: u32| matches!(simplifier.types.arrays.atoms[atom as usize], ArrayAtom::Contains(..));
    if !literals.iter().any(|literal| contains(literal.atom)) {
        return Ok(None);
    }
    let conjuncts: Vec<FormulaId> = simplifier.types.arrays.formulas.conjuncts(formula).collect();
    let (mut rest, mut count, mut counted) = (Vec::new(), Bounds::default(), Vec::new());
    for conjunct in conjuncts {
        if let Some(bounds) = simplifier.types.arrays.count(conjunct) {
            count = count.intersect(bounds);
            continue;
        }
        let held = match *simplifier.types.arrays.formulas.get(conjunct) {
            Formula::Literal(literal) if literal.positive => {
                Some(simplifier.types.arrays.atoms[literal.atom as usize])
            }
            _ => None,
        };
        match held {
            Some(ArrayAtom::Contains(value, bounds)) if !parted(bounds)[0].is_all() => {
                let [large, small] = parted(bounds);
                rest.push(simplifier.types.arrays.atom(ArrayAtom::Contains(value, small)));
                counted.push((value, large));
            }
            _ => rest.push(conjunct),
        }
    }
    let [large, small] = parted(count);
    if (large.is_all() && counted.is_empty()) || counted.len() > MOST_COUNTED {
        return Ok(None);
    }
    rest.push(simplifier.types.arrays.atom(ArrayAtom::Count(small)));
    let counts_all = !large.is_all();
    let mut counters: Vec<Bounds> = Vec::from_iter(counts_all.then_some(large));
    for (value, bounds) in counted {
        let counter = u8::try_from(counters.len()).expect("a few");
        counters.push(bounds);
        rest.push(simplifier.types.arrays.atom(ArrayAtom::Counted { value, counter, met: false }));
    }
    let rest = simplifier.types.arrays.formulas.and(rest);
    let states = item_states(simplifier, rest, false)?;
    let automaton = ItemAutomaton { states, distinct: false, counters, counts_all };
    if automaton.keeps_counters(&|_| true) != Some(true) {
        return Ok(None);
    }
    simplifier.counts.add(Step::CountedItems);
    Ok(Some(automaton))
}
