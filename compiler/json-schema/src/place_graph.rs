//! Builds the [`PlaceGraph`] of a schema: the schemas that apply to each value.
//!
//! Cost: linear in the keywords of the schemas that apply, for each set of schemas that apply together. Sets beyond
//! [`MOST_NODES`] get no place.

use std::collections::BTreeMap;

use grammarc_grammar::budget::Budget;
use grammarc_grammar::ir::{PlaceGraph, PlaceNode};
use grammarc_grammar::open_json::Step;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::document::Document;
use super::read::applies::{Applying, below, with_in_place};
use super::read::schema::{Part, SchemaId, Schemas};

/// Most sets of schemas that apply to some value together.
const MOST_NODES: usize = 1 << 14;

/// Most members and items of all nodes together. Beyond it, the schema gets no places.
const MOST_ENTRIES: usize = 1 << 20;

/// Most places of one value.
const MOST_PLACES: usize = 4;

/// Returns the places of the schemas that apply to each value of a document of the schema `root`. `None` if the budget is
/// spent.
pub(crate) fn place_graph(
    document: &Document<'_>,
    schemas: &Schemas,
    root: SchemaId,
    budget: &Budget,
) -> Option<PlaceGraph> {
    let mut nodes = Nodes { schemas, of_sets: IndexMap::default() };
    nodes.number([root]);
    let mut graph = PlaceGraph::default();
    let (mut next, mut entries) = (0, 0);
    while let Some((set, _)) = nodes.of_sets.get_index(next) {
        let set = set.clone();
        next += 1;
        let parts = set.iter().flat_map(|&id| schemas.parts(id));
        let members = parts.map(|(_, part)| match part {
            Part::Properties(properties) => properties.len(),
            Part::Prefix(items) => items.len(),
            _ => 1,
        });
        let work = set.len() + members.sum::<usize>();
        budget.spend(work).ok()?;
        entries += work;
        if entries > MOST_ENTRIES {
            return None;
        }
        let pointers = set.iter().take(MOST_PLACES).map(|&id| document.pointer(schemas.node(id)));
        let mut node = PlaceNode { pointers: pointers.collect(), ..PlaceNode::default() };
        nodes.fill(&set, &mut node);
        graph.nodes.push(node);
    }
    Some(graph)
}

/// The sets of schemas so far, each with its closure over schemas that apply in place.
struct Nodes<'a> {
    schemas: &'a Schemas,
    /// Maps each set, in ascending order, to nothing: its index is the number of the node.
    of_sets: IndexMap<Vec<SchemaId>, (), FxBuildHasher>,
}

impl Nodes<'_> {
    /// Returns the number of the node for values to which these schemas apply. `None` if there are none, or too many
    /// nodes.
    fn number(&mut self, ids: impl IntoIterator<Item = SchemaId>) -> Option<u32> {
        let all: Applying = with_in_place(self.schemas, ids);
        if all.is_empty() {
            return None;
        }
        let set: Vec<SchemaId> = all.into_iter().collect();
        let number = match self.of_sets.get_index_of(&set) {
            Some(known) => known,
            None if self.of_sets.len() >= MOST_NODES => return None,
            None => self.of_sets.insert_full(set, ()).0,
        };
        u32::try_from(number).ok()
    }

    /// Adds the members and items of a node.
    fn fill(&mut self, set: &[SchemaId], node: &mut PlaceNode) {
        let schemas = self.schemas;
        let parts = || set.iter().flat_map(|&id| schemas.parts(id)).map(|(_, part)| part);
        let mut named: BTreeMap<&str, Vec<SchemaId>> = BTreeMap::new();
        let (mut others, mut prefix) = (Vec::new(), 0);
        for part in parts() {
            match part {
                Part::Properties(properties) => {
                    for (key, schema) in properties {
                        named.entry(key).or_default().push(*schema);
                    }
                }
                Part::Members(_, schema) | Part::UnevaluatedProperties(schema) => {
                    others.push(*schema);
                }
                Part::Prefix(schemas) => prefix = prefix.max(schemas.len()),
                Part::Items(from, _) => prefix = prefix.max(*from as usize),
                _ => {}
            }
        }
        let with_names = parts().filter(|part| matches!(part, Part::Members(..)));
        let with_names: Vec<&Part> = with_names.collect();
        for (key, mut ids) in named {
            let step = Step::Key(key.to_owned());
            ids.extend(with_names.iter().flat_map(|part| below(part, &step)));
            let number = self.number(ids);
            node.members.insert(key.into(), number);
        }
        node.other = self.number(others);
        let mut item = |index: usize| {
            let ids: Vec<SchemaId> =
                parts().flat_map(|part| below(part, &Step::Index(index))).collect();
            self.number(ids)
        };
        node.first = (0..prefix).map(&mut item).collect();
        node.rest = item(prefix);
    }
}
