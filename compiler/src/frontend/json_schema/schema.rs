//! A schema as its keywords, read and checked, with references resolved. Still one to one with the source.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::diagnostics::Diagnostic;

use super::document::{Document, NodeId};
use super::types::TypeSet;

/// One schema of the document.
#[derive(Debug)]
pub(crate) enum Schema {
    /// `true` accepts everything and `false` nothing.
    Boolean(bool),
    /// An object of keywords.
    Keywords(Box<Keywords>),
}

/// What applies to an instance, in the order in which the keywords stand in the source. The order decides the order
/// of keys where several schemas with `properties` meet.
#[derive(Debug)]
pub(crate) enum Part {
    /// The schema's own assertions.
    Own,
    /// Another schema.
    Schema(NodeId),
    /// At least one of these schemas.
    Any(Vec<NodeId>),
}

/// A count with an upper end: `minLength` and `maxLength`, `minItems` and `maxItems`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Bounds {
    /// Fewest.
    pub(crate) min: u32,
    /// Most.
    pub(crate) max: Option<u32>,
}

impl Bounds {
    /// The counts within both.
    #[must_use]
    pub(crate) fn intersect(self, other: Self) -> Self {
        let max = match (self.max, other.max) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { min: self.min.max(other.min), max }
    }

    /// Whether no count is within.
    pub(crate) fn is_empty(self) -> bool {
        self.max.is_some_and(|max| max < self.min)
    }

    /// Whether a count is within.
    pub(crate) fn contains(self, count: usize) -> bool {
        count >= self.min as usize && self.max.is_none_or(|max| count <= max as usize)
    }
}

/// Named schemas in source order.
pub(crate) type Properties = IndexMap<Box<str>, NodeId, FxBuildHasher>;

/// The keywords of one schema. A keyword that is absent has its neutral value.
#[derive(Debug, Default)]
pub(crate) struct Keywords {
    /// What applies, in source order; `Own` stands where `properties` does, and last without one.
    pub(crate) parts: Vec<Part>,
    /// `type`.
    pub(crate) types: Option<TypeSet>,
    /// `enum` and `const`: the instance is in each of these lists.
    pub(crate) values: Vec<Vec<NodeId>>,
    /// `minLength`, `maxLength`.
    pub(crate) length: Bounds,
    /// `minItems`, `maxItems`.
    pub(crate) count: Bounds,
    /// `prefixItems`, or `items` as an array.
    pub(crate) prefix: Vec<NodeId>,
    /// `items`, or `additionalItems`.
    pub(crate) items: Option<NodeId>,
    /// `properties`.
    pub(crate) properties: Properties,
    /// `required`.
    pub(crate) required: Vec<Box<str>>,
    /// `additionalProperties`.
    pub(crate) additional: Option<NodeId>,
}

/// Most in-place steps (`$ref`, `anyOf`) from one schema to the next. Bounds recursion over them.
const MAX_IN_PLACE: u32 = 256;

/// The schemas that apply somewhere, by the node they stand at.
#[derive(Debug)]
pub(crate) struct Schemas(Vec<Option<Schema>>);

impl Schemas {
    /// No schema yet, in a document of `len` values.
    pub(crate) fn new(len: usize) -> Self {
        Self(std::iter::repeat_with(|| None).take(len).collect())
    }

    /// The schema at a node, where it is known.
    pub(crate) fn get(&self, node: NodeId) -> Option<&Schema> {
        self.0[node.index()].as_ref()
    }

    /// The keywords of the schema at a node; `None` for a boolean schema.
    pub(crate) fn keywords(&self, node: NodeId) -> Option<&Keywords> {
        match self.get(node) {
            Some(Schema::Keywords(keywords)) => Some(keywords),
            _ => None,
        }
    }

    /// Enters a schema.
    pub(crate) fn insert(&mut self, node: NodeId, schema: Schema) {
        self.0[node.index()] = Some(schema);
    }

    fn in_place(&self, node: NodeId) -> Vec<NodeId> {
        let parts = self.keywords(node).map_or(&[][..], |keywords| &keywords.parts);
        parts
            .iter()
            .flat_map(|part| match part {
                Part::Own => &[][..],
                Part::Schema(target) => std::slice::from_ref(target),
                Part::Any(branches) => branches,
            })
            .copied()
            .collect()
    }

    /// Refuses schemas that apply to the same instance again and again, which have no meaning, and chains of in-place
    /// steps that are too long. Everything later may recurse over in-place steps.
    pub(crate) fn check_in_place(&self, document: &Document) -> Result<(), Diagnostic> {
        /// On the path of the walk.
        const OPEN: u32 = u32::MAX;
        let mut heights = vec![0; self.0.len()];
        for start in document.nodes() {
            if self.get(start).is_none() || heights[start.index()] != 0 {
                continue;
            }
            heights[start.index()] = OPEN;
            let mut path = vec![(start, self.in_place(start), 1)];
            while let Some((node, rest, height)) = path.last_mut() {
                let Some(next) = rest.pop() else {
                    let (node, height) = (*node, *height);
                    heights[node.index()] = height;
                    if height > MAX_IN_PLACE {
                        let text = format!(
                            "more than {MAX_IN_PLACE} references and `anyOf` apply to one value one inside the other"
                        );
                        return Err(document
                            .error("json-schema::nesting-limit", node, text)
                            .with_help("refer to the last schema of the chain directly"));
                    }
                    path.pop();
                    if let Some((_, _, above)) = path.last_mut() {
                        *above = (*above).max(height + 1);
                    }
                    continue;
                };
                match heights[next.index()] {
                    0 => {
                        heights[next.index()] = OPEN;
                        path.push((next, self.in_place(next), 1));
                    }
                    OPEN => {
                        let text = "this schema refers to itself for the same value".to_owned();
                        return Err(document
                            .error("json-schema::endless-reference", *node, text)
                            .with_label(document.key_span(next), "the schema it comes back to")
                            .with_help(
                                "a recursive reference must stand below `properties`, `items` or the like",
                            ));
                    }
                    below => *height = (*height).max(below + 1),
                }
            }
        }
        Ok(())
    }
}
