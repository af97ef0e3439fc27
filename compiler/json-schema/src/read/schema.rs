//! A schema as its keywords, read and checked, with references resolved. Still one to one with the source.

use rustc_hash::{FxBuildHasher, FxHashMap};

use grammarc_grammar::diagnostics::Diagnostic;

use crate::document::{Document, NodeId};
use crate::source::resolve::ScopeId;
use crate::values::numbers::NumberSet;
use crate::values::strings::StringSet;
use crate::values::types::TypeSet;

/// Number of a schema: a node of a document in a dynamic scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SchemaId(u32);

impl SchemaId {
    /// Index for tables with one entry per schema.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
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
    /// At least `min`.
    pub(crate) fn at_least(min: u32) -> Self {
        Self { min, max: None }
    }

    /// At most `max`.
    pub(crate) fn at_most(max: u32) -> Self {
        Self { min: 0, max: Some(max) }
    }

    /// The counts in both ranges.
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

    /// Whether every count is within.
    pub(crate) fn is_all(self) -> bool {
        self == Self::default()
    }

    /// The counts outside the range. `None` if they are not a range.
    pub(crate) fn complement(self) -> Option<Self> {
        match self {
            Self { min: 0, max: Some(max) } => max.checked_add(1).map(Self::at_least),
            Self { min, max: None } => min.checked_sub(1).map(Self::at_most),
            _ => None,
        }
    }

    /// The bounds on the number of further elements, after one. `None` if one exceeds the maximum.
    pub(crate) fn after_one(self) -> Option<Self> {
        self.after(1)
    }

    /// The bounds on the number of further elements, after `count`. `None` if `count` exceeds the maximum.
    pub(crate) fn after(self, count: u32) -> Option<Self> {
        let max = match self.max {
            Some(max) => Some(max.checked_sub(count)?),
            None => None,
        };
        Some(Self { min: self.min.saturating_sub(count), max })
    }
}

/// A constraint on an instance, from one keyword or from several related ones.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// Its type: `type`.
    Types(TypeSet),
    /// The instance equals one of these values: `enum`, `const`.
    Values(Vec<NodeId>),
    /// If a number, it is one of these: `minimum`, `multipleOf` and the like.
    Numbers(NumberSet),
    /// If a string, it is one of these: `pattern`, `format`, `minLength` and the like.
    Strings(StringSet),
    /// Schemas of the first items: `prefixItems`.
    Prefix(Vec<SchemaId>),
    /// Schema of the items from this index on: `items`.
    Items(u32, SchemaId),
    /// Bounds on the number of items that satisfy the schema: `contains` with `minContains` and `maxContains`.
    Contains(SchemaId, Bounds),
    /// Bounds on the number of items: `minItems`, `maxItems`.
    ItemCount(Bounds),
    /// No two items are equal: `uniqueItems`.
    UniqueItems,
    /// Schemas of the values under these keys: `properties`.
    Properties(Vec<(Box<str>, SchemaId)>),
    /// Schema of the values under all keys of a set: `patternProperties`, `additionalProperties`.
    Members(StringSet, SchemaId),
    /// Schema of all keys: `propertyNames`.
    Names(SchemaId),
    /// Keys that are there: `required`.
    Required(Vec<Box<str>>),
    /// Bounds on the number of members: `minProperties`, `maxProperties`.
    MemberCount(Bounds),
    /// All of these schemas: `allOf`, `$ref`.
    All(Vec<SchemaId>),
    /// At least one of these schemas: `anyOf`.
    Any(Vec<SchemaId>),
    /// Exactly one of these schemas: `oneOf`.
    One(Vec<SchemaId>),
    /// Not this schema: `not`.
    Not(SchemaId),
    /// `if`, with `then` and `else` if present.
    If(SchemaId, Option<SchemaId>, Option<SchemaId>),
    /// A schema that applies if the key is present: `dependentSchemas`.
    DependentSchema(Box<str>, SchemaId),
    /// Keys that are required if another is present: `dependentRequired`.
    DependentRequired(Box<str>, Vec<Box<str>>),
    /// Schema of the values that no other keyword evaluates: `unevaluatedProperties`.
    UnevaluatedProperties(SchemaId),
    /// Schema of the items that no other keyword evaluates: `unevaluatedItems`.
    UnevaluatedItems(SchemaId),
}

/// Calls `visit` with every schema of a part, by the kind of reference that the part is given by.
macro_rules! visit_schemas {
    ($part:expr, $visit:expr) => {
        match $part {
            Self::Prefix(schemas)
            | Self::All(schemas)
            | Self::Any(schemas)
            | Self::One(schemas) => {
                schemas.into_iter().for_each($visit);
            }
            Self::Properties(properties) => {
                properties.into_iter().map(|(_, schema)| schema).for_each($visit);
            }
            Self::Items(_, schema)
            | Self::Contains(schema, _)
            | Self::Members(_, schema)
            | Self::Names(schema)
            | Self::Not(schema)
            | Self::DependentSchema(_, schema)
            | Self::UnevaluatedProperties(schema)
            | Self::UnevaluatedItems(schema) => $visit(schema),
            Self::If(condition, then, otherwise) => {
                $visit(condition);
                then.into_iter().chain(otherwise).for_each($visit);
            }
            Self::Types(_)
            | Self::Values(_)
            | Self::Numbers(_)
            | Self::Strings(_)
            | Self::ItemCount(_)
            | Self::UniqueItems
            | Self::Required(_)
            | Self::MemberCount(_)
            | Self::DependentRequired(..) => {}
        }
    };
}

impl Part {
    /// Calls `visit` with every schema that it applies.
    pub(crate) fn for_each_schema(&self, mut visit: impl FnMut(&SchemaId)) {
        visit_schemas!(self, &mut visit);
    }

    /// Calls `change` with every schema that it applies.
    pub(crate) fn for_each_schema_mut(&mut self, mut change: impl FnMut(&mut SchemaId)) {
        visit_schemas!(self, &mut change);
    }

    /// Schemas that apply to the same value.
    pub(crate) fn in_place(&self) -> Vec<SchemaId> {
        match self {
            Self::All(schemas) | Self::Any(schemas) | Self::One(schemas) => schemas.clone(),
            Self::Not(schema) | Self::DependentSchema(_, schema) => vec![*schema],
            Self::If(condition, then, otherwise) => {
                [Some(*condition), *then, *otherwise].into_iter().flatten().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// One schema.
#[derive(Debug)]
pub(crate) enum Schema {
    /// `true` accepts everything and `false` nothing.
    Boolean(bool),
    /// Keywords, each with its node, in source order. This order determines the order of keys if several schemas with
    /// `properties` apply.
    Parts(Vec<(NodeId, Part)>),
}

#[derive(Debug)]
struct Entry {
    node: NodeId,
    schema: Option<Schema>,
}

/// The schemas that apply somewhere.
#[derive(Debug)]
pub(crate) struct Schemas {
    entries: Vec<Entry>,
    /// By schema, the first equal one. Empty if the schemas were not compared.
    first: Vec<SchemaId>,
    ids: FxHashMap<(NodeId, ScopeId), SchemaId>,
}

/// Greatest number of in-place steps (`$ref`, `allOf`, ...) from one schema to the next. Bounds recursion over them.
const MAX_IN_PLACE: u32 = 256;

impl Schemas {
    /// Creates an empty table with capacity for this number of schemas.
    pub(crate) fn with_capacity(schemas: usize) -> Self {
        let ids = FxHashMap::with_capacity_and_hasher(schemas, FxBuildHasher);
        Self { entries: Vec::with_capacity(schemas), first: Vec::new(), ids }
    }

    /// Returns the number of the schema at a node in a scope, and whether it is new.
    pub(crate) fn id(&mut self, node: NodeId, scope: ScopeId) -> (SchemaId, bool) {
        if let Some(&known) = self.ids.get(&(node, scope)) {
            return (known, false);
        }
        let id = self.add(node);
        self.ids.insert((node, scope), id);
        (id, true)
    }

    /// Adds a schema at a node, even if the node has one.
    pub(crate) fn add(&mut self, node: NodeId) -> SchemaId {
        let id = SchemaId(u32::try_from(self.entries.len()).expect("a schema takes text"));
        self.entries.push(Entry { node, schema: None });
        id
    }

    /// Number of schemas.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The schema with this number.
    pub(crate) fn get(&self, id: SchemaId) -> &Schema {
        self.entries[id.index()].schema.as_ref().unwrap_or(&Schema::Boolean(true))
    }

    /// The keywords of a schema. Empty for a boolean schema.
    pub(crate) fn parts(&self, id: SchemaId) -> &[(NodeId, Part)] {
        match self.get(id) {
            Schema::Parts(parts) => parts,
            Schema::Boolean(_) => &[],
        }
    }

    /// The node of a schema.
    pub(crate) fn node(&self, id: SchemaId) -> NodeId {
        self.entries[id.index()].node
    }

    /// All schemas.
    pub(crate) fn iter(&self) -> impl Iterator<Item = SchemaId> + use<> {
        (0..self.entries.len() as u32).map(SchemaId)
    }

    /// The first schema that is equal to this one.
    pub(crate) fn first_equal(&self, id: SchemaId) -> SchemaId {
        self.first.get(id.index()).copied().unwrap_or(id)
    }

    /// Records which schemas are equal.
    pub(crate) fn share(&mut self, first: Vec<SchemaId>) {
        self.first = first;
    }

    /// Pairs of corresponding keywords: of the first of some equal schemas, and of a later one.
    pub(crate) fn equal_places(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let equals =
            self.iter().map(|id| (self.first_equal(id), id)).filter(|(first, id)| first != id);
        equals.flat_map(|(first, id)| {
            let (first, others) = (self.parts(first), self.parts(id));
            let same = first.len() == others.len();
            let places = first.iter().zip(others).filter(move |_| same);
            places.map(|((first, _), (other, _))| (*first, *other))
        })
    }

    /// Enters a schema.
    pub(crate) fn insert(&mut self, id: SchemaId, schema: Schema) {
        self.entries[id.index()].schema = Some(schema);
    }

    fn in_place(&self, id: SchemaId) -> Vec<SchemaId> {
        self.parts(id).iter().flat_map(|(_, part)| part.in_place()).collect()
    }

    /// Rejects cycles of schemas that apply to one instance, which have no meaning, and long chains of in-place
    /// steps. All later passes may recurse over in-place steps.
    pub(crate) fn check_in_place(&self, document: &Document<'_>) -> Result<(), Diagnostic> {
        /// On the path of the walk.
        const OPEN: u32 = u32::MAX;
        let mut heights = vec![0; self.entries.len()];
        let mut path = Vec::new();
        for start in self.iter() {
            if heights[start.index()] != 0 {
                continue;
            }
            heights[start.index()] = OPEN;
            path.push((start, self.in_place(start), 1));
            while let Some((node, rest, height)) = path.last_mut() {
                let Some(next) = rest.pop() else {
                    let (node, height) = (*node, *height);
                    heights[node.index()] = height;
                    if height > MAX_IN_PLACE {
                        let text = format!(
                            "more than {MAX_IN_PLACE} references, `allOf` and the like apply to one value one inside the other"
                        );
                        return Err(document
                            .error("json-schema::nesting-limit", self.node(node), text)
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
                            .error("json-schema::endless-reference", self.node(*node), text)
                            .with_label(document.key_span(self.node(next)), "the schema it comes back to")
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
