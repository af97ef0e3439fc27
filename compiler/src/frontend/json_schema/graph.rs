//! The shape graph: every conjunction that can apply to some value, unfolded once, with edges to the conjunctions of
//! its children.
//!
//! Conjunctions are interned by their list of schemas, of which there are finitely many, so recursion of any shape
//! closes into cycles. Emptiness is the least fixpoint over the finished graph: a conjunction holds something where
//! some shape does, and a shape does where all it requires does. What is left out of the fixpoint could only be
//! satisfied by an infinite value. O(edges).

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::diagnostics::Diagnostic;

use super::algebra::{Algebra, Conflict, Conjunction};
use super::document::NodeId;
use super::shape::{ArrayShape, ConjunctionId, ObjectShape, Union, dedup};

/// One conjunction of the graph.
#[derive(Debug)]
pub(crate) struct Node {
    /// What it comes to; after [`build`], without shapes that hold nothing.
    pub(crate) union: Union,
    /// Why the first of its terms that holds nothing does so.
    pub(crate) conflict: Option<Conflict>,
    /// Shapes that the fixpoint found to hold nothing: the conjunctions they need, any of them empty.
    pub(crate) starved: Vec<ConjunctionId>,
}

/// The graph.
#[derive(Debug)]
pub(crate) struct ShapeGraph {
    conjunctions: IndexSet<Conjunction, FxBuildHasher>,
    nodes: Vec<Node>,
    holds: Vec<bool>,
    /// Branches of `anyOf` that some term with a value takes, sorted.
    pub(crate) alive: Vec<NodeId>,
}

/// Explores everything that the root applies.
pub(crate) fn build(algebra: &Algebra<'_>) -> Result<ShapeGraph, Diagnostic> {
    let mut conjunctions: IndexSet<Conjunction, FxBuildHasher> = IndexSet::default();
    conjunctions.insert(algebra.normalise([algebra.document.root()]));
    let mut nodes = Vec::new();
    let mut alive = Vec::new();
    let mut shapes = 0;
    while let Some(conjunction) = conjunctions.get_index(nodes.len()).cloned() {
        let unfolded = algebra
            .unfold(&conjunction, |child| ConjunctionId::new(conjunctions.insert_full(child).0))?;
        let union = unfolded.union;
        shapes += 1 + union.arrays.len() + union.objects.len();
        if shapes > algebra.max_shapes {
            let place = conjunction.first().copied().unwrap_or(algebra.document.root());
            let text = format!("the schema unfolds to more than {} shapes", algebra.max_shapes);
            return Err(algebra
                .document
                .error("json-schema::shape-limit", place, text)
                .with_help("simplify the schema here, or raise the limit on shapes"));
        }
        alive.extend(unfolded.alive);
        nodes.push(Node { union, conflict: unfolded.conflict, starved: Vec::new() });
    }
    alive.sort_unstable();
    alive.dedup();
    let holds = fixpoint(&nodes);
    let mut graph = ShapeGraph { conjunctions, nodes, holds, alive };
    graph.prune();
    Ok(graph)
}

impl ShapeGraph {
    /// The conjunction of the whole document.
    pub(crate) fn root(&self) -> ConjunctionId {
        ConjunctionId::new(0)
    }

    /// Number of conjunctions.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The schemas of a conjunction.
    pub(crate) fn schemas(&self, id: ConjunctionId) -> &[NodeId] {
        self.conjunctions.get_index(id.index()).map_or(&[], |schemas| schemas)
    }

    /// A node of the graph.
    pub(crate) fn node(&self, id: ConjunctionId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What a conjunction comes to, without shapes that hold nothing.
    pub(crate) fn union(&self, id: ConjunctionId) -> &Union {
        &self.nodes[id.index()].union
    }

    /// Whether some value satisfies the conjunction.
    pub(crate) fn holds(&self, id: ConjunctionId) -> bool {
        self.holds[id.index()]
    }

    /// Replaces the conjunctions that shapes refer to, and drops shapes that then occur twice.
    pub(crate) fn rename(&mut self, to: impl Fn(ConjunctionId) -> ConjunctionId) {
        for Node { union, .. } in &mut self.nodes {
            for shape in &mut union.arrays {
                shape.prefix.iter_mut().for_each(|item| *item = to(*item));
                shape.items = to(shape.items);
            }
            for shape in &mut union.objects {
                shape
                    .properties
                    .iter_mut()
                    .for_each(|property| property.value = to(property.value));
                shape.additional = to(shape.additional);
            }
            dedup(&mut union.arrays);
            dedup(&mut union.objects);
        }
    }

    fn prune(&mut self) {
        let holds = &self.holds;
        for node in &mut self.nodes {
            let Node { union, starved, .. } = node;
            let mut keep = |missing: Option<ConjunctionId>| {
                starved.extend(missing);
                missing.is_none()
            };
            let empty = |need: &ConjunctionId| !holds[need.index()];
            union.arrays.retain(|shape| keep(array_needs(shape).find(empty)));
            union.objects.retain(|shape| keep(object_needs(shape).find(empty)));
        }
    }
}

/// The conjunctions that each array of a shape has a value of.
fn array_needs(shape: &ArrayShape) -> impl Iterator<Item = ConjunctionId> + '_ {
    let min = shape.count.min as usize;
    let rest = (min > shape.prefix.len()).then_some(shape.items);
    shape.prefix.iter().copied().take(min).chain(rest)
}

/// The conjunctions that each object of a shape has a value of.
fn object_needs(shape: &ObjectShape) -> impl Iterator<Item = ConjunctionId> + '_ {
    shape.properties.iter().filter(|property| property.required).map(|property| property.value)
}

fn fixpoint(nodes: &[Node]) -> Vec<bool> {
    let mut holds = vec![false; nodes.len()];
    let mut dependants: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let arrays = node.union.arrays.iter().flat_map(array_needs);
        for need in arrays.chain(node.union.objects.iter().flat_map(object_needs)) {
            dependants[need.index()].push(index);
        }
    }
    let mut queue: Vec<usize> = (0..nodes.len()).rev().collect();
    while let Some(index) = queue.pop() {
        let Union { whole, values, strings, arrays, objects } = &nodes[index].union;
        let met = |need: ConjunctionId| holds[need.index()];
        let some = !whole.is_empty()
            || !values.is_empty()
            || !strings.is_empty()
            || arrays.iter().any(|shape| array_needs(shape).all(met))
            || objects.iter().any(|shape| object_needs(shape).all(met));
        if some && !holds[index] {
            holds[index] = true;
            queue.extend(&dependants[index]);
        }
    }
    holds
}
