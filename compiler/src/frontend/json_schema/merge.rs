//! Conjunctions that come to the same shapes, found by refining a partition of the shape graph: all conjunctions
//! start in one class, and a class is split while its members differ in their shapes up to the classes of their
//! children. Recursive schemas that say the same merge too. O(graph) per round, and a round per level of difference;
//! stopped early, the partition would be too coarse, so it always runs to the end.

use rustc_hash::FxHashMap;

use super::document::NodeId;
use super::graph::ShapeGraph;
use super::schema::Bounds;
use super::shape::{ConjunctionId, Union, dedup};
use super::types::TypeSet;

/// A union with children replaced by their classes.
#[derive(PartialEq, Eq, Hash)]
struct Signature<'a> {
    holds: bool,
    whole: TypeSet,
    values: &'a [NodeId],
    strings: &'a [Bounds],
    arrays: Vec<(Vec<u32>, u32, Bounds)>,
    objects: Vec<(Vec<(&'a str, u32, bool)>, u32)>,
}

/// Lets every conjunction refer to the first of its equals instead of to any of them. The others are then unreachable.
pub(crate) fn merge(graph: &mut ShapeGraph) {
    let classes = classes(graph);
    graph.rename(|id| classes[id.index()]);
}

/// For each conjunction, the first one that is equal to it.
fn classes(graph: &ShapeGraph) -> Vec<ConjunctionId> {
    let ids = || (0..graph.len()).map(ConjunctionId::new);
    let mut class = vec![0u32; graph.len()];
    let mut count = 1;
    loop {
        let mut known = FxHashMap::default();
        let mut refined = Vec::with_capacity(class.len());
        for id in ids() {
            let new = known.len() as u32;
            let key = (class[id.index()], signature(graph, id, &class));
            refined.push(*known.entry(key).or_insert(new));
        }
        let finer = known.len();
        drop(known);
        class = refined;
        if finer == count {
            break;
        }
        count = finer;
    }
    let mut first = vec![None; count];
    ids().map(|id| *first[class[id.index()] as usize].get_or_insert(id)).collect()
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
