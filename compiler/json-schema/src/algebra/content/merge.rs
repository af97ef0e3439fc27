//! Formulas with equal contents become one: partition refinement on the content graph (Hopcroft).
//!
//! Formulas that differ in their children alone start in one class. A class is split while its members differ in the classes
//! of their children. Recursive schemas of equal meaning merge too.
//!
//! Cost: a round visits formulas with a child whose class changed, so a chain of schemas costs its length.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::graph::ContentGraph;
use super::node::Content;
use crate::algebra::logic::formula::FormulaId;

/// Replaces every formula by the first one with an equal content. The others become unreachable.
pub(crate) fn merge(graph: &mut ContentGraph) {
    if let Some(first) = classes(graph) {
        graph.rename(&first);
    }
}

/// For each formula, by index, the first one with an equal content. `None` if all contents differ.
fn classes(graph: &ContentGraph) -> Option<Vec<usize>> {
    let formulas: Vec<_> = graph.formulas().collect();
    let mut partition = Partition::by_shape(graph, &formulas)?;
    let mut changed = partition.split(graph, &formulas, 0..formulas.len());
    let mut parents = Vec::new();
    while !changed.is_empty() {
        if parents.is_empty() {
            parents = vec![Vec::new(); formulas.len()];
            for (parent, &formula) in formulas.iter().enumerate() {
                let visit = |child| parents[graph.index(child)].push(parent);
                graph.content(formula).for_each_value(visit);
            }
        }
        let mut dirty: Vec<_> = changed.iter().flat_map(|&id| &parents[id]).copied().collect();
        dirty.sort_unstable();
        dirty.dedup();
        changed = partition.split(graph, &formulas, dirty);
    }
    let mut first = vec![None; partition.members.len()];
    let class = partition.class.into_iter().enumerate();
    Some(class.map(|(id, class)| *first[class].get_or_insert(id)).collect())
}

/// Classes of formulas, all of one shape. Members of a class had children of the same classes when the class was made.
struct Partition {
    class: Vec<usize>,
    /// By class; none for a class of one, which is never split.
    members: Vec<Vec<usize>>,
}

impl Partition {
    /// The formulas by what they are besides their children; `None` where no two are the same.
    #[expect(
        clippy::mutable_key_type,
        reason = "automata of sets of strings are made when they are asked for, which no hash looks at"
    )]
    fn by_shape(graph: &ContentGraph, formulas: &[FormulaId]) -> Option<Self> {
        let mut known = FxHashMap::with_capacity_and_hasher(formulas.len(), FxBuildHasher);
        let shapes = formulas.iter().map(|&formula| {
            let new = known.len();
            *known.entry(Shape(graph.content(formula))).or_insert(new)
        });
        let class: Vec<usize> = shapes.collect();
        if known.len() == formulas.len() {
            return None;
        }
        let mut counts = vec![0; known.len()];
        class.iter().for_each(|&class| counts[class] += 1);
        let alone = |count: usize| if count > 1 { count } else { 0 };
        let members = counts.iter().map(|&count| Vec::with_capacity(alone(count)));
        let mut members: Vec<Vec<usize>> = members.collect();
        for (id, &class) in class.iter().enumerate().filter(|&(_, &class)| counts[class] > 1) {
            members[class].push(id);
        }
        Some(Self { class, members })
    }

    /// Splits classes by the children of the formulas that may differ by now, and returns those that got a new class.
    /// A formula that is not among `dirty`, which ascends, keeps its class, and so do those that still equal it.
    fn split(
        &mut self,
        graph: &ContentGraph,
        formulas: &[FormulaId],
        dirty: impl IntoIterator<Item = usize>,
    ) -> Vec<usize> {
        let many = |&(class, _): &(usize, usize)| self.members[class].len() > 1;
        let by_class = dirty.into_iter().map(|id| (self.class[id], id));
        let mut by_class: Vec<_> = by_class.filter(many).collect();
        by_class.sort_unstable();
        let old = self.class.clone();
        let children = |id: usize| {
            let mut children = Vec::new();
            let visit = |child| children.push(old[graph.index(child)]);
            graph.content(formulas[id]).for_each_value(visit);
            children
        };
        let mut changed = Vec::new();
        for group in by_class.chunk_by(|(a, _), (b, _)| a == b) {
            let class = group[0].0;
            let is_dirty = |id: &usize| group.binary_search(&(class, *id)).is_ok();
            let clean = self.members[class].iter().find(|id| !is_dirty(id));
            let keeper = clean.copied().unwrap_or(group[0].1);
            let mut known = FxHashMap::from_iter([(children(keeper), class)]);
            for &(_, id) in group {
                if id == keeper {
                    continue;
                }
                let new = self.members.len();
                let to = *known.entry(children(id)).or_insert(new);
                if to == new {
                    self.members.push(Vec::new());
                }
                if to != class {
                    self.class[id] = to;
                    self.members[to].push(id);
                    changed.push(id);
                }
            }
            let Self { class: now, members } = self;
            members[class].retain(|&id| now[id] == class);
        }
        changed
    }
}

/// A content without its children: two are equal that differ in these alone.
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
    /// Hashes what distinguishes most contents.
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

/// Whether two optional lists have equal elements in equal order.
fn same<T>(a: Option<&[T]>, b: Option<&[T]>, same: impl Fn(&T, &T) -> bool) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (a, b) => a.is_none() && b.is_none(),
    }
}
