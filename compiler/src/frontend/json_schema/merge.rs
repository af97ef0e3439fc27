//! Formulas that come to the same content, found by refining a partition of the content graph: formulas that differ in
//! nothing but their children start in one class, and a class is split while its members differ in the classes of
//! their children. Recursive schemas that say the same merge too. A round looks only at formulas with a child whose
//! class changed, so a long chain of schemas costs its length and not the square of it.

use rustc_hash::FxHashMap;

use super::algebra::{Content, ContentGraph, FormulaId};

/// Lets every formula refer to the first of its equals instead of to any of them. The others are then unreachable.
pub(crate) fn merge(graph: &mut ContentGraph) {
    let first = classes(graph);
    let formulas: Vec<_> = graph.formulas().collect();
    let index: FxHashMap<FormulaId, usize> =
        formulas.iter().enumerate().map(|(index, &formula)| (formula, index)).collect();
    graph.rename(|formula| formulas[first[index[&formula]]]);
}

/// For each formula, by index, the first one that is equal to it.
fn classes(graph: &ContentGraph) -> Vec<usize> {
    let formulas: Vec<_> = graph.formulas().collect();
    let mut parents = vec![Vec::new(); formulas.len()];
    for (parent, &formula) in formulas.iter().enumerate() {
        graph.content(formula).for_each_value(|child| parents[graph.index(child)].push(parent));
    }
    let all: Vec<usize> = (0..formulas.len()).collect();
    let mut partition =
        Partition { formulas, class: vec![0; all.len()], members: vec![all.clone()] };
    let mut changed = partition.split(graph, &all);
    while !changed.is_empty() {
        let mut dirty: Vec<_> = changed.iter().flat_map(|&id| &parents[id]).copied().collect();
        dirty.sort_unstable();
        dirty.dedup();
        changed = partition.split(graph, &dirty);
    }
    let mut first = vec![None; partition.members.len()];
    let class = partition.class;
    all.into_iter().map(|id| *first[class[id]].get_or_insert(id)).collect()
}

/// Classes of formulas. Members of a class had equal signatures when the class was made.
struct Partition {
    formulas: Vec<FormulaId>,
    class: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Partition {
    /// Splits classes by the signatures of the formulas that may differ by now, and returns those that got a new
    /// class. What is not among `dirty` keeps its class, and so do those that still equal it.
    #[expect(
        clippy::mutable_key_type,
        reason = "automata of sets of strings are made when they are asked for, which no hash looks at"
    )]
    fn split(&mut self, graph: &ContentGraph, dirty: &[usize]) -> Vec<usize> {
        let mut by_class: Vec<_> = dirty.iter().map(|&id| (self.class[id], id)).collect();
        by_class.sort_unstable();
        let old = self.class.clone();
        let mut changed = Vec::new();
        for group in by_class.chunk_by(|(a, _), (b, _)| a == b) {
            let class = group[0].0;
            let is_dirty = |id: &usize| group.binary_search(&(class, *id)).is_ok();
            let clean = self.members[class].iter().find(|id| !is_dirty(id));
            let keeper = clean.copied().unwrap_or(group[0].1);
            let mut known = FxHashMap::from_iter([(self.signature(graph, keeper, &old), class)]);
            for &(_, id) in group {
                let new = self.members.len();
                let to = *known.entry(self.signature(graph, id, &old)).or_insert(new);
                if to == new {
                    self.members.push(Vec::new());
                }
                if to != class {
                    self.class[id] = to;
                    self.members[to].push(id);
                    changed.push(id);
                }
            }
            let Self { class: now, members, .. } = self;
            members[class].retain(|&id| now[id] == class);
        }
        changed
    }

    /// The content of a formula with a child of each class in place of its children.
    fn signature(&self, graph: &ContentGraph, id: usize, class: &[usize]) -> Content {
        let mut content = graph.content(self.formulas[id]).clone();
        // A class is told by its number, which is below that of any of its formulas.
        content.for_each_value_mut(|value| *value = self.formulas[class[graph.index(*value)]]);
        content
    }
}
