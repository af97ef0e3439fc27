//! Merges formulas with equal contents, by [`Refinement`] (partition refinement) of the content graph.
//!
//! Formulas that differ only in their children start in one class. A class is split while its formulas differ in the
//! classes of their children. So recursive schemas of equal meaning merge too.
//!
//! Cost: each round visits the formulas with a child whose class changed. A chain of schemas takes as many rounds as it
//! is long.

use std::hash::{Hash, Hasher};

use grammarc_grammar::automata::{ALONE, Refinement};
use grammarc_grammar::budget::Budget;
use grammarc_grammar::graph::Lists;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::graph::ContentGraph;
use super::node::Content;

/// Estimated budget steps for a visit of a formula, without the formulas over its members and items.
const STEPS_A_FORMULA: usize = 1 << 5;

/// Replaces every formula on an edge by the first formula that the same values satisfy; the others become unreachable.
/// If the budget is spent, nothing is replaced.
pub(crate) fn merge(graph: &mut ContentGraph, budget: &Budget) {
    if let Some(first) = first_equals(graph, budget) {
        graph.rename(&first);
    }
}

/// Returns for each formula the index of the first formula with an equal content (the same scalars and equal automata).
/// Returns `None` if all contents differ, or if the budget is spent.
fn first_equals(graph: &ContentGraph, budget: &Budget) -> Option<Vec<usize>> {
    let shapes = shapes(graph)?;
    let children: Lists = graph
        .contents
        .iter()
        .map(|content| {
            let mut children = Vec::new();
            content.for_each_value(|child| children.push(graph.index(child)));
            children
        })
        .collect();
    let parents = (0..graph.len() as u32)
        .flat_map(|parent| children.of(parent as usize).iter().map(move |&child| (child, parent)));
    let mut partition = Refinement::new(shapes, Lists::of_pairs(graph.len(), parents));
    while !partition.is_stable() {
        let round = partition.round(|formula, classes, words| {
            let children = children.of(formula as usize);
            words.extend(children.iter().map(|&child| classes.before(child)));
            budget.spend(STEPS_A_FORMULA + children.len())
        });
        round.ok()?;
    }
    let mut first = FxHashMap::default();
    let classes = (0..graph.len()).map(|id| *first.entry(partition.class(id as u32)).or_insert(id));
    Some(classes.collect())
}

/// Returns for each formula a class number. Two formulas share a class if their contents (scalars and automata) are
/// equal except for the formulas on edges. Returns `None` if no two share a class.
#[expect(
    clippy::mutable_key_type,
    reason = "automata of sets of strings are made when they are asked for, which no hash looks at"
)]
fn shapes(graph: &ContentGraph) -> Option<Vec<u32>> {
    let mut known = FxHashMap::with_capacity_and_hasher(graph.len(), FxBuildHasher);
    let mut classes: Vec<u32> = Vec::with_capacity(graph.len());
    let mut counts: Vec<u32> = Vec::new();
    for content in &graph.contents {
        let class = *known.entry(Shape(content)).or_insert(counts.len());
        if class == counts.len() {
            counts.push(0);
        }
        counts[class] += 1;
        classes.push(class as u32);
    }
    for (id, class) in (0..).zip(&mut classes).filter(|(_, class)| counts[**class as usize] == 1) {
        *class = ALONE | id;
    }
    (counts.len() < classes.len()).then_some(classes)
}

/// A content (scalars and automata of a formula) that is compared without the formulas on edges. Two contents are equal
/// if only these formulas differ.
struct Shape<'a>(&'a Content);

impl PartialEq for Shape<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (Content { scalars, arrays, objects }, other) = (self.0, other.0);
        let same_arrays = same(arrays.as_deref(), other.arrays.as_deref(), |a, b| {
            let same_states = same(Some(&a.states), Some(&b.states), |a, b| {
                let targets = |a: &(_, u32), b: &(_, u32)| a.1 == b.1;
                (a.end, a.repeat) == (b.end, b.repeat)
                    && same(Some(&a.items), Some(&b.items), targets)
            });
            a.distinct == b.distinct && same_states
        });
        let same_objects = same(objects.as_deref(), other.objects.as_deref(), |a, b| {
            let same_states = same(Some(&a.states), Some(&b.states), |a, b| {
                (a.skip, a.end, a.repeat) == (b.skip, b.end, b.repeat)
                    && same(Some(&a.members), Some(&b.members), |a, b| {
                        (&a.name, a.to, a.mark) == (&b.name, b.to, b.mark)
                    })
            });
            (a.marks, a.distinct) == (b.marks, b.distinct) && same_states
        });
        *scalars == other.scalars && same_arrays && same_objects
    }
}

impl Eq for Shape<'_> {}

impl Hash for Shape<'_> {
    /// Hashes those parts of the content that distinguish most contents.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Content { scalars, arrays, objects } = self.0;
        scalars.hash(state);
        (arrays.is_none(), objects.is_none()).hash(state);
        for automaton in arrays.iter().flatten() {
            automaton.states.len().hash(state);
            automaton.states.iter().for_each(|items| (items.end, items.repeat).hash(state));
        }
        for members in objects.iter().flatten().flat_map(|automaton| &automaton.states) {
            (members.skip, members.end, members.repeat).hash(state);
            members.members.iter().for_each(|member| (&member.name, member.to).hash(state));
        }
    }
}

/// Returns whether two optional lists are both absent, or have pairwise equal elements. `same` compares two elements.
fn same<T>(a: Option<&[T]>, b: Option<&[T]>, same: impl Fn(&T, &T) -> bool) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (a, b) => a.is_none() && b.is_none(),
    }
}
