//! A schema as its keywords, read and checked, with references resolved. Schemas still correspond one to one to the
//! source.

use rustc_hash::{FxBuildHasher, FxHashMap};

use grammarc_grammar::diagnostics::Diagnostic;

use crate::document::{Document, NodeId};
use crate::source::resolve::ScopeId;
use crate::values::numbers::NumberSet;
use crate::values::strings::StringSet;
use crate::values::types::TypeSet;

/// Number of a schema: a place of a document in one dynamic scope (set of dynamic anchors).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SchemaId(u32);

impl SchemaId {
    /// Returns the index of the schema in tables with one entry per schema.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Inclusive bounds on a count of characters, items or members, as in `minItems` and `maxItems`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Bounds {
    /// The least allowed count.
    pub(crate) min: u32,
    /// The largest allowed count; `None` for no upper bound.
    pub(crate) max: Option<u32>,
}

impl Bounds {
    /// Returns the bounds that allow every count of at least `min`.
    pub(crate) fn at_least(min: u32) -> Self {
        Self { min, max: None }
    }

    /// Returns the bounds that allow every count of at most `max`.
    pub(crate) fn at_most(max: u32) -> Self {
        Self { min: 0, max: Some(max) }
    }

    /// Returns the counts that are within both bounds.
    #[must_use]
    pub(crate) fn intersect(self, other: Self) -> Self {
        let max = match (self.max, other.max) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { min: self.min.max(other.min), max }
    }

    /// Returns whether no count is within the bounds.
    pub(crate) fn is_empty(self) -> bool {
        self.max.is_some_and(|max| max < self.min)
    }

    /// Returns whether every count is within the bounds.
    pub(crate) fn is_all(self) -> bool {
        self == Self::default()
    }

    /// Returns the counts outside the bounds, or `None` if they are empty or no single range.
    pub(crate) fn complement(self) -> Option<Self> {
        match self {
            Self { min: 0, max: Some(max) } => max.checked_add(1).map(Self::at_least),
            Self { min, max: None } => min.checked_sub(1).map(Self::at_most),
            _ => None,
        }
    }

    /// Returns the bounds on the number of further elements after one element. Returns `None` if one element exceeds
    /// the maximum.
    pub(crate) fn after_one(self) -> Option<Self> {
        self.after(1)
    }

    /// Returns the bounds on the number of further elements after `count` elements. Returns `None` if `count` exceeds
    /// the maximum.
    pub(crate) fn after(self, count: u32) -> Option<Self> {
        let max = match self.max {
            Some(max) => Some(max.checked_sub(count)?),
            None => None,
        };
        Some(Self { min: self.min.saturating_sub(count), max })
    }
}

/// A constraint on an instance, from one keyword or from several related ones. A constraint on one type holds for all
/// other types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// The instance has one of these types: `type`.
    Types(TypeSet),
    /// The instance equals one of the values at these places: `enum`, `const`.
    Values(Vec<NodeId>),
    /// If the instance is a number, it is in the set: `minimum`, `multipleOf` and the like.
    Numbers(NumberSet),
    /// If the instance is a string, it is in the set: `pattern`, `format`, `minLength` and the like.
    Strings(StringSet),
    /// The first items satisfy these schemas, one each: `prefixItems`.
    Prefix(Vec<SchemaId>),
    /// The items from this index on satisfy the schema: `items`.
    Items(u32, SchemaId),
    /// The number of items that satisfy the schema is within the bounds: `contains` with `minContains` and
    /// `maxContains`.
    Contains(SchemaId, Bounds),
    /// The number of items is within the bounds: `minItems`, `maxItems`.
    ItemCount(Bounds),
    /// No two items of the array are equal: `uniqueItems`.
    UniqueItems,
    /// The value under each of these keys, if present, satisfies its schema: `properties`.
    Properties(Vec<(Box<str>, SchemaId)>),
    /// The value under every key of the set satisfies the schema: `patternProperties`, `additionalProperties`.
    Members(StringSet, SchemaId),
    /// Every key of the object satisfies the schema: `propertyNames`.
    Names(SchemaId),
    /// The object has all of these keys: `required`.
    Required(Vec<Box<str>>),
    /// The number of members is within the bounds: `minProperties`, `maxProperties`.
    MemberCount(Bounds),
    /// The instance satisfies all of these schemas: `allOf`, `$ref`.
    All(Vec<SchemaId>),
    /// The instance satisfies at least one of these schemas: `anyOf`.
    Any(Vec<SchemaId>),
    /// The instance satisfies exactly one of these schemas: `oneOf`.
    One(Vec<SchemaId>),
    /// The instance does not satisfy the schema: `not`.
    Not(SchemaId),
    /// The instance satisfies the second schema if it satisfies the first, and otherwise the third: `if`, `then`,
    /// `else`.
    If(SchemaId, Option<SchemaId>, Option<SchemaId>),
    /// If the object has the key, it satisfies the schema: `dependentSchemas`.
    DependentSchema(Box<str>, SchemaId),
    /// If the object has the first key, it has all of the others: `dependentRequired`.
    DependentRequired(Box<str>, Vec<Box<str>>),
    /// The values under keys that no other keyword evaluates satisfy the schema: `unevaluatedProperties`.
    UnevaluatedProperties(SchemaId),
    /// The items that no other keyword evaluates satisfy the schema: `unevaluatedItems`.
    UnevaluatedItems(SchemaId),
}

/// Calls `$visit` with every schema of a [`Part`], by shared or mutable reference as `$part` is given.
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
    /// Calls `visit` with every schema that the keyword applies.
    pub(crate) fn for_each_schema(&self, mut visit: impl FnMut(&SchemaId)) {
        visit_schemas!(self, &mut visit);
    }

    /// Calls `change` with every schema that the keyword applies.
    pub(crate) fn for_each_schema_mut(&mut self, mut change: impl FnMut(&mut SchemaId)) {
        visit_schemas!(self, &mut change);
    }

    /// Returns the schemas that the keyword applies to the same value (in place), not to its members or items.
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

/// The content of a schema: a boolean, or keywords.
#[derive(Debug)]
pub(crate) enum Schema {
    /// A boolean schema: `true` accepts everything and `false` nothing.
    Boolean(bool),
    /// The keywords, each with the place of its value, in source order. This order determines the order of keys if
    /// several schemas with `properties` apply.
    Parts(Vec<(NodeId, Part)>),
}

/// A schema of the table of all schemas.
#[derive(Debug)]
struct Entry {
    /// The place of the schema in the document.
    node: NodeId,
    /// The content of the schema; `None` until the schema is read.
    schema: Option<Schema>,
}

/// The table of all schemas that apply to some value.
#[derive(Debug)]
pub(crate) struct Schemas {
    /// The schemas; the index of a schema is its number.
    entries: Vec<Entry>,
    /// For each schema, the first schema that is equal. Empty if the schemas were not compared.
    first: Vec<SchemaId>,
    /// Maps each place and dynamic scope to the schema.
    ids: FxHashMap<(NodeId, ScopeId), SchemaId>,
}

/// Most in-place steps (`$ref`, `allOf` and the like) from one schema to the next that apply to one value. Bounds
/// recursion; more are an error.
const MAX_IN_PLACE: u32 = 256;

impl Schemas {
    /// Creates an empty table with capacity for `schemas` schemas.
    pub(crate) fn with_capacity(schemas: usize) -> Self {
        let ids = FxHashMap::with_capacity_and_hasher(schemas, FxBuildHasher);
        Self { entries: Vec::with_capacity(schemas), first: Vec::new(), ids }
    }

    /// Returns the number of the schema at a place in a dynamic scope, and whether it is new.
    pub(crate) fn id(&mut self, node: NodeId, scope: ScopeId) -> (SchemaId, bool) {
        if let Some(&known) = self.ids.get(&(node, scope)) {
            return (known, false);
        }
        let id = self.add(node);
        self.ids.insert((node, scope), id);
        (id, true)
    }

    /// Adds a schema that is not read yet at a place, even if the place has a schema already.
    pub(crate) fn add(&mut self, node: NodeId) -> SchemaId {
        let id = SchemaId(u32::try_from(self.entries.len()).expect("a schema takes text"));
        self.entries.push(Entry { node, schema: None });
        id
    }

    /// Returns the number of schemas in the table.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the content of a schema: a boolean or keywords. A schema that was not read counts as `true`.
    pub(crate) fn get(&self, id: SchemaId) -> &Schema {
        self.entries[id.index()].schema.as_ref().unwrap_or(&Schema::Boolean(true))
    }

    /// Returns the keywords of a schema, each with the place of its value. Empty for a boolean schema.
    pub(crate) fn parts(&self, id: SchemaId) -> &[(NodeId, Part)] {
        match self.get(id) {
            Schema::Parts(parts) => parts,
            Schema::Boolean(_) => &[],
        }
    }

    /// Returns the place of a schema in the document.
    pub(crate) fn node(&self, id: SchemaId) -> NodeId {
        self.entries[id.index()].node
    }

    /// Returns the numbers of all schemas, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = SchemaId> + use<> {
        (0..self.entries.len() as u32).map(SchemaId)
    }

    /// Returns the first schema that is equal to this one, possibly itself.
    pub(crate) fn first_equal(&self, id: SchemaId) -> SchemaId {
        self.first.get(id.index()).copied().unwrap_or(id)
    }

    /// Records for each schema the first one that is equal.
    pub(crate) fn share(&mut self, first: Vec<SchemaId>) {
        self.first = first;
    }

    /// Returns pairs of places of corresponding keywords: in the first of some equal schemas, and in a later one of
    /// them.
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

    /// Sets the content of a schema: a boolean or keywords.
    pub(crate) fn insert(&mut self, id: SchemaId, schema: Schema) {
        self.entries[id.index()].schema = Some(schema);
    }

    /// Replaces one keyword of a schema, given by its index in the schema. Returns what it was.
    pub(crate) fn replace_part(&mut self, id: SchemaId, index: usize, part: Part) -> Part {
        match &mut self.entries[id.index()].schema {
            Some(Schema::Parts(parts)) => std::mem::replace(&mut parts[index].1, part),
            _ => part,
        }
    }

    /// Returns the schemas that the keywords of a schema apply to the same value.
    fn in_place(&self, id: SchemaId) -> Vec<SchemaId> {
        self.parts(id).iter().flat_map(|(_, part)| part.in_place()).collect()
    }

    /// Rejects cycles of schemas that apply to one instance, which have no meaning, and more than [`MAX_IN_PLACE`]
    /// in-place steps in a row. All later passes may recurse over such steps.
    pub(crate) fn check_in_place(&self, document: &Document<'_>) -> Result<(), Diagnostic> {
        /// Number that marks a schema on the current path of the walk.
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
