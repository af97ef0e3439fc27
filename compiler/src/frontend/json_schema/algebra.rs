//! The algebra: a conjunction of schemas as a union of shapes.
//!
//! `$ref` and `anyOf` apply to the same value as the schema they stand in. Unfolding them turns a conjunction into a
//! union of terms, each a list of schemas of which only their own assertions count; the assertions of one term
//! intersect to at most one shape per type. The product of several `anyOf` is taken branch by branch and a term whose
//! types exclude each other is dropped at once, so that unions told apart by type do not multiply.

use rustc_hash::FxHashSet;

use crate::diagnostics::Diagnostic;

use super::document::{Document, NodeId};
use super::schema::{Bounds, Keywords, Part, Schema, Schemas};
use super::shape::{ArrayShape, ConjunctionId, ObjectShape, Property, Union};
use super::types::TypeSet;
use super::value::{satisfies, satisfies_own};

/// Schemas that all apply to one value, without repetition, in the order in which their keywords stand in the source.
pub(crate) type Conjunction = Vec<NodeId>;

/// Two keywords (or schemas) that no value satisfies together; one and the same where it alone has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The place that left nothing.
    pub(crate) place: NodeId,
    /// The place it is at odds with.
    pub(crate) other: NodeId,
}

/// The union of a conjunction, and why a term of it is empty.
#[derive(Debug, Default)]
pub(crate) struct Unfolded {
    /// The union.
    pub(crate) union: Union,
    /// Of the first term that holds nothing.
    pub(crate) conflict: Option<Conflict>,
    /// Branches of `anyOf` in terms that hold something.
    pub(crate) alive: Vec<NodeId>,
}

/// One term of the union.
#[derive(Clone, Debug)]
struct Term {
    /// Schemas of which the own assertions hold.
    schemas: Vec<NodeId>,
    /// Schemas that hold altogether, in-place steps included.
    applied: Vec<NodeId>,
    /// Branches of `anyOf` taken.
    branches: Vec<NodeId>,
    types: TypeSet,
}

impl Default for Term {
    /// The term that holds every value.
    fn default() -> Self {
        Self { schemas: Vec::new(), applied: Vec::new(), branches: Vec::new(), types: TypeSet::ALL }
    }
}

/// Reads conjunctions against the schemas of a document.
#[derive(Clone, Copy)]
pub(crate) struct Algebra<'a> {
    pub(crate) document: &'a Document,
    pub(crate) schemas: &'a Schemas,
    /// Most terms a conjunction may unfold to.
    pub(crate) max_shapes: usize,
}

impl Algebra<'_> {
    /// The same conjunction without schemas that say nothing, and through schemas that only refer to another. Equal
    /// results are one node of the shape graph. A conjunction with a schema `false` is that schema.
    pub(crate) fn normalise(&self, schemas: impl IntoIterator<Item = NodeId>) -> Conjunction {
        let mut seen = FxHashSet::default();
        let mut conjunction = Vec::new();
        for mut node in schemas {
            loop {
                match self.schemas.get(node) {
                    Some(Schema::Boolean(false)) => return vec![node],
                    None | Some(Schema::Boolean(true)) => break,
                    Some(Schema::Keywords(keywords)) => match keywords.parts[..] {
                        [] => break,
                        [Part::Schema(target)] => node = target,
                        _ => {
                            if seen.insert(node) {
                                conjunction.push(node);
                            }
                            break;
                        }
                    },
                }
            }
        }
        conjunction
    }

    /// Unfolds a conjunction. `intern` numbers the conjunctions that apply to children of the value.
    pub(crate) fn unfold<I>(
        &self,
        conjunction: &[NodeId],
        mut intern: I,
    ) -> Result<Unfolded, Diagnostic>
    where
        I: FnMut(Conjunction) -> ConjunctionId,
    {
        let mut unfolded = Unfolded::default();
        let start = Term::default();
        let mut terms = vec![start];
        for &node in conjunction {
            terms = self.apply(node, terms, &mut unfolded.conflict)?;
        }
        for term in terms {
            match self.shapes(&term, &mut unfolded.union, &mut intern) {
                Ok(()) => unfolded.alive.extend(term.branches),
                Err(conflict) => {
                    unfolded.conflict.get_or_insert(conflict);
                }
            }
        }
        unfolded.union.tidy(|value| TypeSet::of(self.document, value));
        Ok(unfolded)
    }

    /// Adds a schema to every term. Recursion is over in-place steps, which the survey bounds.
    fn apply(
        &self,
        node: NodeId,
        terms: Vec<Term>,
        conflict: &mut Option<Conflict>,
    ) -> Result<Vec<Term>, Diagnostic> {
        let keywords = match self.schemas.get(node) {
            None | Some(Schema::Boolean(true)) => return Ok(terms),
            Some(Schema::Boolean(false)) => {
                conflict.get_or_insert(Conflict { place: node, other: node });
                return Ok(Vec::new());
            }
            Some(Schema::Keywords(keywords)) => keywords,
        };
        // A term that holds the schema already gains nothing from it.
        let (done, mut terms): (Vec<_>, Vec<_>) =
            terms.into_iter().partition(|term| term.applied.contains(&node));
        for part in &keywords.parts {
            match part {
                Part::Own => self.apply_own(node, keywords, &mut terms, conflict),
                Part::Schema(target) => terms = self.apply(*target, terms, conflict)?,
                Part::Any(branches) => {
                    let mut all = Vec::new();
                    for &branch in branches {
                        let mut taken = terms.clone();
                        taken.iter_mut().for_each(|term| term.branches.push(branch));
                        all.extend(self.apply(branch, taken, conflict)?);
                        if all.len() > self.max_shapes {
                            return Err(self.too_many(branch));
                        }
                    }
                    terms = all;
                }
            }
        }
        terms.iter_mut().for_each(|term| term.applied.push(node));
        terms.extend(done);
        Ok(terms)
    }

    fn apply_own(
        &self,
        node: NodeId,
        keywords: &Keywords,
        terms: &mut Vec<Term>,
        conflict: &mut Option<Conflict>,
    ) {
        terms.retain_mut(|term| {
            let types = term.types.intersect(keywords.types.unwrap_or(TypeSet::ALL));
            if types.is_empty() {
                conflict.get_or_insert_with(|| Conflict {
                    place: self.place(node, &["type"]),
                    other: self.blame(term, &["type"], |other| {
                        other.types.is_some_and(|other| {
                            keywords.types.is_some_and(|own| own.intersect(other).is_empty())
                        })
                    }),
                });
                return false;
            }
            term.types = types;
            term.schemas.push(node);
            true
        });
    }

    fn too_many(&self, branch: NodeId) -> Diagnostic {
        let keyword = self.document.parent(branch).unwrap_or(branch);
        let text = format!("`anyOf` multiplies to more than {} combinations", self.max_shapes);
        self.document
            .error("json-schema::shape-limit", keyword, text)
            .with_help("merge branches, or raise the limit on shapes")
    }

    fn keywords<'t>(&self, term: &'t Term) -> impl Iterator<Item = &Keywords> + use<'_, 't> {
        let schemas = self.schemas;
        term.schemas.iter().filter_map(move |&node| schemas.keywords(node))
    }

    /// The first of these keywords that the schema has, or else the schema.
    fn place(&self, node: NodeId, keywords: &[&str]) -> NodeId {
        keywords.iter().find_map(|keyword| self.document.get(node, keyword)).unwrap_or(node)
    }

    /// The keyword of the first schema of the term that `guilty` picks; of the first schema where it picks none.
    fn blame(&self, term: &Term, keywords: &[&str], guilty: impl Fn(&Keywords) -> bool) -> NodeId {
        let found = term
            .schemas
            .iter()
            .find(|&&node| self.schemas.keywords(node).is_some_and(&guilty))
            .or(term.schemas.first());
        found.map_or(self.document.root(), |&node| self.place(node, keywords))
    }

    /// Intersects the assertions of a term and adds its shapes to the union.
    fn shapes<I>(&self, term: &Term, union: &mut Union, intern: &mut I) -> Result<(), Conflict>
    where
        I: FnMut(Conjunction) -> ConjunctionId,
    {
        if self.keywords(term).any(|keywords| !keywords.values.is_empty()) {
            return self.listed(term, union);
        }
        let mut conflict = None;
        let mut held = false;
        let scalars = [TypeSet::NULL, TypeSet::BOOLEAN, TypeSet::INTEGER, TypeSet::FRACTION];
        for kind in scalars.into_iter().filter(|&kind| term.types.contains(kind)) {
            union.whole = union.whole.union(kind);
            held = true;
        }
        if term.types.contains(TypeSet::STRING) {
            match self.bounds(term, |keywords| keywords.length, ["minLength", "maxLength"]) {
                Ok(bounds) if bounds == Bounds::default() => {
                    union.whole = union.whole.union(TypeSet::STRING);
                    held = true;
                }
                Ok(bounds) => {
                    union.strings.push(bounds);
                    held = true;
                }
                Err(found) => conflict = Some(found),
            }
        }
        if term.types.contains(TypeSet::ARRAY) {
            match self.bounds(term, |keywords| keywords.count, ["minItems", "maxItems"]) {
                Ok(count) => {
                    self.array(term, count, union, intern);
                    held = true;
                }
                Err(found) => conflict = Some(found),
            }
        }
        if term.types.contains(TypeSet::OBJECT) {
            self.object(term, union, intern);
            held = true;
        }
        match conflict {
            Some(conflict) if !held => Err(conflict),
            _ => Ok(()),
        }
    }

    /// The values of a term with `enum` or `const`: those of its shortest list that satisfy all the rest.
    fn listed(&self, term: &Term, union: &mut Union) -> Result<(), Conflict> {
        let lists = self.keywords(term).flat_map(|keywords| &keywords.values);
        let Some(shortest) = lists.min_by_key(|list| list.len()) else { return Ok(()) };
        let fitting = shortest.iter().copied().filter(|&value| {
            self.keywords(term)
                .all(|keywords| satisfies_own(self.document, self.schemas, value, keywords))
        });
        let before = union.values.len();
        union.values.extend(fitting);
        if union.values.len() > before {
            return Ok(());
        }
        let list = shortest.first().map(|&value| match self.document.key(value) {
            "const" => value,
            _ => self.document.parent(value).unwrap_or(value),
        });
        let place =
            list.unwrap_or_else(|| self.blame(term, &["enum"], |other| !other.values.is_empty()));
        let other = term.schemas.iter().find(|&&node| {
            !shortest.iter().any(|&value| satisfies(self.document, self.schemas, value, node))
        });
        let other =
            other.map_or(place, |&node| match self.place(node, &["type", "enum", "const"]) {
                same if same == place => self.place(node, &["type"]),
                other => other,
            });
        Err(Conflict { place, other })
    }

    fn bounds(
        &self,
        term: &Term,
        of: impl Fn(&Keywords) -> Bounds,
        [least, most]: [&str; 2],
    ) -> Result<Bounds, Conflict> {
        let bounds = self.keywords(term).map(&of).fold(Bounds::default(), Bounds::intersect);
        if !bounds.is_empty() {
            return Ok(bounds);
        }
        Err(Conflict {
            place: self.blame(term, &[least], |keywords| of(keywords).min == bounds.min),
            other: self.blame(term, &[most], |keywords| of(keywords).max == bounds.max),
        })
    }

    fn array<I>(&self, term: &Term, count: Bounds, union: &mut Union, intern: &mut I)
    where
        I: FnMut(Conjunction) -> ConjunctionId,
    {
        let length = self.keywords(term).map(|keywords| keywords.prefix.len()).max().unwrap_or(0);
        let at = |at: usize| {
            let schemas = self
                .keywords(term)
                .filter_map(|keywords| keywords.prefix.get(at).copied().or(keywords.items));
            self.normalise(schemas)
        };
        let prefix: Vec<_> = (0..length).map(at).collect();
        let items = at(length);
        if prefix.iter().chain([&items]).all(Vec::is_empty) && count == Bounds::default() {
            union.whole = union.whole.union(TypeSet::ARRAY);
            return;
        }
        union.arrays.push(ArrayShape {
            prefix: prefix.into_iter().map(&mut *intern).collect(),
            items: intern(items),
            count,
        });
    }

    fn object<I>(&self, term: &Term, union: &mut Union, intern: &mut I)
    where
        I: FnMut(Conjunction) -> ConjunctionId,
    {
        let declared = self.keywords(term).flat_map(|keywords| keywords.properties.keys());
        let required: Vec<_> =
            self.keywords(term).flat_map(|keywords| &keywords.required).collect();
        let keys: indexmap::IndexSet<&str, rustc_hash::FxBuildHasher> =
            declared.chain(required.iter().copied()).map(|key| &**key).collect();
        let required: FxHashSet<&str> = required.into_iter().map(|key| &**key).collect();
        let additional =
            self.normalise(self.keywords(term).filter_map(|keywords| keywords.additional));
        let mut open = additional.is_empty() && required.is_empty();
        let mut properties = Vec::with_capacity(keys.len());
        for key in keys {
            let schemas = self.keywords(term).filter_map(|keywords| {
                keywords.properties.get(key).copied().or(keywords.additional)
            });
            let value = self.normalise(schemas);
            open &= value.is_empty();
            properties.push((key, value));
        }
        // Keys that may have any value and need not be there: the order of keys is all that a shape would add.
        if open {
            union.whole = union.whole.union(TypeSet::OBJECT);
            return;
        }
        let properties = properties
            .into_iter()
            .map(|(key, value)| Property {
                key: key.into(),
                value: intern(value),
                required: required.contains(key),
            })
            .collect();
        union.objects.push(ObjectShape { properties, additional: intern(additional) });
    }
}
