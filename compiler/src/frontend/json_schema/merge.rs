//! Conjunctions that come to the same shapes, found by refining a partition of the shape graph: conjunctions that
//! differ in nothing but their children start in one class, and a class is split while its members differ in the
//! classes of their children. Recursive schemas that say the same merge too. A round looks only at conjunctions with
//! a child whose class changed, so a long chain of schemas costs its length and not the square of it.

use rustc_hash::FxHashMap;

use super::document::NodeId;
use super::graph::ShapeGraph;
use super::schema::Bounds;
use super::shape::{ConjunctionId, Union, dedup};
use super::types::TypeSet;

/// Key, class of the value, whether required.
type Member<'a> = (&'a str, u32, bool);

/// A union with children replaced by their classes.
#[derive(PartialEq, Eq, Hash)]
struct Signature<'a> {
    holds: bool,
    whole: TypeSet,
    values: &'a [NodeId],
    strings: &'a [Bounds],
    arrays: Vec<(Vec<u32>, u32, Bounds)>,
    objects: Vec<(Vec<Member<'a>>, u32)>,
}

/// Lets every conjunction refer to the first of its equals instead of to any of them. The others are then unreachable.
pub(crate) fn merge(graph: &mut ShapeGraph) {
    let classes = classes(graph);
    graph.rename(|id| classes[id.index()]);
}

/// For each conjunction, the first one that is equal to it.
fn classes(graph: &ShapeGraph) -> Vec<ConjunctionId> {
    let ids: Vec<_> = (0..graph.len()).map(ConjunctionId::new).collect();
    let mut parents = vec![Vec::new(); ids.len()];
    for &id in &ids {
        for child in graph.union(id).children() {
            parents[child.index()].push(id);
        }
    }
    let mut partition = Partition { class: vec![0; ids.len()], members: vec![ids.clone()] };
    let mut changed = partition.split(graph, &ids);
    while !changed.is_empty() {
        let mut dirty: Vec<_> =
            changed.iter().flat_map(|id| &parents[id.index()]).copied().collect();
        dirty.sort_unstable();
        dirty.dedup();
        changed = partition.split(graph, &dirty);
    }
    let mut first = vec![None; partition.members.len()];
    let class = partition.class;
    ids.into_iter().map(|id| *first[class[id.index()] as usize].get_or_insert(id)).collect()
}

/// Classes of conjunctions. Members of a class had equal signatures when the class was made.
struct Partition {
    class: Vec<u32>,
    members: Vec<Vec<ConjunctionId>>,
}

impl Partition {
    /// Splits classes by the signatures of the conjunctions that may differ by now, and returns those that got a new
    /// class. What is not among `dirty` keeps its class, and so do those that still equal it.
    fn split(&mut self, graph: &ShapeGraph, dirty: &[ConjunctionId]) -> Vec<ConjunctionId> {
        let mut by_class: Vec<_> = dirty.iter().map(|&id| (self.class[id.index()], id)).collect();
        by_class.sort_unstable();
        let old = self.class.clone();
        let mut changed = Vec::new();
        for group in by_class.chunk_by(|(a, _), (b, _)| a == b) {
            let class = group[0].0;
            let is_dirty = |id: &ConjunctionId| group.binary_search(&(class, *id)).is_ok();
            let clean = self.members[class as usize].iter().find(|id| !is_dirty(id));
            let keeper = clean.copied().unwrap_or(group[0].1);
            let mut known = FxHashMap::from_iter([(signature(graph, keeper, &old), class)]);
            for &(_, id) in group {
                let new = self.members.len() as u32;
                let to = *known.entry(signature(graph, id, &old)).or_insert(new);
                if to == new {
                    self.members.push(Vec::new());
                }
                if to != class {
                    self.class[id.index()] = to;
                    self.members[to as usize].push(id);
                    changed.push(id);
                }
            }
            let Self { class: now, members } = self;
            members[class as usize].retain(|id| now[id.index()] == class);
        }
        changed
    }
}

fn signature<'a>(graph: &'a ShapeGraph, id: ConjunctionId, class: &[u32]) -> Signature<'a> {
    let Union { whole, values, strings, arrays, objects } = graph.union(id);
    let of = |child: &ConjunctionId| class[child.index()];
    let mut arrays: Vec<_> = arrays
        .iter()
        .map(|shape| (shape.prefix.iter().map(of).collect(), of(&shape.items), shape.count))
        .collect();
    let mut objects: Vec<_> = objects
        .iter()
        .map(|shape| {
            let properties = shape.properties.iter();
            let properties =
                properties.map(|property| (&*property.key, of(&property.value), property.required));
            (properties.collect(), of(&shape.additional))
        })
        .collect();
    dedup(&mut arrays);
    dedup(&mut objects);
    Signature { holds: graph.holds(id), whole: *whole, values, strings, arrays, objects }
}
